/**
 * Builds the request for a tool call.
 *
 * @module
 */

import { isJSONObject } from "../../../base/data/plain_object.ts";
import { toJSON } from "../../../base/text/json.ts";
import type { OuterCall } from "../../../core/exchange/peer/outer_call.ts";
import type { PassedConnection } from "../../../core/exchange/peer/peer_address.ts";
import type { Argument, BoundTool } from "./tool.ts";

/** The connection of the message, with the route that the call is bound to. */
export class ToolConnection implements PassedConnection {
  readonly #connection: PassedConnection | undefined;
  readonly outer: OuterCall;

  constructor(connection: PassedConnection | undefined, outer: OuterCall) {
    this.#connection = connection;
    this.outer = outer;
  }

  get remoteAddr(): Deno.Addr | undefined {
    return this.#connection?.remoteAddr;
  }

  get completed(): Promise<void> | undefined {
    return this.#connection?.completed;
  }
}

/** An error for invalid arguments. Its message is shown to the model. */
export class ArgumentError extends Error {}

type Arguments = Readonly<Record<string, unknown>>;

/** The headers of a message that must not be copied to the tool's request. */
const ofMessage =
  /^(?:accept|accept-encoding|connection|content-.*|expect|if-.*|keep-alive|last-event-id|mcp-.*|range|te|trailer|transfer-encoding|upgrade)$/;

/**
 * Builds the request for a tool call. It has the same credentials, cookies and addresses as the message, so that guards
 * make the same decision as for a plain HTTP request.
 *
 * @param tool The tool.
 * @param given The arguments.
 * @param message The request that contains the message.
 * @param languageParameter The query parameter that specifies the language. The message's language also applies to the
 * call.
 */
export function toolRequest(tool: BoundTool, given: Arguments, message: Request, languageParameter = ""): Request {
  const known = tool.arguments.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    throw refused(name, known.length === 0 ? "the tool has none" : `the tool has only "${known.join('", "')}"`);
  }
  const url = new URL(message.url);
  const language = languageParameter === "" ? null : url.searchParams.get(languageParameter);
  const query = queryOf(tool, given);
  if (language !== null && !query.has(languageParameter)) query.set(languageParameter, language);
  url.pathname = pathOf(tool, given);
  url.search = query.toString();
  const { type, body } = bodyOf(tool, given);
  const headers = headersOf(tool, given, message);
  if (type !== undefined) headers.set("content-type", type);
  return new Request(url, { method: tool.method, headers, body });
}

function pathOf({ template, arguments: all }: BoundTool, given: Arguments): string {
  return "/" + template.segments.map((segment) => {
    if (segment.kind === "static") return encodeURIComponent(segment.text);
    const argument = all.find(({ place, key }) => place === "path" && key === segment.name);
    const text = textOf(argument?.name ?? segment.name, valueOf(argument, given));
    const parts = segment.trailing ? text.replace(/^\//, "").split("/") : [text];
    const path = parts.map((part) => pathSegment(argument?.name ?? segment.name, part)).join("/");
    return path + encodeURIComponent(segment.suffix);
  }).join("/");
}

/**
 * Encodes a path segment. Rejects empty segments and dot segments, also between escaped slashes, because they would be
 * resolved and the handler would receive another value.
 */
function pathSegment(name: string, text: string): string {
  if (text === "" || /(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(text)) {
    throw refused(name, `"${text}" cannot be a segment of a path`);
  }
  return encodeURIComponent(text.toWellFormed());
}

function queryOf({ arguments: all }: BoundTool, given: Arguments): URLSearchParams {
  const query = new URLSearchParams();
  for (const argument of all.filter(({ place }) => place === "query")) {
    const value = valueOf(argument, given);
    const members = argument.isSpread ? Object.entries(Object(value)) : [[argument.key, value] as const];
    for (const [key, member] of members) for (const text of textsOf(argument.name, member)) query.append(key, text);
  }
  return query;
}

function headersOf({ arguments: all }: BoundTool, given: Arguments, message: Request): Headers {
  const headers = new Headers();
  for (const [name, value] of message.headers) if (!ofMessage.test(name)) headers.append(name, value);
  headers.set("accept", "application/json, text/*;q=0.9, */*;q=0.8");
  for (const argument of all.filter(({ place }) => place === "header")) {
    const texts = textsOf(argument.name, valueOf(argument, given));
    if (texts.length === 0) continue;
    try {
      headers.set(argument.key, texts.join(", "));
    } catch {
      throw refused(argument.name, "it cannot be sent as a header");
    }
  }
  return headers;
}

function bodyOf({ arguments: all }: BoundTool, given: Arguments): { type?: string; body: BodyInit | null } {
  const argument = all.find(({ place }) => place === "body" || place === "form");
  const value = valueOf(argument, given);
  if (argument === undefined || value === undefined) return { body: null };
  if (argument.place === "body") return { type: argument.type, body: toJSON(value) };
  if (!isJSONObject(value)) throw refused("form", "it is not an object");
  const form = new FormData();
  for (const [key, member] of Object.entries(value)) {
    // An undeclared field such as "_method" could select another route.
    if (argument.members?.has(key) === false) throw refused(key, "the form does not have it");
    for (const text of textsOf(key, member)) {
      if (argument.files.has(key)) form.append(key, fileOf(key, text));
      else form.append(key, text);
    }
  }
  // The platform sets the content type, which includes the boundary.
  return { body: form };
}

function fileOf(name: string, text: string): File {
  try {
    return new File([Uint8Array.fromBase64(text)], name);
  } catch {
    throw refused(name, "it is not base64");
  }
}

function valueOf(argument: Argument | undefined, given: Arguments): unknown {
  return argument !== undefined && Object.hasOwn(given, argument.name) ? given[argument.name] : undefined;
}

/**
 * Converts a value to strings. The result is empty if the value is absent, and has one string per item if the value is
 * an array.
 */
function textsOf(name: string, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map((item) => textOf(name, item)) : [textOf(name, value)];
}

function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) throw refused(name, "it is missing");
  if (typeof value === "object") return toJSON(value);
  return String(value);
}

function refused(name: string, reason: string): ArgumentError {
  return new ArgumentError(`Cannot use argument "${name}": ${reason}`);
}
