/**
 * Builds requests from the page's forms, sends them and shows the responses.
 *
 * @module
 */

import { type BodyEditor, type BodyValue, type Editor, textOf } from "./editors.ts";
import { documentURL, make, messageOf } from "./elements.ts";
import { flat, typesOf } from "./schema.ts";
import { type Operation, page, type Parameter, resolve, type Scheme } from "./spec.ts";

/** The form of an operation. */
export interface Form {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly editors: readonly (readonly [Parameter, Editor])[];
  body: { readonly type: string; readonly editor: BodyEditor } | undefined;
}

/** A request. */
export interface BuiltRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  /** The content type of the body. */
  readonly type: string | undefined;
  readonly given: BodyValue;
}

/** Returns the URL of the chosen server. */
export function baseURL(): string {
  const server = page.spec.servers?.[page.server];
  const filled = (server?.url ?? "").replace(/\{(\w+)\}/g, (all, name) => server?.variables?.[name]?.default ?? all);
  return new URL(filled || "/", new URL(documentURL, location.href)).href.replace(/[/]$/, "");
}

/**
 * Returns the security schemes of a request. This is the first alternative with complete credentials, or else the first
 * one.
 */
export function schemesOf(operation: Operation): string[] {
  const alternatives = (operation.security ?? page.spec.security ?? []).map((each) => Object.keys(each));
  return alternatives.find((names) => names.length > 0 && names.every((name) => isFilled(name))) ?? alternatives[0] ??
    [];
}

function isFilled(name: string): boolean {
  return Object.values(page.credentials[name] ?? {}).some((value) => value !== "");
}

/** Returns a security scheme. */
export function schemeOf(name: string): Scheme {
  return resolve(page.spec.components?.securitySchemes?.[name]);
}

/**
 * Adds the credentials of a security scheme. Code samples contain a placeholder, because they are meant to be shared.
 */
function authorize(name: string, headers: Record<string, string>, query: URLSearchParams, isCode: boolean): void {
  const scheme = schemeOf(name);
  const { user = "", secret = "" } = page.credentials[name] ?? {};
  if (!isCode && !isFilled(name)) return;
  if (scheme.type === "apiKey" && scheme.in === "query") query.append(scheme.name, isCode ? "KEY" : secret);
  else if (scheme.type === "apiKey" && scheme.in === "header") headers[scheme.name] = isCode ? "KEY" : secret;
  else if (scheme.type === "apiKey" && isCode) headers.cookie = scheme.name + "=KEY";
  else if (scheme.type === "apiKey") {
    document.cookie = scheme.name + "=" + encodeURIComponent(secret) + "; path=/; samesite=strict";
  } else if (scheme.scheme === "basic") {
    const bytes = new TextEncoder().encode(isCode ? "USER:PASSWORD" : user + ":" + secret);
    headers.authorization = "Basic " + btoa(String.fromCharCode(...bytes));
  } else headers.authorization = "Bearer " + (isCode ? "TOKEN" : secret);
}

/** Reports whether the members of an object are sent as parameters of their own. */
function isSpread(parameter: Parameter): boolean {
  return parameter.in === "query" && !parameter.content && typesOf(flat(parameter.schema))[0] === "object";
}

/** Builds the request from the form. */
export function requestOf({ path, method, operation, editors, body }: Form, isCode: boolean): BuiltRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  for (const [parameter, editor] of editors) {
    const values = editor.read();
    if (parameter.in === "path") {
      const text = values.join(",");
      const parts = parameter.description?.includes("slashes") ? text.split("/") : [text];
      filled = filled.replace("{" + parameter.name + "}", () => parts.map(encodeURIComponent).join("/"));
    } else if (isSpread(parameter) && values.length > 0) {
      for (const [key, value] of Object.entries(JSON.parse(String(values[0])))) {
        [value].flat().forEach((each) => query.append(key, textOf(each)));
      }
    } else if (parameter.in === "query" && parameter.explode === false && values.length > 0) {
      query.append(parameter.name, values.join(","));
    } else if (parameter.in === "query") values.forEach((value) => query.append(parameter.name, String(value)));
    else if (parameter.in === "header" && values.length > 0) headers[parameter.name] = values.join(", ");
  }
  for (const name of schemesOf(operation)) authorize(name, headers, query, isCode);
  const given = body?.editor.read();
  if (given !== undefined && body !== undefined && body.type !== "multipart/form-data") {
    headers["content-type"] = body.type;
  }
  return {
    url: baseURL() + filled + (query.size > 0 ? "?" + query : ""),
    method: method.toUpperCase(),
    headers,
    type: body?.type,
    given,
  };
}

function encode({ type, given }: BuiltRequest): BodyInit | null {
  if (!Array.isArray(given)) return given ?? null;
  if (type !== "multipart/form-data") return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const form = new FormData();
  for (const [key, value] of given) form.append(key, value);
  return form;
}

/** Sends a request and shows the response. */
export async function send(request: BuiltRequest, output: HTMLElement): Promise<void> {
  const started = performance.now();
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: encode(request),
    });
    const bytes = await response.blob();
    const time = Math.round(performance.now() - started);
    const type = response.headers.get("content-type") ?? "";
    const isText = type === "" || /^text\/|json|xml|yaml|javascript|urlencoded/.test(type);
    output.replaceChildren(
      make(
        "p",
        { class: response.ok ? "status" : "status bad" },
        response.status + " " + response.statusText + " · " + time + " ms",
      ),
      make(
        "details",
        make("summary", "Response headers"),
        make("pre", { tabindex: "0" }, [...response.headers].map(([name, value]) => name + ": " + value).join("\n")),
      ),
      isText ? make("pre", { tabindex: "0" }, pretty(await bytes.text())) : make(
        "p",
        make(
          "a",
          { href: URL.createObjectURL(bytes), download: "response" },
          "Save " + bytes.size + " bytes of " + type,
        ),
      ),
    );
  } catch (error) {
    output.replaceChildren(make("p.bad", "The request failed: " + messageOf(error)));
  }
}

function pretty(text: string): string {
  // Parsing would change numbers with 16 or more digits.
  if (/\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text === "" ? "(no body)" : text;
  }
}
