/**
 * Objects as texts: in the content type that a controller method asks for, as JSON else.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../src/base/errors.ts";
import { isCollection, plainCollection, toJSON } from "../../src/base/json.ts";
import type { Context } from "../../src/context/context.ts";

/** Content types by their family, and what writes each. */
const encoders: readonly { readonly types: RegExp; readonly encode: (value: unknown) => string }[] = [
  { types: /^[^;]*[/+]json\b/i, encode: toJSON },
  { types: /^[^;]*[/+]xml\b/i, encode: toXML },
  // Every JSON text is a YAML text.
  { types: /^[^;]*[/+](?:x-)?yaml\b/i, encode: toJSON },
];

/** Responds with an object in a content type; 406 when nothing can write it so. */
export function writeEncoded(ctx: Context, value: unknown, contentType: string): void {
  const encoder = encoders.find((each) => each.types.test(contentType));
  if (encoder === undefined) {
    throw new HTTPError(406, "", { Code: "FW_RETURN", cause: `No encoder for content type "${contentType}"` });
  }
  ctx.ContentType(contentType);
  ctx.Write(encoder.encode(value));
}

/**
 * Writes a value as XML: an element for each field, repeated for each item of a list, named after its class at the top.
 *
 * @param value The value; `toJSON` methods count.
 * @returns The document.
 */
export function toXML(value: unknown): string {
  const name = typeof value === "object" && value !== null ? value.constructor?.name : undefined;
  const root = name === undefined || name === "Object" ? "Object" : name;
  if (!Array.isArray(value)) return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, value)}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<List>${element("Item", value)}</List>`;
}

function element(name: string, value: unknown): string {
  const plain = withoutToJSON(value);
  if (plain === undefined || typeof plain === "function" || typeof plain === "symbol") return "";
  if (Array.isArray(plain)) return plain.map((item) => element(name, item ?? null)).join("");
  const tag = name.replace(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^[^\p{L}_]/u, "_$&");
  if (plain === null) return `<${tag}/>`;
  if (typeof plain !== "object") return `<${tag}>${escapeXML(String(plain))}</${tag}>`;
  return `<${tag}>${Object.entries(plain).map(([key, field]) => element(key, field)).join("")}</${tag}>`;
}

function withoutToJSON(value: unknown): unknown {
  const hasToJSON = typeof value === "object" && value !== null && "toJSON" in value;
  return toPlain(hasToJSON && typeof value.toJSON === "function" ? value.toJSON() : value);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that no XML document may hold, even escaped, become the sign for what cannot be shown. */
function escapeXML(text: string): string {
  return text.toWellFormed().replace(/[&<>"]|[^\t\n\r -\ufffd]/g, (sign) => entities[sign] ?? "\ufffd");
}

/** Reports whether a value is not a map, set or iterator that has to be changed to be written. */
export function isPlainValue(value: unknown): boolean {
  return !isCollection(value) || ("toJSON" in value && typeof value.toJSON === "function");
}

/**
 * Turns a map into an object and a set or an iterator into an array; their members stay as they are.
 *
 * @param value Any value.
 * @returns The value itself if it is none of these.
 */
export function toPlain(value: unknown): unknown {
  return isPlainValue(value) ? value : plainCollection(value);
}

/** Responds with a value as JSON; one that JSON cannot hold, such as a circle, is an error that names the method. */
export function writeJSON(ctx: Context, value: unknown): undefined {
  try {
    ctx.JSON(value);
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/**
 * Names the method in what the platform throws on a value that has no text, such as a circle. Errors of the program's
 * own, from a `toJSON` or an iterator, stay as they are.
 */
export function named(ctx: Context, thrown: unknown): unknown {
  const isOfPlatform = thrown instanceof TypeError || thrown instanceof RangeError;
  return isOfPlatform ? unsendable(ctx, `it cannot be written: ${thrown.message.split("\n", 1)[0]}`, thrown) : thrown;
}

/**
 * The error about a value that cannot be sent.
 *
 * @param ctx The request, whose route names the method.
 * @param reason Why not.
 * @param cause What was thrown, if anything was.
 */
export function unsendable(ctx: Context, reason: string, cause?: unknown): FrameworkError {
  const route = ctx.GetCurrentRoute();
  const owner = route?.Action === undefined ? `${ctx.Method()} ${ctx.Path()}` : `${route.Controller}.${route.Action}`;
  return new FrameworkError("FW_RETURN", `Cannot respond with what "${owner}" returned: ${reason}`, { cause });
}
