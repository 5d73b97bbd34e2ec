/**
 * Parsing of path templates such as `/user/{id:int min(1) else 400}`.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { misspelled } from "../../base/text/near_names.ts";
import { innerSlash, restoreSlashes } from "../../base/text/path_value.ts";
import { readArguments } from "./arguments.ts";
import type { Check } from "./functions.ts";
import { findFunction, hasFunction, kindOf, type Macros, typeNames, typeOf } from "./macros.ts";
import type { ParamType } from "./types.ts";
import { Scanner } from "./scanner.ts";

/** A segment that matches its own text. */
export interface StaticSegment {
  /** Discriminates static segments from parameters. */
  readonly kind: "static";
  /** The decoded text, without the slashes around it. */
  readonly text: string;
}

/** A segment that matches a value. */
export interface ParamSegment {
  /** Discriminates parameters from static segments. */
  readonly kind: "param";
  /** The parameter's name. */
  readonly name: string;
  /** The parameter's type. */
  readonly type: ParamType;
  /**
   * The type's rank, reduced by less than 1 if there are functions. If two parameters are at the same position, the one
   * with the lower rank is tried first.
   */
  readonly rank: number;
  /** The functions to apply to values accepted by the type. */
  readonly checks: readonly ((value: string) => boolean)[];
  /** The status code for rejected values. Defaults to 404 if the template does not contain `else`. */
  readonly elseCode: number;
  /**
   * A string that identifies the type and the functions. No request can distinguish two parameters with the same key.
   */
  readonly key: string;
  /** The literal text after the value, such as `.json` in `{id:int}.json`. Usually empty. */
  readonly suffix: string;
  /** The type's test combined with all functions, for the value without the suffix. */
  readonly acceptValue: (text: string, start: number, end: number) => boolean;
  /** The test for the whole segment, including the suffix. */
  readonly accept: (text: string, start: number, end: number) => boolean;
  /** Whether the parameter matches the rest of the path. */
  readonly trailing: boolean;
}

/** A part of a template between slashes. */
export type Segment = StaticSegment | ParamSegment;

/** A parsed path template. */
export interface Template {
  /** The template's source. */
  readonly source: string;
  /** The template's segments. The template `/` has none. */
  readonly segments: readonly Segment[];
  /** The parameter names, in order. */
  readonly names: readonly string[];
}

const NOT_FOUND = 404;

/** Throws if a path template is not a string. */
export function checkPath(path: string): void {
  if (typeof path === "string") return;
  throw new FrameworkError("FW_TEMPLATE", `Cannot parse path template "${String(path)}": it is not a string`);
}

/**
 * Parses a path template.
 *
 * @param source The template. The leading slash is optional, and repeated or trailing slashes are ignored.
 * @param macros The types and functions that the template may use.
 * @throws {FrameworkError} If the template is invalid.
 */
export function parseTemplate(source: string, macros: Macros): Template {
  checkPath(source);
  const scanner = new Scanner(source);
  const segments: Segment[] = [];
  const names: string[] = [];
  while (!scanner.ended()) {
    if (scanner.take("/")) continue;
    const last = segments.at(-1);
    if (last?.kind === "param" && last.trailing) {
      throw notLast(scanner, last);
    }
    if (scanner.peek() !== "{") {
      segments.push(readStatic(scanner));
      continue;
    }
    const segment = readParam(scanner, macros, names);
    names.push(segment.name);
    segments.push(withSuffix(segment, readSuffix(scanner, segment)));
  }
  return { source, segments, names };
}

/**
 * Parses a path template below a prefix that has already been parsed. Applications often repeat such paths, so each one
 * is parsed only once.
 *
 * @param prefix The parsed prefix.
 * @param path The path below the prefix, as {@linkcode joinPaths} would append it.
 * @param whole The joined template.
 * @param macros The types and functions that the template may use.
 */
