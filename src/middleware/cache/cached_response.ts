/**
 * A cached response and its serialization for stores that only hold strings.
 *
 * @module
 */

/** A cached response. */
export interface CachedResponse {
  /** The status code. */
  readonly Status: number;
  /** The headers, with lower-case names. */
  readonly Headers: readonly (readonly [name: string, value: string])[];
  /** The response body. */
  readonly Body: Uint8Array<ArrayBuffer>;
  /** The time when the response was stored, in milliseconds since 1970. */
  readonly Stored: number;
  /** The time for which the response is fresh, in milliseconds. */
  readonly Fresh: number;
  /** The request headers that the response depends on, and their values. */
  readonly Vary: readonly (readonly [name: string, value: string])[];
  /** The language and the API version that the response depends on. Omitted if it depends on neither. */
  readonly Facts?: readonly (readonly [name: string, value: string])[];
  /** Whether the response is declared `public` and may be sent to any client, including clients with credentials. */
  readonly Public: boolean;
  /** Headers of outer middleware that the handlers removed. */
  readonly Removed?: readonly string[];
  /** The unique ID of the stored response. */
  readonly ID?: string;
}

/** Serializes a cached response to a string. */
export function toText(response: CachedResponse): string {
  return JSON.stringify({ ...response, Body: response.Body.toBase64() });
}

/** Parses a serialized response. Returns `undefined` if it is invalid. */
export function fromText(text: string): CachedResponse | undefined {
  try {
    const read = JSON.parse(text);
    return { ...read, Body: Uint8Array.fromBase64(read.Body) };
  } catch {
    // The value was written by another program or another version of fw.
    return undefined;
  }
}

/** Reports whether a value from a store is a valid cached response. */
export function isCachedResponse(value: unknown): value is CachedResponse {
  if (typeof value !== "object" || value === null) return false;
  const { Status, Headers: headers, Body, Stored, Fresh, Vary, Facts = [], Removed = [] } = value as Partial<
    CachedResponse
  >;
  return Number.isInteger(Status) && Number(Status) >= 200 && Number(Status) <= 599 &&
    Body instanceof Uint8Array && Number.isFinite(Stored) && Number.isFinite(Fresh) &&
    isPairs(headers) && isPairs(Vary) && isPairs(Facts) && isSendable([...headers, ...Vary]) &&
    Array.isArray(Removed) && Removed.every((name) => typeof name === "string");
}

function isPairs(value: unknown): value is readonly [string, string][] {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isSendable(pairs: readonly (readonly [string, string])[]): boolean {
  try {
    const headers = new Headers();
    for (const [name, value] of pairs) headers.append(name, value);
    return true;
  } catch {
    // The name or the value is invalid.
    return false;
  }
}
