/**
 * Shortens the code of the bundle. Stack traces keep the names of functions, classes and private methods.
 *
 * @module
 */

import { typeByExtension } from "@std/media-types";
import type { RolldownMagicString } from "npm:rolldown@1.0.3";
import { minify, Visitor } from "npm:rolldown@1.0.3/utils";

/** A module whose importer computes its address, so that it is in no graph. The bundle has a separate file for it. */
export const unlisted = {
  importer: "src/core/app/inspect/development.ts",
  source: "src/core/app/dashboard/attach.ts",
  file: "development",
} as const;

/** A module of fw. */
export interface OwnModule {
  /** Its path in the package. */
  readonly path: string;
  /** The code without types. */
  readonly text: RolldownMagicString;
  /** The syntax tree of the code. */
  readonly program: Parameters<Visitor["visit"]>[0];
  /** The names of the functions that every start calls. */
  readonly called: ReadonlySet<string>;
}

/**
 * Rewrites a module, so that the bundle can shorten more of it.
 *
 * @param module The module. Its text is changed.
 */
export function rewrite({ path, text, program, called }: OwnModule): void {
  const fields = new Map<string, { start: number; end: number }[]>();
  const methods = new Set<string>();
  new Visitor({
    PrivateIdentifier: (node) => void fields.getOrInsertComputed(node.name, () => []).push(node),
    MethodDefinition: ({ key }) => void (key.type === "PrivateIdentifier" && methods.add(key.name)),
    // A module must be able to find its neighbors and to recognize fw's own stack frames, even though its code is in
    // another file now.
    MemberExpression({ object, start, end }) {
      if (object.type === "MetaProperty" && text.original.slice(start, end) === "import.meta.url") {
        text.overwrite(start, end, `new URL("../${path}",import.meta.url).href`);
      }
    },
    ImportExpression({ source: { start, end, type } }) {
      if (type !== "Literal" && path === unlisted.importer) {
        text.overwrite(start, end, `new URL("./${unlisted.file}.js",import.meta.url).href`);
      }
    },
  }).visit(program);
  // Private methods keep their names.
  const names = shortNames().filter((name) => !methods.has(name));
  for (const [name, nodes] of fields) {
    if (methods.has(name)) continue;
    const { value } = names.next();
    for (const { start, end } of nodes) text.overwrite(start, end, `#${value}`);
  }
  nameExpressions(text, program, called);
}

/** Yields the shortest names of private fields. */
function* shortNames(): Generator<string> {
  for (let at = 0;; at++) yield String.fromCharCode(97 + at % 26) + (at < 26 ? "" : Math.floor(at / 26));
}

/**
 * Turns functions and classes into named expressions. Their variables then get short names, and their own names remain,
 * even if several modules use the same. Functions move to the beginning of the module, because declarations can be used
 * before their positions. V8 compiles functions in parentheses together with their file, instead of on the first call.
 */
function nameExpressions(text: RolldownMagicString, program: OwnModule["program"], called: ReadonlySet<string>): void {
  const top = Math.max(0, ...program.body.filter(({ type }) => type === "ImportDeclaration").map(({ end }) => end));
  text.appendLeft(top, ";\n");
  for (const node of program.body) {
    const declared = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    if (declared?.type !== "FunctionDeclaration" && declared?.type !== "ClassDeclaration") continue;
    const name = declared.id?.name ?? "";
    const [open, close] = declared.type === "FunctionDeclaration" && called.has(name) ? ["(", ")"] : ["", ""];
    // A variable with `var` is not checked at each access for whether it has a value already.
    text.appendRight(declared.start, `var ${name}=${open}`).appendLeft(declared.end, `${close};\n`);
    if (declared.type === "FunctionDeclaration" && node.start > top) text.move(node.start, node.end, top);
  }
}

/**
 * Removes whitespace and comments and shortens the names of variables, because Deno reads and hashes everything.
 *
 * @param text A file of the bundle.
 * @returns The shorter file and its source map.
 */
export async function shorten(text: string): Promise<{ code: string; map: string }> {
  const keepNames = { function: true, class: true };
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
 * Shortens the standard library's table of media types, which is half as large as fw, to the types that its lookup
 * returns for a file extension. They become one string, in which each row begins with the number of characters that it
 * shares with the previous row.
 *
 * @param code The JavaScript module that exports the table.
 * @returns The module with the shorter table.
 */
export async function shortenTable(code: string): Promise<string> {
  const { default: types } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const rows = Object.entries<{ extensions?: readonly string[] }>(types).map(([type, { extensions = [] }]) =>
    [type, ...extensions.filter((each) => (typeByExtension(each) ?? type) === type)].join()
  ).filter((row) => row.includes(",")).sort();
  const table = rows.map((row, at) => {
    let shared = 0;
    while (shared < 35 && row[shared] === rows[at - 1]?.[shared]) shared++;
    return shared.toString(36) + row.slice(shared);
  });
  return `let row = "";
export default Object.fromEntries(${JSON.stringify(table.join(";"))}.split(";").map((next) => {
  row = row.slice(0, parseInt(next[0], 36)) + next.slice(1);
  const [type, ...extensions] = row.split(",");
  return [type, { extensions }];
}));`;
}
