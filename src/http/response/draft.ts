/**
 * A response that can still change. It contains the status, headers and body until the handler chain ends.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { contentTypes } from "../headers/content_type.ts";
import { checkHeaderName, checkHeaderValue } from "../headers/header.ts";
import { JSONBody, jsonBody, jsonText } from "./json_body.ts";
import { type JSONLayout, layoutJSON } from "./json_options.ts";
import { isStream, unpacked } from "./platform_response.ts";

/** The body types of a draft. */
export type DraftBody = string | JSONBody | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;

/** Decides which code may still write to a draft. */
export interface WriteGate {
  /** Reports whether the currently running code may write. */
  mayWrite(): boolean;
  /** Called when a write is dropped. */
  refuseWrite(): void;
}

/** A response in progress. */
export class Draft {
  status = 200;
  /** Whether a handler set the status. If so, an empty response is intended. */
  isStatusSet = false;
  body: DraftBody | undefined = undefined;
  /** The content type. If empty, the platform's default for the type of body is used. */
  type = "";
  /** Whether a handler chose the content type. If so, a document that replaces the body keeps it. */
  isTypeChosen = false;
  headers: [string, string][] | undefined = undefined;
  /** A complete `Response` that a handler returned. The draft's status and headers still apply to it. */
  response: Response | undefined = undefined;
  /**
   * The response to an upgrade request. The connection is bound to this object, so it is always sent, regardless of
   * later changes.
   */
  upgrade: Response | undefined = undefined;
  /** Controls which code may still write to the response. Set when the response has been decided. */
  gate: WriteGate | undefined = undefined;
  /** The state that few drafts need. */
  terms: DraftTerms | undefined = undefined;
}

/** The state that few drafts need. Each field of a draft would cost 3 to 10 ns in every request. */
export interface DraftTerms {
  /**
   * Whether to store JSON as text, because the body is needed before it is sent. For example, HEAD responses need its
   * length.
   */
  keepsText?: boolean;
  /** Serializes JSON for a caller that must not receive a changed value. If omitted, as `JSON.stringify` does. */
  writeExactly?: (value: unknown) => string;
  /** Promises that settle when everything has ended that may still use the values of the request, such as streams. */
  holds?: Promise<unknown>[];
  /** Called when a document replaces a body that was already written. Set only in development. */
  onReplace?: (() => void) | undefined;
}

/** Returns the rare state of a draft. To read a member that may not be set, use `terms?.` instead. */
export function termsOf(draft: Draft): DraftTerms {
  return draft.terms ??= {};
}

/**
 * Reports whether the currently running code is not allowed to write, and logs the attempt. Writers then do nothing.
 */
export function isShut(draft: Draft): boolean {
  const { gate } = draft;
  if (gate === undefined || gate.mayWrite()) return false;
  gate.refuseWrite();
  return true;
}

/** Reports whether any part of a body has been written. */
export function isWritten(draft: Draft): boolean {
  return draft.body !== undefined || draft.response !== undefined;
}

/** Reports whether the body may still be generated while the response is being sent. */
export function isStreamed(draft: Draft): boolean {
  return isStream(draft.body) || draft.response !== undefined;
}

/** Uses a returned `Response` as the response. */
export function adopt(draft: Draft, returned: Response): void {
  if (isShut(draft)) return discard(draft, returned.body);
  const response = returned.type === "default" ? returned : unpacked(returned);
  if (response.status === 101) draft.upgrade ??= response;
  if (response !== draft.response) dropBody(draft);
  draft.response = response;
  draft.status = response.status;
  if (draft.headers !== undefined) dropEarlierCookies(draft, response.headers);
  // If a content type was set earlier, it describes a body that is not sent. A content type that is set later does
  // apply.
  if (draft.type !== "" && response.headers.has("content-type")) draft.type = "";
}

/**
 * Removes the cookies that a returned `Response` sets again. They would be sent after those of the response, and
 * clients keep the last one.
 */
function dropEarlierCookies(draft: Draft, headers: Headers): void {
  const later = headers.getSetCookie().map(cookieKey);
  if (later.length === 0) return;
  draft.headers = draft.headers?.filter(([name, line]) => name !== "set-cookie" || !later.includes(cookieKey(line)));
}

/** Returns the name, domain and path of a cookie, which identify it. */
function cookieKey(line: string): string {
  const attribute = (name: string) => new RegExp(`;\\s*${name}=\\s*([^;]*)`, "i").exec(line)?.[1]?.trim() ?? "";
  return JSON.stringify([line.split("=", 1)[0]?.trim(), attribute("domain").toLowerCase(), attribute("path")]);
}

/**
 * Sets the response status.
 *
 * @throws {FrameworkError} If the status is not between 200 and 599.
 */
export function setStatus(draft: Draft, status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new FrameworkError(
      "FW_STATUS",
      `Cannot respond with status "${String(status)}": it must be between 200 and 599`,
    );
  }
  if (isShut(draft)) return;
  draft.status = status;
  draft.isStatusSet = true;
}

