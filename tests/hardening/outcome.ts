/**
 * The data received over a connection, parsed as HTTP/1 responses.
 *
 * @module
 */

/** The state of the connection when the client has finished. */
export type End = "closed" | "reset" | "open" | "refused";

/** A response. */
export interface Reply {
  readonly status: number;
  /** The headers with lower-case names, one pair per line. */
  readonly headers: readonly (readonly [string, string])[];
  /** The decoded body. Each character is one byte. */
  readonly body: string;
  /** Whether the response is complete. */
  readonly isWhole: boolean;
}

/** The outcome of an attack. */
export interface Outcome {
  readonly replies: readonly Reply[];
  /** All received data. Each character is one byte. */
  readonly text: string;
  readonly end: End;
  /** Measurements of a conversation, such as CPU times. */
  readonly figures?: readonly number[];
}

/**
 * Parses all responses of a connection.
 *
 * @param text The received data.
 * @param isEnded Whether the connection has ended, which ends a body without a length.
 * @param heads The number of leading responses to HEAD requests, which have no body.
 */
export function readReplies(text: string, isEnded: boolean, heads = 0): Reply[] {
  const replies: Reply[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0 || !text.startsWith("HTTP/1.", at)) break;
    const [first = "", ...lines] = text.slice(at, end).split("\r\n");
    const status = Number(first.split(" ")[1]);
    const headers = lines.map(headerPair);
    const isBare = replies.length < heads || status < 200 || status === 204 || status === 304;
    // After 101, the connection carries another protocol.
    const isSwitched = status === 101;
    const body = isSwitched
      ? { body: text.slice(end + 4), next: text.length, isWhole: true }
      : isBare
      ? { body: "", next: end + 4, isWhole: true }
      : readBody(text, end + 4, headers, isEnded);
    if (status >= 200 || isSwitched) replies.push({ status, headers, body: body.body, isWhole: body.isWhole });
    at = body.next;
  }
  return replies;
}

/** Returns a response header. Several values are joined by commas, and a missing header is an empty string. */
export function headerOf(reply: Reply | undefined, name: string): string {
  return headersOf(reply, name).join(", ");
}

/** Returns all values of a response header. */
export function headersOf(reply: Reply | undefined, name: string): string[] {
  return reply?.headers.filter(([key]) => key === name).map(([, value]) => value) ?? [];
}

interface BodyRead {
  readonly body: string;
  readonly next: number;
  readonly isWhole: boolean;
}

function readBody(
  text: string,
  from: number,
  headers: readonly (readonly [string, string])[],
  isEnded: boolean,
): BodyRead {
  const find = (name: string) => headers.find(([key]) => key === name)?.[1];
  if (find("transfer-encoding") !== undefined) return readChunks(text, from);
  const declared = find("content-length");
  if (declared === undefined) return { body: text.slice(from), next: text.length, isWhole: isEnded };
  const to = from + Number(declared);
  return { body: text.slice(from, to), next: Math.min(to, text.length), isWhole: to <= text.length };
}

function readChunks(text: string, from: number): BodyRead {
  let body = "";
  for (let at = from;;) {
    const line = text.indexOf("\r\n", at);
    const size = line < 0 ? NaN : parseInt(text.slice(at, line), 16);
    const next = line + 2 + size + 2;
    if (!(next <= text.length)) return { body, next: text.length, isWhole: false };
    if (size === 0) return { body, next, isWhole: true };
    body += text.slice(line + 2, line + 2 + size);
    at = next;
  }
}

function headerPair(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
