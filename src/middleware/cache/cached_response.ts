/**
 * A response as a cache keeps it, and as text for stores that keep texts.
 *
 * @module
 */

/** A response that was kept. */
export interface CachedResponse {
  /** The status. */
  readonly Status: number;
  /** The headers, names in lower case. */
  readonly Headers: readonly (readonly [name: string, value: string])[];
  /** The body. */
  readonly Body: Uint8Array<ArrayBuffer>;
  /** When it was kept, in milliseconds since 1970. */
  readonly Stored: number;
  /** How long it is fresh, in milliseconds. */
  readonly Fresh: number;
  /** The request headers that it depends on, and what they were. */
  readonly Vary: readonly (readonly [name: string, value: string])[];
  /** Whether it said itself that it may be given to any client, also to those who sent credentials. */
  readonly Public: boolean;
}

/** Writes a kept response as text. */
export function toText(response: CachedResponse): string {
  return JSON.stringify({ ...response, Body: response.Body.toBase64() });
}

/** Reads a kept response back; what cannot be read counts as absent. */
export function fromText(text: string): CachedResponse | undefined {
  try {
    const read = JSON.parse(text);
    return { ...read, Body: Uint8Array.fromBase64(read.Body) };
  } catch {
    // Another program, or another version of this one, wrote it.
    return undefined;
  }
}
