/**
 * What came back over a connection, read as HTTP/1 responses.
 *
 * @module
 */

/** How the connection stood when the client was through with it. */
export type End = "closed" | "reset" | "open" | "refused";

/** One response. */
export interface Reply {
  readonly status: number;
  /** The names in small letters; each line is one pair. */
  readonly headers: readonly (readonly [string, string])[];
  /** The body without its chunks; each character is one byte. */
  readonly body: string;
  /** False when it broke off before its end. */
  readonly isWhole: boolean;
}

/** What came of an attack. */
export interface Outcome {
  readonly replies: readonly Reply[];
  /** All that came, each character one byte. */
  readonly text: string;
  readonly end: End;
  /** Figures that a conversation has taken, such as processor times. */
  readonly figures?: readonly number[];
}

/**
 * Reads all responses of a connection.
 *
 * @param text All that came.
 * @param isEnded True when no more can come: a body without a length ends there.
 * @param heads How many of the first responses are to HEAD and have no body.
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
    const body = isBare ? { body: "", next: end + 4, isWhole: true } : readBody(text, end + 4, headers, isEnded);
    if (status >= 200) replies.push({ status, headers, body: body.body, isWhole: body.isWhole });
    at = body.next;
  }
  return replies;
}

/** Reads a header of a response; those of one name are joined by commas, absent ones empty. */
export function headerOf(reply: Reply | undefined, name: string): string {
  return headersOf(reply, name).join(", ");
}

/** All values of a header of a response. */
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
