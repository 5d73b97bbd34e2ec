/**
 * Converts responses to tool results.
 *
 * @module
 */

import { encodeSent } from "../../../base/codec/sent.ts";
import { either, record, text } from "../../../base/config/option_kinds.ts";
import { checkArgument } from "../../../base/config/option_table.ts";
import { isJSONObject } from "../../../base/data/plain_object.ts";
import { statusText } from "../../../base/errors/errors.ts";
import { parseLossless } from "../../../base/text/lossless_json.ts";
import { isTextual } from "../../../http/headers/content_type.ts";

/** The content type of results that are passed on to agents as they are. */
export const contentType = "application/vnd.fw.mcp-content+json";

/** A part of a result: a string, or an object of the protocol with a `type` such as `image` or `resource`. */
export type ContentPart = string | Readonly<Record<string, unknown>>;

/**
 * Creates a result of several parts, for tools and prompts. Most routes do not need it: text, JSON, images and other
 * files are converted automatically.
 *
 * @param parts The parts.
 * @returns The response.
 *
 * @example Return a name and a picture
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mcp from "@fw/web/mcp";
 *
 * const app = fw.New();
 * app.Get("/tea", () => mcp.Content("Assam", { type: "image", data: "AQID", mimeType: "image/png" }));
 * mcp.New(app, { Name: "teas", Routes: ({ Path }) => Path === "/tea" });
 *
 * (await (await app.fetch(new Request("http://localhost/tea"))).json())[0]; // → { type: "text", text: "Assam" }
 * ```
 */
export function Content(...parts: ContentPart[]): Response {
  for (const part of parts) checkArgument(part, partRule, "parts", "Content");
  const content = parts.map((part) => typeof part === "string" ? { type: "text", text: part } : part);
  const text = encodeSent(content, { act: "create a tool result", root: "Content", code: "FW_RETURN" });
  return new Response(text, { headers: { "content-type": contentType } });
}

const partRule = either(undefined, text(), record());

/** The result of a tool call. */
export interface ToolResult {
  readonly content: readonly Record<string, unknown>[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** A response with its complete body. */
export interface ReadResponse {
  readonly status: number;
  readonly type: string;
  readonly location: string | null;
  readonly bytes: Uint8Array;
}

/** The error for a response that exceeds the size limit. */
export class OversizeError extends Error {}

/** Reads the complete response body. Cancels it and throws if it exceeds the limit or the signal is aborted. */
export async function readResponse(response: Response, max: number, signal: AbortSignal): Promise<ReadResponse> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  // A stream may be silent forever, so the abort must end a pending read.
  const cancel = () => void reader?.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  let size = 0;
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      size += read.value.length;
      if (size > max) throw new OversizeError(`Cannot return the result: it is larger than ${max} bytes`);
      parts.push(read.value);
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  signal.throwIfAborted();
  const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return { status: response.status, type, location: response.headers.get("location"), bytes };
}

/** Returns an error result. The model can read it and correct its call. */
export function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * Converts a response to a tool result.
 *
 * @param response The response.
 * @param uri The URI of file contents.
 */
export function toolResult(response: ReadResponse, uri: string): ToolResult {
  const { status, type, location, bytes } = response;
  const line = `${status} ${statusText(status)}`;
  if (status >= 400) return failure([line, isTextual(type) ? textOf(response) : ""].filter(Boolean).join("\n"));
  if (bytes.length === 0 || status >= 300) {
    return { content: [{ type: "text", text: location === null ? line : `${line}: ${location}` }] };
  }
  const parts = readContent(response);
  if (parts !== undefined) return { content: parts };
  if (!isTextual(type)) return { content: [fileContent(type, bytes, uri)] };
  const value = readJSON(response);
  // The protocol requires structured content to be an object.
  const structured = isJSONObject(value) ? { structuredContent: value } : {};
  return { content: [{ type: "text", text: textOf(response) }], ...structured };
}

/** Returns the parts of a response that is already in the form of the protocol, or `undefined` if it is not. */
export function readContent(response: ReadResponse): Record<string, unknown>[] | undefined {
  const value = response.type === contentType ? readJSON(response) : undefined;
  return Array.isArray(value) && value.every(isJSONObject) ? value as Record<string, unknown>[] : undefined;
}

/** Parses the body of a response, or returns `undefined` if it is not JSON. */
export function readJSON(response: ReadResponse): unknown {
  if (!isJSON(response.type)) return undefined;
  try {
    return parseLossless(textOf(response));
  } catch {
    // A handler may declare a JSON content type without sending JSON. The body is still shown as plain text.
    return undefined;
  }
}

/** Returns the body of a response as text. */
export function textOf({ bytes }: ReadResponse): string {
  return new TextDecoder().decode(bytes);
}

/** Returns the content of a resource, as text or base64. */
export function resourceContent(response: ReadResponse, uri: string): Record<string, unknown> {
  const { type, bytes } = response;
  const mimeType = type === "" ? {} : { mimeType: type };
  return isTextual(type) ? { uri, ...mimeType, text: textOf(response) } : { uri, ...mimeType, blob: bytes.toBase64() };
}

function fileContent(type: string, bytes: Uint8Array, uri: string): Record<string, unknown> {
  const kind = /^(image|audio)\//.exec(type)?.[1];
  if (kind !== undefined) return { type: kind, data: bytes.toBase64(), mimeType: type };
  return { type: "resource", resource: { uri, mimeType: type || "application/octet-stream", blob: bytes.toBase64() } };
}

function isJSON(type: string): boolean {
  return /[/+]json$/.test(type);
}
