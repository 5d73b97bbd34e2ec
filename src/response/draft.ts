/**
 * The response while it can still change: status, headers and body, until the chain ends.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { contentTypes } from "../http/content_type.ts";
import { checkHeaderName, checkHeaderValue } from "../http/header.ts";
import { JSONBody, jsonBody, jsonText } from "./json_body.ts";
import { type JSONLayout, layoutJSON } from "./json_options.ts";

/** What a draft's body can be. */
export type DraftBody = string | JSONBody | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;

/** Decides who may still write to a draft. */
export interface WriteGate {
  /** Reports whether the code that runs now may write. */
  mayWrite(): boolean;
  /** Told of a write that was dropped. */
  refuseWrite(): void;
}

/** A response in the making. */
export class Draft {
  status = 200;
  body: DraftBody | undefined = undefined;
  /** The content type; empty means that the platform's own for this kind of body is right. */
  type = "";
  headers: [string, string][] | undefined = undefined;
  /** A whole `Response` that a handler returned; `status` and `headers` above still count. */
  response: Response | undefined = undefined;
  /**
   * The response of an upgrade. The connection is bound to this very object: it is sent whatever happens afterwards.
   */
  upgrade: Response | undefined = undefined;
  /** JSON is kept as text, because it is looked at before it is sent: for HEAD its length counts. */
  keepsText = false;
  /** Middleware looks at the body before it is sent, so what is written can still be taken back. */
  isRecorded = false;
  /** Set once the response is decided and not everyone may write to it any more. */
  gate: WriteGate | undefined = undefined;
  /** Called when a document replaces a body that was written before; set in development only. */
  onReplace: (() => void) | undefined = undefined;
}

/** Reports whether the code that runs now may not write, and has it reported: for writers, which then do nothing. */
export function isShut(draft: Draft): boolean {
  const { gate } = draft;
  if (gate === undefined || gate.mayWrite()) return false;
  gate.refuseWrite();
  return true;
}

/** Reports whether anything of a body was written. */
export function isWritten(draft: Draft): boolean {
  return draft.body !== undefined || draft.response !== undefined;
}

/** Reports whether the body may still be in the making when the response leaves. */
export function isStreamed(draft: Draft): boolean {
  return draft.body instanceof ReadableStream || draft.response !== undefined;
}

/** Takes a returned `Response` as the response. */
export function adopt(draft: Draft, response: Response): void {
  if (isShut(draft)) return discard(response.body);
  if (response.status === 101) draft.upgrade ??= response;
  if (response !== draft.response) dropBody(draft);
  draft.response = response;
  draft.status = response.status;
  // A type that was set before describes a body that is not sent; one that is set later counts.
  if (draft.type !== "" && response.headers.has("content-type")) draft.type = "";
}

/** Sets the status. */
export function setStatus(draft: Draft, status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new FrameworkError("FW_STATUS", `Cannot respond with status "${status}": it is not between 200 and 599`);
  }
  if (isShut(draft)) return;
  draft.status = status;
}

/** Sets the content type, unless an empty one is given, which takes it back. */
export function setType(draft: Draft, type: string): void {
  if (isShut(draft)) return;
  draft.type = checkHeaderValue("content-type", type);
}

/** Writes JSON as the whole body. The value is serialised once, here: later changes to it are not sent. */
export function writeJSON(draft: Draft, value: unknown): void {
  const body = isBlank(draft) ? jsonBody(value) : jsonText(value);
  if (!(body instanceof JSONBody)) return writeDocument(draft, body, contentTypes.json);
  if (isShut(draft)) return;
  draft.body = body;
}

/** Writes JSON, in a layout if one is given. */
export function writeLayout(draft: Draft, value: unknown, layout: JSONLayout | undefined): void {
  if (layout === undefined) writeJSON(draft, value);
  else writeDocument(draft, layoutJSON(value, layout), contentTypes.json);
}

/** Reports whether nothing at all was said of the response. */
function isBlank(draft: Draft): boolean {
  return draft.body === undefined && draft.type === "" && draft.response === undefined && draft.status === 200 &&
    draft.headers === undefined && !draft.keepsText;
}

