/**
 * Writes problem details in the format that the client prefers: JSON, XML or text.
 *
 * @module
 */

import type { ProblemObject } from "../headers/problem.ts";
import { statusText } from "../../base/errors/errors.ts";
import { chooseType, prefersType } from "../headers/accept.ts";
import { toJSON } from "../../base/text/json.ts";
import { type Draft, varyBy, writeDocument } from "./draft.ts";

const json = "application/problem+json";
const xml = "application/problem+xml";

/** The content type for each accepted type. A client without a preference gets JSON. */
const forms: Readonly<Record<string, string>> = {
  [json]: json,
  "application/json": json,
  [xml]: xml,
  "application/xml": xml,
  "text/xml": xml,
};

/**
 * Writes a problem as the whole body.
 *
 * @param draft The response.
 * @param problem The problem.
 * @param accept The `Accept` header, or an empty string if it is missing.
 */
export function writeProblem(draft: Draft, problem: ProblemObject, accept: string): void {
  const { type, title, ...rest } = problem;
  // A handler may have chosen another status than that of the error. The title of "about:blank" is that of the status.
  const isOwnTitle = problem["status"] === draft.status || type !== "about:blank";
  const ordered = {
    type,
    title: (isOwnTitle ? title : undefined) ?? statusText(draft.status),
    ...rest,
    status: draft.status,
  };
  varyBy(draft, "Accept");
  const form = forms[chooseType(accept, Object.keys(forms))] ?? json;
  writeDocument(draft, form === xml ? toXML(ordered) : toJSON(ordered), form);
}

/** Reports whether a client prefers JSON to text. If so, errors without details are sent as problems too. */
export function prefersProblem(accept: string): boolean {
  return chooseType(accept, ["text/plain", "text/html", json, "application/json"]).endsWith("json");
}

/**
 * Reports whether a client that asks for JSON would receive a page instead.
 *
 * @param accept The `Accept` header, or an empty string if it is missing.
 * @param type The content type of the page.
 */
export function prefersProblemTo(accept: string, type: string): boolean {
  if (/^[^;]*[/+]json\s*(?:;|$)/i.test(type)) return false;
  return prefersType(accept, json, type) || prefersType(accept, "application/json", type);
}

function toXML(problem: ProblemObject): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<problem xmlns="urn:ietf:rfc:7807">${inner(problem)}</problem>`;
}

/** Serializes members as XML elements, and array items as elements named `i` (RFC 9457, appendix B). */
function inner(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `<i>${inner(item)}</i>`).join("");
  if (typeof value !== "object" || value === null) return escaped(String(value ?? ""));
  return Object.entries(value).filter(([name, item]) => isName(name) && item !== undefined)
    .map(([name, item]) => `<${name}>${inner(item)}</${name}>`).join("");
}

function isName(name: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(name);
}

function escaped(text: string): string {
  // deno-lint-ignore no-control-regex -- XML cannot represent control characters, so they are removed
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "").replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