/** Sets the content type of the current body. An empty string restores the default. */
export function setType(draft: Draft, type: string): void {
  if (isShut(draft)) return;
  draft.type = checkHeaderValue("content-type", type);
  draft.isTypeChosen = false;
}

/** Sets the content type on behalf of a handler. It also applies to documents that replace the body. */
export function chooseType(draft: Draft, type: string): void {
  setType(draft, type);
  if (!isShut(draft)) draft.isTypeChosen = type !== "";
}

/** Writes JSON as the whole body. The value is serialized immediately, so later changes to it are not sent. */
export function writeJSON(draft: Draft, value: unknown): void {
  const body = draft.terms?.writeExactly?.(value) ?? (isBlank(draft) ? jsonBody(value) : jsonText(value));
  if (!(body instanceof JSONBody)) return writeDocument(draft, body, contentTypes.json);
  if (isShut(draft)) return;
  draft.body = body;
}

/** Writes JSON, optionally with a layout. */
export function writeLayout(draft: Draft, value: unknown, layout: JSONLayout | undefined): void {
  // An agent has no use for a layout.
  if (layout === undefined || draft.terms?.writeExactly !== undefined) writeJSON(draft, value);
  else writeDocument(draft, layoutJSON(value, layout), contentTypes.json);
}

/** Reports whether the response is still untouched. */
function isBlank(draft: Draft): boolean {
  return draft.body === undefined && draft.type === "" && draft.response === undefined && draft.status === 200 &&
    draft.headers === undefined && draft.terms?.keepsText !== true;
}

/** Checks content that is about to be written. Sending anything else would fail when it is too late to report it. */
function checkContent(content: unknown): void {
  if (typeof content === "string" || content instanceof Uint8Array) return;
  checkText(content, "content", "the response");
}

/** Appends text to the body. */
export function writeText(draft: Draft, text: string): void {
  checkContent(text);
  if (isShut(draft)) return;
  if (draft.body instanceof JSONBody) flattenJSON(draft, draft.body);
  if (draft.body === undefined) {
    if (draft.response !== undefined) dropBody(draft);
    draft.body = text;
  } else if (typeof draft.body === "string") {
    draft.body += text;
  } else {
    writeBytes(draft, new TextEncoder().encode(text));
  }
}

/** Appends text with a default content type. The default applies only if the handler has not set a content type. */
export function writeTyped(draft: Draft, text: string, type: string): void {
  checkContent(text);
  if (isShut(draft)) return;
  if (draft.body instanceof JSONBody) flattenJSON(draft, draft.body);
  if (draft.type === "") draft.type = type;
  // Most responses are written with one call.
  if (isWritten(draft)) writeText(draft, text);
  else draft.body = text;
}

/** Appends plain text to the body, replacing any content type that was set before. */
export function writePlain(draft: Draft, text: string, type: string): void {
  if (isShut(draft)) return;
  writeText(draft, text);
  setType(draft, type);
}

/** Appends bytes to the body. */
export function writeBytes(draft: Draft, bytes: Uint8Array): void {
  checkContent(bytes);
  if (isShut(draft)) return;
  if (draft.body instanceof JSONBody) flattenJSON(draft, draft.body);
  const before = draft.body as Exclude<DraftBody, JSONBody> | undefined;
  if (isStream(before)) {
    throw new FrameworkError("FW_STATE", "Cannot write to the response: its body is already a stream");
  }
  const head = typeof before === "string" ? new TextEncoder().encode(before) : before ?? new Uint8Array();
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  // The text that was written first determined the content type.
  if (typeof before === "string" && draft.type === "") draft.type = "text/plain;charset=UTF-8";
  if (draft.response !== undefined) dropBody(draft);
  draft.body = whole;
}

/** Replaces the body with a document. If the handler set a content type, it is kept. */
export function writeDocument(draft: Draft, body: string | Uint8Array<ArrayBuffer>, type: string): void {
  checkContent(body);
  if (isShut(draft)) return;
  reportReplaced(draft);
  const chosen = draft.isTypeChosen ? draft.type : "";
  discardWritten(draft);
  if (chosen !== "") chooseType(draft, chosen);
  draft.body = body;
  if (draft.type === "") draft.type = type;
}

/**
 * Reports a document that is about to replace the existing body. Writing two documents usually means that a `return` is
 * missing.
 */
export function reportReplaced(draft: Draft): void {
  const onReplace = draft.terms?.onReplace;
  if (onReplace !== undefined && isWritten(draft) && !isShut(draft)) onReplace();
}

/** Sets bytes or a stream as the whole body, replacing anything written before. */
export function setBody(
  draft: Draft,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
): void {
  if (isShut(draft)) return isStream(body) ? discard(draft, body) : undefined;
  dropBody(draft);
  draft.body = body;
}