export function parseBelow(prefix: Template, path: string, whole: string, macros: Macros): Template {
  const own = readOnce(path, macros);
  const last = prefix.segments.at(-1);
  const hasNames = prefix.names.length > 0;
  const isApart = own !== undefined && !(last?.kind === "param" && last.trailing) &&
    !(hasNames && own.names.some((name) => prefix.names.includes(name)));
  // Parse the whole template, so that errors report the right columns.
  if (!isApart) return parseTemplate(whole, macros);
  return {
    source: whole,
    segments: prefix.segments.concat(own.segments),
    names: hasNames ? prefix.names.concat(own.names) : own.names,
  };
}

const known = new WeakMap<Macros, Map<string, Template>>();

/**
 * Parses and caches a template without functions. Returns `undefined` for templates with functions, which are built for
 * each use, and for invalid templates.
 */
function readOnce(path: string, macros: Macros): Template | undefined {
  if (typeof path !== "string" || path.includes("(")) return undefined;
  let templates = known.get(macros);
  if (templates === undefined) known.set(macros, templates = new Map());
  let template = templates.get(path);
  if (template === undefined) {
    try {
      templates.set(path, template = parseTemplate(path, macros));
    } catch {
      return undefined;
    }
  }
  return template;
}

function readStatic(scanner: Scanner): StaticSegment {
  return { kind: "static", text: readText(scanner, "a parameter must fill its whole segment: text comes before it") };
}

/** Reads the literal text until the end of the segment. The message is for a parameter in it. */
function readText(scanner: Scanner, message: string): string {
  const start = scanner.at;
  const text = scanner.until("/{}?#");
  const stop = scanner.peek();
  if (stop === "{") throw scanner.fail(message);
  if (stop === "}") throw scanner.fail('"}" without "{"');
  if (stop === "?" || stop === "#") throw scanner.fail(`a path cannot contain "${stop}"`);
  return decode(scanner, text, start);
}

/** Reads the literal text between a parameter and the end of its segment. */
function readSuffix(scanner: Scanner, segment: ParamSegment): string {
  if (scanner.ended() || scanner.peek() === "/") return "";
  if (segment.trailing) throw notLast(scanner, segment);
  return readText(scanner, "a segment can have only one parameter");
}

function notLast(scanner: Scanner, { name }: ParamSegment): FrameworkError {
  return scanner.fail(`nothing may follow "{${name}}", which matches the rest of the path,`);
}

/** Returns a parameter that is followed by literal text in its segment. */
export function withSuffix(segment: ParamSegment, text: string): ParamSegment {
  if (text === segment.suffix) return segment;
  const suffix = text.replaceAll("/", innerSlash);
  const { acceptValue } = segment;
  return {
    ...segment,
    suffix: text,
    key: `${keyOf(segment)} +${encodeURIComponent(text.toWellFormed())}`,
    accept: (text, start, end) => {
      const border = end - suffix.length;
      return border > start && text.endsWith(suffix, end) && acceptValue(text, start, border);
    },
  };
}

/** Returns the key of a parameter without its suffix. It contains the type and the functions. */
export function keyOf({ key, suffix }: ParamSegment): string {
  return suffix === "" ? key : key.slice(0, key.lastIndexOf(" +"));
}

/** Decodes each run of escape sequences separately, so that an error reports the column of the invalid one. */
function decode(scanner: Scanner, text: string, start: number): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+|%.{0,2}/gs, (run: string, offset: number) => {
    try {
      return decodeURIComponent(run);
    } catch {
      throw scanner.fail(`malformed escape "${run}"`, start + offset);
    }
  });
}

