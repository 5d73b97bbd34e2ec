/**
 * The requests to JetStream. They are messages with JSON, so they only need a connection.
 *
 * @module
 */
import type { Message, NatsLink } from "./nats_connection.ts";

/** A stored message. */
export interface StoredMessage {
  /** The sequence number in the stream. */
  readonly seq: number;
  /** The time at which the server stored the message, in milliseconds. */
  readonly time: number;
  readonly text: string;
}

/** An error that JetStream reports. */
class JetStreamError extends Error {
  /** The number of the error, or 0 if no server responds to the subject. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The reply to a request that failed. */
interface Failed {
  readonly error?: { readonly "err_code"?: number; readonly description?: string };
}

/** The reply to a request for the state of a stream. */
interface StreamInfo {
  readonly total?: number;
  readonly state: { readonly subjects?: Readonly<Record<string, number>> };
}

/** Sends a request to the API. */
export async function callAPI<T>(link: NatsLink, subject: string, body: object): Promise<T> {
  try {
    return replyOf<T>(await ask(link, `$JS.API.${subject}`, JSON.stringify(body)));
  } catch (error) {
    if (codeOf(error) !== 0) throw error;
    throw new Error("JetStream is not enabled", { cause: error });
  }
}

/**
 * Stores a message.
 *
 * @param last The sequence number that the subject's last message must have. If omitted, any is accepted.
 * @returns The message's sequence number.
 */
export async function storeMessage(
  link: NatsLink,
  subject: string,
  data: Uint8Array | string,
  last?: number,
): Promise<number> {
  const headers = last === undefined ? undefined : headersOf("Nats-Expected-Last-Subject-Sequence", String(last));
  return replyOf<{ seq: number }>(await ask(link, subject, data, headers)).seq;
}

/** Returns a stored message, or `null` if there is none that matches the query. */
export async function readMessage(link: NatsLink, stream: string, query: object): Promise<StoredMessage | null> {
  const message = await ask(link, `$JS.API.DIRECT.GET.${stream}`, JSON.stringify(query));
  const { headers } = message;
  if (headers === undefined || headers.code === 404) return null;
  if (headers.code >= 400) throw new JetStreamError(headers.code, headers.description);
  return {
    seq: Number(headers.get("Nats-Sequence")),
    time: Date.parse(headers.get("Nats-Time-Stamp")),
    text: message.string(),
  };
}

/** Returns the subjects of a stream that match a filter. Large lists have several pages. */
export async function subjectsOf(link: NatsLink, stream: string, filter: string): Promise<string[]> {
  const subjects: string[] = [];
  for (let total = Infinity; subjects.length < total;) {
    const body = { "subjects_filter": filter, offset: subjects.length };
    const found = await callAPI<StreamInfo>(link, `STREAM.INFO.${stream}`, body);
    const page = Object.keys(found.state.subjects ?? {});
    subjects.push(...page);
    total = page.length === 0 ? 0 : found.total ?? 0;
  }
  return subjects;
}

/** Returns the number of a JetStream error, or -1 if it is another error. */
export function codeOf(error: unknown): number {
  return error instanceof JetStreamError ? error.code : -1;
}

async function ask(
  link: NatsLink,
  subject: string,
  payload: string | Uint8Array,
  headers?: { encode(): Uint8Array },
): Promise<Message> {
  try {
    return await link.request(subject, payload, headers);
  } catch (error) {
    if (isUnanswered(error)) throw new JetStreamError(0, `Nothing responds to "${subject}"`);
    throw error;
  }
}

function replyOf<T>(message: Message): T {
  const reply: T & Failed = JSON.parse(message.string());
  if (reply.error === undefined) return reply;
  throw new JetStreamError(reply.error.err_code ?? -1, reply.error.description ?? "JetStream reports an error");
}

/** Creates a header. The client only encodes it, so the class of its library is not needed. */
function headersOf(name: string, value: string): { encode(): Uint8Array } {
  return { encode: () => new TextEncoder().encode(`NATS/1.0\r\n${name}: ${value}\r\n\r\n`) };
}

/** Reports whether nothing is subscribed to the subject of a request. Version 2 of the client only sets a code. */
function isUnanswered(error: unknown): boolean {
  return error instanceof Error && (/^no responders/i.test(error.message) || Reflect.get(error, "code") === "503");
}
