/**
 * What a route responds with, as the content of a result.
 *
 * @module
 */

import { STATUS_TEXT, type StatusCode } from "@std/http/status";
import { parseLossless } from "../base/lossless_json.ts";

/** The result of a call. */
export interface ToolResult {
  readonly content: readonly Record<string, unknown>[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** A response, read to its end. */
export interface ReadResponse {
  readonly status: number;
  readonly type: string;
  readonly location: string | null;
  readonly bytes: Uint8Array;
}

/** A response that is larger than allowed. */
export class OversizeError extends Error {}

/** Reads a response to its end, or to the limit. */
export async function readResponse(response: Response, max: number): Promise<ReadResponse> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    // Leaving the loop cancels the body.
    if (size > max) throw new OversizeError(`Cannot return the result: it is larger than ${max} bytes`);
    parts.push(part);
  }
  const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return { status: response.status, type, location: response.headers.get("location"), bytes };
}

/** An error that the model can read, and mend its call by. */
export function failure(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * Turns a response into a result.
 *
 * @param response The response.
 * @param uri What the content of a file is known by.
 */
export function toolResult(response: ReadResponse, uri: string): ToolResult {
  const { status, type, location, bytes } = response;
  const line = `${status} ${STATUS_TEXT[status as StatusCode] ?? ""}`.trim();
  if (status >= 400) return failure([line, isText(type) ? decode(bytes) : ""].filter(Boolean).join("\n"));
  if (bytes.length === 0 || status >= 300) {
    return { content: [{ type: "text", text: location === null ? line : `${line}: ${location}` }] };
  }
  if (!isText(type)) return { content: [fileContent(type, bytes, uri)] };
  const text = decode(bytes);
  const value = isJSON(type) ? readObject(text) : undefined;
  return { content: [{ type: "text", text }], ...value === undefined ? {} : { structuredContent: value } };
}

/** What a resource holds: text, or base64. */
export function resourceContent({ type, bytes }: ReadResponse, uri: string): Record<string, unknown> {
  const mimeType = type === "" ? {} : { mimeType: type };
  return isText(type) ? { uri, ...mimeType, text: decode(bytes) } : { uri, ...mimeType, blob: bytes.toBase64() };
}

function fileContent(type: string, bytes: Uint8Array, uri: string): Record<string, unknown> {
  const kind = /^(image|audio)\//.exec(type)?.[1];
  if (kind !== undefined) return { type: kind, data: bytes.toBase64(), mimeType: type };
  return { type: "resource", resource: { uri, mimeType: type || "application/octet-stream", blob: bytes.toBase64() } };
}

/** Structured content is an object by the rules of the protocol. */
function readObject(text: string): unknown {
  try {
    const value = parseLossless(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // A handler of one's own may declare as JSON what is none; the text is shown all the same.
    return undefined;
  }
}

function isJSON(type: string): boolean {
  return /[/+]json$/.test(type);
}

function isText(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml)$|^application\/(?:jsonl|javascript|x-www-form-urlencoded)$/.test(type);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
