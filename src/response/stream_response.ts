/**
 * Detects returned responses whose body is a stream.
 *
 * @module
 */

/**
 * The property in which Deno stores a body that it can send without a stream, or `null` if there is none. Reading
 * `body` instead would turn every text into a stream, which takes 25 µs (Deno 2.9.5). It is determined on first use,
 * because most programs do not return responses.
 */
let staticBody: symbol | null | undefined = undefined;

function findStaticBody(): symbol | null {
  const symbols = Object.getOwnPropertySymbols(new Response("text"));
  return symbols.find(({ description }) => description === "serve fast body") ?? null;
}

/** Reports whether the body of a response is generated while it is sent, or may be if the platform does not tell. */
export function hasStream(response: Response): boolean {
  if (staticBody === undefined) staticBody = findStaticBody();
  if (staticBody === null) return response.body !== null;
  return (response as unknown as Record<symbol, unknown>)[staticBody] === null && response.body !== null;
}
