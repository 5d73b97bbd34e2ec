/**
 * Detects returned responses whose body is a stream.
 *
 * @module
 */

/**
 * The property in which Deno stores a body that it can send without a stream. Reading `body` instead would turn every
 * text into a stream, which takes 25 µs (Deno 2.9.5).
 */
const staticBody: symbol | undefined = Object.getOwnPropertySymbols(new Response("text")).find((symbol) =>
  symbol.description === "serve fast body"
);

/** Reports whether the body of a response is generated while it is sent, or may be if the platform does not tell. */
export function hasStream(response: Response): boolean {
  if (staticBody === undefined) return response.body !== null;
  return (response as unknown as Record<symbol, unknown>)[staticBody] === null && response.body !== null;
}