/** Sets a header, replacing existing values. An empty value removes the header. */
export function setHeader(draft: Draft, name: string, value: string): void {
  const key = checkHeaderName(name);
  if (key === "content-type") return chooseType(draft, value);
  if (isShut(draft)) return;
  const others = draft.headers?.filter((pair) => pair[0] !== key);
  if (value !== "") draft.headers = [...others ?? [], [key, checkHeaderValue(key, value)]];
  else draft.headers = others;
  if (value === "" && draft.response?.headers.has(key)) draft.response = without(draft.response, key);
}

/**
 * Sets several of fw's own headers. Their names must be in lower case, and neither names nor values are
 * validated.
 */
export function setOwnHeaders(draft: Draft, pairs: readonly [string, string][]): void {
  if (isShut(draft)) return;
  if (draft.headers === undefined) draft.headers = [...pairs];
  else draft.headers = [...draft.headers.filter(([name]) => !pairs.some((pair) => pair[0] === name)), ...pairs];
}

/** Adds a header value without replacing existing ones. */
export function addHeader(draft: Draft, name: string, value: string): void {
  const key = checkHeaderName(name);
  if (key === "content-type") return chooseType(draft, value);
  if (isShut(draft)) return;
  (draft.headers ??= []).push([key, checkHeaderValue(key, value)]);
}

/** Returns a header of the draft, with several values joined by commas, or an empty string if it is not set. */
export function readHeader(draft: Draft, name: string): string {
  const key = checkText(name, "name", "GetResponseHeader").toLowerCase();
  const values = key === "content-type"
    ? typeOf(draft)
    : draft.headers?.filter((pair) => pair[0] === key).map((pair) => pair[1]) ?? [];
  return values.length > 0 ? values.join(", ") : draft.response?.headers.get(key) ?? "";
}

function typeOf(draft: Draft): string[] {
  if (draft.type !== "") return [draft.type];
  if (draft.body === undefined) return [];
  if (draft.body instanceof JSONBody) return [contentTypes.json];
  return [typeof draft.body === "string" ? contentTypes.text : contentTypes.bytes];
}

/**
 * Converts a JSON body to text so that more can be appended to it. This is the only case in which a value is serialized
 * twice.
 */
function flattenJSON(draft: Draft, body: JSONBody): void {
  draft.body = body.toString();
  if (draft.type === "") draft.type = contentTypes.json;
}

/**
 * Discards everything written so far, so that an error message is not appended to a partial response. A content type
 * set for the next body is kept.
 */
export function discardWritten(draft: Draft): void {
  if (isWritten(draft)) resetBody(draft);
}

/**
 * Discards the body and the headers that describe it. Other headers are kept, because CORS rules also apply to error
 * pages.
 */
export function resetBody(draft: Draft): void {
  if (isShut(draft)) return;
  dropBody(draft);
  draft.type = "";
  draft.isTypeChosen = false;
  draft.headers = draft.headers?.filter((pair) => !describesBody.has(pair[0]));
}

/** Discards the body. */
function dropBody(draft: Draft): void {
  discard(draft, isStream(draft.body) ? draft.body : draft.response?.body);
  draft.body = undefined;
  draft.response = undefined;
}

/** Cancels a stream that will not be sent. This releases its source, such as an open file. */
export function discard(draft: Draft, stream: ReadableStream | null | undefined): void {
  // A stream that middleware is reading is closed by that reader.
  if (stream && !stream.locked) hold(draft, stream.cancel());
}

/** Delays the disposal of the request's values until a promise is settled. */
export function hold(draft: Draft, promise: Promise<unknown>): void {
  const settled = promise.catch(ignore);
  (termsOf(draft).holds ??= []).push(settled);
}

/**
 * Returns a copy of a `Response` without a header. A copy is needed because the headers of a `fetch` result are
 * immutable.
 */
function without(response: Response, name: string): Response {
  // An upgrade is bound to its response object.
  if (response.status === 101) return response;
  const copy = new Response(response.body, response);
  copy.headers.delete(name);
  return copy;
}

const describesBody: ReadonlySet<string> = new Set([
  "accept-ranges",
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-range",
  "etag",
  "last-modified",
]);

function ignore(): void {}

/**
 * Records that a response depends on a request header. Otherwise, a cache would serve the response to clients that
 * accept something else.
 *
 * @param draft The response draft.
 * @param name The request header's name.
 */
export function varyBy(draft: Draft, name: string): void {
  const listed = readHeader(draft, "vary");
  if (listed === "" || !lists(listed, name)) addHeader(draft, "vary", name);
}

/** Reports whether a `Vary` header contains all names of another one. */
export function lists(header: string, names: string): boolean {
  const listed = namesIn(header);
  return listed.includes("*") || namesIn(names).every((name) => listed.includes(name));
}

function namesIn(header: string): string[] {
  return header.toLowerCase().split(/[,\s]+/);
}
