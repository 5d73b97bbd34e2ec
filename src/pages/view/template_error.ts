/**
 * Creates template errors with the file, the line and an excerpt for the log.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import type { Template } from "../engine/template_parts.ts";

/** A line of a template. */
export interface TemplatePlace {
  /** The template's path. */
  readonly file: string;
  /** The line number, starting at 1. */
  readonly line: number;
  /** The template's source. */
  readonly source: string;
}

const places = new WeakMap<Error, TemplatePlace>();

/** Records the location of an error and returns the error. */
function notePlace<E extends Error>(error: E, place: TemplatePlace): E {
  places.set(error, place);
  return error;
}

/** Returns the location of an error in a template, if it occurred in one. */
export function placeInTemplate(error: Error): TemplatePlace | undefined {
  return places.get(error);
}

const linesAround = 2;
const widest = 160;
const longestTrail = 8;
const trailMark = '\nincluded by "';

// `new Function` adds two lines before the code: the function header and the end of the parameter list.
const headLines = 2;

/** Creates the error for a template that cannot be compiled. */
export function compileFault(
  template: { readonly file: string; readonly source: string },
  line: number,
  error: unknown,
  reason: string = messageOf(error),
): FrameworkError {
  const fault = new FrameworkError(
    "FW_VIEW",
    `Cannot compile template "${template.file}" at line ${line}: ${reason}\n${excerpt(template.source, line)}`,
    { cause: error },
  );
  return notePlace(fault, { file: template.file, line, source: template.source });
}

/**
 * Creates the error for a template that failed during rendering.
 *
 * @param nearLine The line of the last value written, used if the stack trace does not lead to the template.
 */
export function renderFault(template: Template, nearLine: number, error: unknown): Error {
  // A function called by a template may reject the request. In that case, the error is a response rather than a
  // template error.
  if (error instanceof HTTPError) return error;
  const line = lineOf(template, error) ?? nearLine;
  if (error instanceof FrameworkError && error.Code === "FW_VIEW") return includedBy(template, line, error);
  const fault = new FrameworkError(
    "FW_VIEW",
    `Cannot render template "${template.file}" at line ${line}: ${messageOf(error)}\n${excerpt(template.source, line)}`,
    { cause: error },
  );
  return notePlace(fault, { file: template.file, line, source: template.source });
}

function includedBy(template: Template, line: number, error: FrameworkError): FrameworkError {
  // A partial that includes itself would otherwise cause an error message with thousands of lines.
  if (error.message.split(trailMark).length > longestTrail) return error;
  const message = `${error.message}${trailMark}${template.file}" at line ${line}`;
  // The error was caused by the innermost template. If a partial does not exist, it was caused by the line that
  // includes it.
  const place = placeInTemplate(error) ?? { file: template.file, line, source: template.source };
  return notePlace(new FrameworkError("FW_VIEW", message, { cause: error.cause }), place);
}

function lineOf(template: Template, error: unknown): number | undefined {
  if (!(error instanceof Error) || typeof error.stack !== "string") return undefined;
  const mark = `(${sourceURL(template.name)},`;
  for (const frame of error.stack.split("\n")) {
    const row = frame.includes(mark) ? frame.match(/:(\d+):\d+\)$/)?.[1] : undefined;
    // Row 0 contains the built-in functions, such as the one that includes a partial.
    const index = Number(row ?? 0) - headLines - 1;
    if (index > 0) return template.lines[index];
  }
  return undefined;
}

/** Returns the name of a template for stack traces. Spaces are replaced, because they would end the name. */
export function sourceURL(name: string): string {
  return encodeURI(name);
}

function excerpt(source: string, line: number): string {
  const rows = source.split(/\r?\n/);
  const first = Math.max(line - linesAround, 1);
  const last = Math.min(line + linesAround, rows.length);
  const width = String(last).length;
  let text = "";
  for (let row = first; row <= last; row++) {
    const content = (rows[row - 1] ?? "").slice(0, widest);
    text += `\n${row === line ? ">" : " "} ${String(row).padStart(width)} | ${content}`;
  }
  return text;
}