function readParam(scanner: Scanner, macros: Macros, names: readonly string[]): ParamSegment {
  const open = scanner.at++;
  scanner.skipSpaces();
  const nameAt = scanner.at;
  const name = scanner.name();
  if (name === "") throw unexpected(scanner, open, "a parameter needs a name", nameAt);
  if (names.includes(name)) throw scanner.fail(`parameter "${name}" occurs twice`, nameAt);
  scanner.skipSpaces();
  const type = readType(scanner, macros, open);
  const checks = readFunctions(scanner, macros, type);
  const elseCode = readElse(scanner);
  if (!scanner.take("}")) {
    throw unexpected(scanner, open, `expected "}" but found "${scanner.peek()}"`);
  }
  const tests = checks.map((check) => check.test);
  const accept = acceptAll(type, tests);
  return {
    kind: "param",
    name,
    type,
    rank: rankOf(type, checks),
    checks: tests,
    elseCode,
    key: [type.Name, ...checks.map((check) => check.key).sort()].join(" "),
    suffix: "",
    acceptValue: accept,
    accept,
    trailing: type.Trailing === true,
  };
}

function readType(scanner: Scanner, macros: Macros, open: number): ParamType {
  let name = "string";
  let at = scanner.at;
  if (scanner.take(":")) {
    scanner.skipSpaces();
    at = scanner.at;
    name = scanner.name();
    if (name === "") {
      throw unexpected(scanner, open, 'a parameter type must follow ":"', at);
    }
  }
  const type = typeOf(macros, name);
  if (type !== undefined) return type;
  const meant = misspelled(name, typeNames(macros));
  const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
  throw scanner.fail(`unknown parameter type "${name}"${hint}`, at);
}

function readFunctions(scanner: Scanner, macros: Macros, type: ParamType): Check[] {
  const checks: Check[] = [];
  for (;;) {
    scanner.skipSpaces();
    const at = scanner.at;
    const name = scanner.name();
    if (name === "" || name === "else") {
      scanner.at = at;
      return checks;
    }
    const row = findFunction(macros, type.Name, name);
    if (row === undefined) {
      const known = hasFunction(macros, name);
      throw scanner.fail(
        known ? `function "${name}" is not available for type "${type.Name}"` : `unknown function "${name}"`,
        at,
      );
    }
    if (!scanner.take("(")) throw scanner.fail(`function "${name}" must be followed by "("`);
    const args = readArguments(scanner, row.reading);
    let check: Check | undefined;
    try {
      if (args.length >= row.count[0] && args.length <= row.count[1]) {
        // Only functions that accept lists are read in the mode that returns them.
        check = row.build(args as readonly string[], kindOf(macros, type.Name));
      }
    } catch (cause) {
      throw scanner.fail(`function "${name}" rejects its arguments (${messageOf(cause)})`, at, { cause });
    }
    if (check === undefined) throw scanner.fail(`function "${name}" takes ${row.takes}`, at);
    const { key } = check;
    if (!checks.some((other) => other.key === key)) checks.push(check);
  }
}

function readElse(scanner: Scanner): number {
  if (!scanner.take("else")) return NOT_FOUND;
  scanner.skipSpaces();
  const at = scanner.at;
  const word = scanner.name();
  const code = /^[0-9]{3}$/.test(word) ? Number(word) : 0;
  if (code < 400 || code > 599) throw scanner.fail('a status from 400 to 599 must follow "else"', at);
  scanner.skipSpaces();
  return code;
}

/**
 * Returns the type's rank, reduced by less than 1 for its functions, so that the order of built-in types does not
 * change.
 */
function rankOf(type: ParamType, checks: readonly Check[]): number {
  let width = 1;
  for (const check of checks) width *= check.width;
  return (type.Rank ?? 500) - 1 + width;
}

function acceptAll(type: ParamType, tests: readonly ((value: string) => boolean)[]): ParamSegment["accept"] {
  const accept = type.Test;
  if (tests.length === 0) return accept;
  return (text, start, end) => {
    if (!accept(text, start, end)) return false;
    const value = restoreSlashes(text.slice(start, end));
    for (const test of tests) {
      if (!test(value)) return false;
    }
    return true;
  };
}

/** Returns the error for text that cannot follow, or for a parameter that is not closed. */
function unexpected(scanner: Scanner, open: number, message: string, at?: number): FrameworkError {
  return scanner.ended() ? scanner.fail('"{" is not closed', open) : scanner.fail(message, at);
}