/** Appends text to the body. */
export function writeText(draft: Draft, text: string): void {
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

/** Appends text of a content type that counts unless the handler chose one. */
export function writeTyped(draft: Draft, text: string, type: string): void {
  if (isShut(draft)) return;
  if (draft.body instanceof JSONBody) flattenJSON(draft, draft.body);
  if (draft.type === "") draft.type = type;
  writeText(draft, text);
}

/** Appends plain text to the body, whatever content type was set before. */
export function writePlain(draft: Draft, text: string, type: string): void {
  if (isShut(draft)) return;
  writeText(draft, text);
  draft.type = type;
}

/** Appends bytes to the body. */
export function writeBytes(draft: Draft, bytes: Uint8Array): void {
  if (isShut(draft)) return;
  if (draft.body instanceof JSONBody) flattenJSON(draft, draft.body);
  const before = draft.body as Exclude<DraftBody, JSONBody> | undefined;
  if (before instanceof ReadableStream) {
    throw new FrameworkError("FW_STATE", "Cannot write to the response: its body is a stream already");
  }
  const head = typeof before === "string" ? new TextEncoder().encode(before) : before ?? new Uint8Array();
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  // The text that was written first decided what the whole is.
  if (typeof before === "string" && draft.type === "") draft.type = "text/plain;charset=UTF-8";
  if (draft.response !== undefined) dropBody(draft);
  draft.body = whole;
}

/**
 * Takes a document as the whole body, in place of what was written. A content type that was set before the first write
 * is kept.
 */
export function writeDocument(draft: Draft, body: string | Uint8Array<ArrayBuffer>, type: string): void {
  if (isShut(draft)) return;
  reportReplaced(draft);
  discardWritten(draft);
  draft.body = body;
  if (draft.type === "") draft.type = type;
}

/** Reports a document that is about to replace what was written: two of them are mostly a missing `return`. */
export function reportReplaced(draft: Draft): void {
  if (draft.onReplace !== undefined && isWritten(draft) && !isShut(draft)) draft.onReplace();
}

/** Takes bytes or a stream as the whole body, in place of what was written. */
export function setBody(
  draft: Draft,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
): void {
  if (isShut(draft)) return body instanceof ReadableStream ? discard(body) : undefined;
  dropBody(draft);
  draft.body = body;
}

/** Sets a header, in place of those of its name; an empty value removes them. */
export function setHeader(draft: Draft, name: string, value: string): void {
  const key = checkHeaderName(name);
  if (key === "content-type") return setType(draft, value);
  if (isShut(draft)) return;
  const others = draft.headers?.filter((pair) => pair[0] !== key);
  if (value !== "") draft.headers = [...others ?? [], [key, checkHeaderValue(key, value)]];
  else draft.headers = others;
  if (value === "" && draft.response?.headers.has(key)) draft.response = without(draft.response, key);
}

/**
 * Sets several headers of fw's own at once: their names are in lower case, and neither names nor values are checked.
 */
export function setOwnHeaders(draft: Draft, pairs: readonly [string, string][]): void {
  if (isShut(draft)) return;
  const others = draft.headers?.filter(([name]) => !pairs.some((pair) => pair[0] === name));
  draft.headers = others === undefined ? [...pairs] : [...others, ...pairs];
}

/** Adds a header beside those of its name. */
export function addHeader(draft: Draft, name: string, value: string): void {
  const key = checkHeaderName(name);
  if (key === "content-type") return setType(draft, value);
  if (isShut(draft)) return;
  (draft.headers ??= []).push([key, checkHeaderValue(key, value)]);
}

/** Reads back a header of the draft: those of one name joined by commas, empty if there is none. */
export function readHeader(draft: Draft, name: string): string {
  const key = name.toLowerCase();
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

/** Turns a JSON body into text, to be written on: the one case in which a value is serialised again. */
function flattenJSON(draft: Draft, body: JSONBody): void {
  draft.body = body.toString();
  if (draft.type === "") draft.type = contentTypes.json;
}

/**
 * Drops what was written, if anything was: an error is never half a page. A content type set for what is to come stays.
 */
export function discardWritten(draft: Draft): void {
  if (isWritten(draft)) resetBody(draft);
}

/** Drops the body and what describes it, and keeps the other headers: an error page is still subject to CORS. */
export function resetBody(draft: Draft): void {
  if (isShut(draft)) return;
  dropBody(draft);
  draft.type = "";
  draft.headers = draft.headers?.filter((pair) => !describesBody.has(pair[0]));
}

/** Drops the body. */
function dropBody(draft: Draft): void {
  discard(draft.body instanceof ReadableStream ? draft.body : draft.response?.body);
  draft.body = undefined;
  draft.response = undefined;
}

/** Cancels a stream that is not sent, so that its source, such as an open file, is released. */
function discard(stream: ReadableStream | null | undefined): void {
  if (stream) void stream.cancel().catch(ignore);
}

/** A `Response` without a header; a copy, since what `fetch` returned cannot be changed. */
function without(response: Response, name: string): Response {
  // An upgrade is bound to its very object.
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
