/**
 * Reads a path template such as `/user/{id:int min(1) else 400}` into its segments.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { restoreSlashes } from "../base/inner_slash.ts";
import { messageOf } from "../base/to_error.ts";
import { readArguments } from "./arguments.ts";
import type { Check } from "./functions.ts";
import { findFunction, kindOf, knowsFunction, type Macros } from "./macros.ts";
import type { ParamType } from "./param_type.ts";
import { Scanner } from "./scanner.ts";

/** A segment that matches its own text. */
export interface StaticSegment {
  /** Tells the two sorts of segment apart. */
  readonly kind: "static";
  /** The decoded text, without the slashes around it. */
  readonly text: string;
}

/** A segment that takes a value. */
export interface ParamSegment {
  /** Tells the two sorts of segment apart. */
  readonly kind: "param";
  /** The parameter's name. */
  readonly name: string;
  /** Its type. */
  readonly type: ParamType;
  /** The type's rank, less a share of 1 for its functions: of two parameters at one place the lower is tried first. */
  readonly rank: number;
  /** Its functions, to run on a value that the type accepts. */
  readonly checks: readonly ((value: string) => boolean)[];
  /** The status when a value is refused: 404 unless the template says `else`. */
  readonly elseCode: number;
  /** Type and functions as one text; no request tells two parameters with equal keys apart. */
  readonly key: string;
  /** The type's test and all functions in one. */
  readonly accept: (text: string, start: number, end: number) => boolean;
  /** Whether it takes the rest of the path. */
  readonly trailing: boolean;
}

/** One part of a template between slashes. */
export type Segment = StaticSegment | ParamSegment;

/** A path template, read. */
export interface Template {
  /** The template as it was given. */
  readonly source: string;
  /** Its segments; `/` has none. */
  readonly segments: readonly Segment[];
  /** The names of its parameters, in order. */
  readonly names: readonly string[];
}

const NOT_FOUND = 404;

/**
 * Reads a path template.
 *
 * @param source The template; a leading slash may be omitted, repeated and trailing slashes do not count.
 * @param macros The types and functions that it may use.
 */
export function parseTemplate(source: string, macros: Macros): Template {
  if (typeof source !== "string") {
    throw new FrameworkError("FW_TEMPLATE", `Cannot read path template "${String(source)}": it is not a string`);
  }
  const scanner = new Scanner(source);
  const segments: Segment[] = [];
  const names: string[] = [];
  while (!scanner.ended()) {
    if (scanner.take("/")) continue;
    const start = scanner.at;
    const last = segments.at(-1);
    if (last?.kind === "param" && last.trailing) {
      throw scanner.fail(`nothing may follow "{${last.name}}", which takes the rest of the path,`, start);
    }
    if (scanner.peek() !== "{") {
      segments.push(readStatic(scanner));
      continue;
    }
    const segment = readParam(scanner, macros, names);
    names.push(segment.name);
    segments.push(segment);
    if (!scanner.ended() && scanner.peek() !== "/") {
      throw scanner.fail("a parameter must fill its whole segment: text follows it");
    }
  }
  return { source, segments, names };
}

/**
 * Reads a path template below a prefix that is read already. Most paths below a prefix are written in many places, and
 * each is read once.
 *
 * @param prefix The prefix.
 * @param path The path below it, as {@linkcode joinPaths} would put it there.
 * @param whole Both, joined.
 * @param macros The types and functions that they may use.
 */
export function parseBelow(prefix: Template, path: string, whole: string, macros: Macros): Template {
  const own = readOnce(path, macros);
  const last = prefix.segments.at(-1);
  const hasNames = prefix.names.length > 0;
  const isApart = own !== undefined && !(last?.kind === "param" && last.trailing) &&
    !(hasNames && own.names.some((name) => prefix.names.includes(name)));
  // What is wrong is told with its column in the whole.
  if (!isApart) return parseTemplate(whole, macros);
  return {
    source: whole,
    segments: prefix.segments.concat(own.segments),
    names: hasNames ? prefix.names.concat(own.names) : own.names,
  };
}

const known = new WeakMap<Macros, Map<string, Template>>();

/** A template without functions, which are built for each use; `undefined` for others, and for what is wrong. */
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
  const start = scanner.at;
  const text = scanner.until("/{}?#");
  const stop = scanner.peek();
  if (stop === "{") throw scanner.fail("a parameter must fill its whole segment: text comes before it");
  if (stop === "}") throw scanner.fail('"}" without "{"');
  if (stop === "?" || stop === "#") throw scanner.fail(`a path cannot hold "${stop}"`);
  return { kind: "static", text: decode(scanner, text, start) };
}

/** Decodes each run of escapes by itself, so that the error names the column of the bad one. */
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
  if (name === "") throw scanner.ended() ? unclosed(scanner, open) : scanner.fail("a parameter needs a name", nameAt);
  if (names.includes(name)) throw scanner.fail(`parameter "${name}" occurs twice`, nameAt);
  scanner.skipSpaces();
  const type = readType(scanner, macros, open);
  const checks = readFunctions(scanner, macros, type);
  const elseCode = readElse(scanner);
  if (!scanner.take("}")) {
    throw scanner.ended() ? unclosed(scanner, open) : scanner.fail(`expected "}" but found "${scanner.peek()}"`);
  }
  const tests = checks.map((check) => check.test);
  return {
    kind: "param",
    name,
    type,
    rank: rankOf(type, checks),
    checks: tests,
    elseCode,
    key: [type.Name, ...checks.map((check) => check.key).sort()].join(" "),
    accept: acceptAll(type, tests),
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
      throw scanner.ended() ? unclosed(scanner, open) : scanner.fail('a parameter type must follow ":"', at);
    }
  }
  const type = macros.Get(name);
  if (type === undefined) throw scanner.fail(`unknown parameter type "${name}"`, at);
  return type;
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
      const known = knowsFunction(macros, name);
      throw scanner.fail(
        known ? `function "${name}" is not for type "${type.Name}"` : `unknown function "${name}"`,
        at,
      );
    }
    if (!scanner.take("(")) throw scanner.fail(`"(" must follow function "${name}"`);
    const args = readArguments(scanner, row.reading);
    let check: Check | undefined;
    try {
      if (args.length >= row.count[0] && args.length <= row.count[1]) {
        check = row.build(args, kindOf(macros, type.Name));
      }
    } catch (cause) {
      throw scanner.fail(`function "${name}" refuses its arguments (${messageOf(cause)})`, at, { cause });
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

/** Narrows a type's rank by its functions, by less than 1, so that no built-in type passes another. */
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

function unclosed(scanner: Scanner, open: number): FrameworkError {
  return scanner.fail('"{" is not closed', open);
}
