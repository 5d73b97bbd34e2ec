/**
 * Transforms the source code of modules for the bundle.
 *
 * @module
 */

import { typeByExtension } from "@std/media-types";
import { stripTypeScriptTypes } from "node:module";
import MagicString from "npm:magic-string@^0.30.21";
import { minify, parse, Visitor } from "npm:rolldown@1.0.3/utils";

/**
 * Removes the types of a module. Spaces take their place, so that every line and column stays the same.
 *
 * @param text The TypeScript source.
 * @returns The JavaScript code.
 */
export function withoutTypes(text: string): string {
  return stripTypeScriptTypes(text);
}

/**
 * Shortens the standard library's table of media types, which is as large as fw, to the types that its lookup returns
 * for a file extension. They become one string, which Deno reads at every start but which is only taken apart with the
 * first file. In it, a type begins with the number of characters that it shares with the previous type.
 *
 * @param text The JavaScript module that exports the table.
 * @returns The module with the shorter table.
 */
export async function withExtensions(text: string): Promise<string> {
  const { default: types } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const rows = Object.entries<MediaType>(types).flatMap(([type, { charset, extensions = [] }]) => {
    const own = extensions.filter((extension) => (typeByExtension(extension) ?? type) === type);
    return own.length === 0 ? [] : [{ type, rest: (charset === undefined ? "" : "*") + own.join() }];
  }).sort((a, b) => a.type < b.type ? -1 : 1);
  const table = rows.map(({ type, rest }, at) => {
    const shared = sharedLength(rows[at - 1]?.type ?? "", type);
    return `${shared.toString(36)}${type.slice(shared)},${rest}`;
  });
  return `let type = "";
export default Object.fromEntries(${JSON.stringify(table.join(";"))}.split(";").map((row) => {
  const [name, ...extensions] = row.replace("*", "").split(",");
  type = type.slice(0, parseInt(name[0], 36)) + name.slice(1);
  return [type, { charset: row.includes("*") ? "UTF-8" : undefined, extensions }];
}));`;
}

/** Returns the number of characters that two strings share at their start, which must be a single digit. */
function sharedLength(before: string, type: string): number {
  const most = Math.min(before.length, type.length, 35);
  let at = 0;
  while (at < most && before[at] === type[at]) at++;
  return at;
}

/** A row of the standard library's table. */
interface MediaType {
  readonly charset?: string;
  readonly extensions?: readonly string[];
}

/** Code and its source map. */
export interface MappedCode {
  readonly code: string;
  readonly map: string;
}

/**
 * Removes whitespace and comments and shortens the names of variables, because Deno reads and hashes everything.
 * Classes keep their names, and so do functions, for the sake of stack traces, unless stated otherwise.
 *
 * @param text A file of the bundle, or a module.
 * @param names Which names are kept.
 * @returns The shorter file.
 */
export async function shorten(text: string, names: { readonly functions?: boolean } = {}): Promise<MappedCode> {
  const keepNames = { function: names.functions ?? true, class: true };
  const { code, map, errors } = await minify("chunk.js", text, {
    module: true,
    compress: { keepNames },
    mangle: { toplevel: true, keepNames },
    sourcemap: true,
  });
  if (errors.length > 0) throw new Error(`Cannot shorten a file: ${errors[0]?.message}`);
  return { code, map: JSON.stringify(map) };
}

/**
 * Adds a comment at the beginning of a file, shortens the names of private fields (13 kilobytes of 718), and escapes
 * non-ASCII characters, which would double the size of the code in memory.
 *
 * @param code A file of the bundle.
 * @param comment The comment.
 * @returns The file.
 */
export async function finish(code: string, comment: string): Promise<MappedCode> {
  const text = new MagicString(code).prepend(comment);
  for (const { start, end, name } of await shortFields(code)) text.overwrite(start, end, `#${name}`);
  for (const { 0: unit, index } of code.matchAll(/[^\0-\x7f]/g)) {
    text.overwrite(index, index + 1, `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
  return { code: text.toString(), map: text.generateMap({ hires: "boundary" }).toString() };
}

/** Finds the names of private fields and shortens them. Private methods keep theirs, which appear in stack traces. */
async function shortFields(code: string): Promise<{ start: number; end: number; name: string }[]> {
  const found: { start: number; end: number; name: string }[] = [];
  const methods = new Set<string>();
  new Visitor({
    PrivateIdentifier: (node) => found.push(node),
    MethodDefinition: ({ key }) => key.type === "PrivateIdentifier" && methods.add(key.name),
  }).visit((await parse("chunk.js", code)).program);
  const uses = [...Map.groupBy(found, ({ name }) => name)].filter(([name]) => !methods.has(name));
  const names = Array.from({ length: found.length }, (_, at) => letters[at % 52] + (at < 52 ? "" : `${at / 52 | 0}`))
    .filter((name) => !methods.has(name));
  return uses.toSorted(([, a], [, b]) => b.length - a.length).flatMap(([, nodes], at) =>
    nodes.map(({ start, end }) => ({ start, end, name: names[at] ?? "" }))
  );
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Turns the functions and classes of a file into named expressions. Their variables then get short names, and stack
 * traces contain the names of the sources, even if several modules use one name and Rollup added a number to it.
 * Functions move to the beginning of the file, because declarations can be used before their positions.
 */
export async function withNames(text: string): Promise<MappedCode> {
  const code = new MagicString(text);
  const { program } = await parse("chunk.js", text);
  const uses = new Map<string, number[]>();
  new Visitor({ Identifier: ({ name, start }) => uses.getOrInsertComputed(name, () => []).push(start) }).visit(program);
  const top = Math.max(0, ...program.body.filter(({ type }) => type === "ImportDeclaration").map(({ end }) => end));
  for (const node of program.body) {
    if ((node.type !== "FunctionDeclaration" && node.type !== "ClassDeclaration") || node.id === null) continue;
    const { start, end, id } = node;
    const [plain] = id.name.split("$", 1);
    // The number stays if the code refers to itself, or to something else by the name without it.
    const isUsed = [plain ?? "", id.name].some((name) => uses.get(name)?.some((at) => at > id.start && at < end));
    if (plain !== "" && plain !== undefined && !isUsed) code.overwrite(id.start, id.end, plain);
    // A variable with `var` is not checked at each access for whether it has a value already.
    code.appendRight(start, `var ${id.name}=`).appendLeft(end, ";\n");
    if (node.type === "FunctionDeclaration" && start > top) code.move(start, end, top);
  }
  code.appendLeft(top, ";\n");
  return { code: code.toString(), map: code.generateMap({ hires: "boundary" }).toString() };
}
