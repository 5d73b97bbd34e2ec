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
  /** Headers that the handlers took out of those that middleware around the cache had set. */
  readonly Removed?: readonly string[];
  /** Tells it from every other response that was stored. */
  readonly ID?: string;
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

/** Reports whether a value is a response that can be sent: what a store returns may be anyone's. */
export function isCachedResponse(value: unknown): value is CachedResponse {
  if (typeof value !== "object" || value === null) return false;
  const { Status, Headers: headers, Body, Stored, Fresh, Vary, Removed = [] } = value as Partial<CachedResponse>;
  return Number.isInteger(Status) && Number(Status) >= 200 && Number(Status) <= 599 &&
    Body instanceof Uint8Array && Number.isFinite(Stored) && Number.isFinite(Fresh) &&
    isPairs(headers) && isPairs(Vary) && isSendable([...headers, ...Vary]) &&
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
    // The platform refuses a name or a value.
    return false;
  }
}
