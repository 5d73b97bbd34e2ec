/**
 * Transforms the source code of modules for the bundle.
 *
 * @module
 */

import { typeByExtension } from "@std/media-types";
import { basename } from "@std/path";
import { minify, type MinifyOptions, type MinifyOutput } from "npm:terser@^5.44.1";
import ts from "npm:typescript@6.0.3";
import { mangleFields, mangleLocals } from "./bundle_names.ts";

/** Code and its source map. */
export interface MappedCode {
  readonly code: string;
  readonly map: string;
}

/**
 * Removes the types and comments of a module.
 *
 * @param text The TypeScript source.
 * @param url The module's URL. The source map contains its last part.
 * @returns The JavaScript code.
 */
export function withoutTypes(text: string, url: string): MappedCode {
  const { outputText, sourceMapText = "" } = ts.transpileModule(text, {
    fileName: basename(url),
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      removeComments: true,
      sourceMap: true,
    },
  });
  return { code: outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, ""), map: sourceMapText };
}

/**
 * Shortens the standard library's table of media types, which is as large as fw, to the types that its lookup returns
 * for a file extension. They become one string per top-level type, which Deno reads at every start but which is only
 * taken apart with the first file.
 *
 * @param text The JavaScript module that exports the table.
 * @returns The module with the shorter table.
 */
export async function withExtensions(text: string): Promise<string> {
  const { default: types } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const rows = Object.entries<MediaType>(types).flatMap(([type, { charset, extensions = [] }]) => {
    const own = extensions.filter((extension) => (typeByExtension(extension) ?? type) === type);
    const [group = "", name = ""] = type.split("/");
    return own.length === 0 ? [] : [{ group, row: [(charset === undefined ? "" : "*") + name, ...own].join() }];
  });
  const groups = [...Map.groupBy(rows, ({ group }) => group)].map(([group, all]) => [
    group,
    all.map(({ row }) => row).join(";"),
  ]);
  return `export default Object.fromEntries(${
    JSON.stringify(groups)
  }.flatMap(([group, rows]) => rows.split(";").map((row) => {
  const [name, ...extensions] = row.split(",");
  const charset = name.startsWith("*") ? "UTF-8" : undefined;
  return [group + "/" + name.replace("*", ""), { charset, extensions }];
})));`;
}

/** A row of the standard library's table. */
interface MediaType {
  readonly charset?: string;
  readonly extensions?: readonly string[];
}

/** Functions are not inlined, and they keep their names, so that stack traces stay the same. */
const compress: MinifyOptions["compress"] = {
  ecma: 2020,
  inline: false,
  "keep_classnames": true,
  "keep_fnames": true,
  passes: 2,
  "reduce_funcs": false,
};

/**
 * Removes whitespace and shortens the names of local variables and private fields, because Deno reads and hashes
 * everything. Functions, classes and private methods keep their names, for the sake of stack traces. Non-ASCII
 * characters are escaped, because they would double the size of the code in memory.
 *
 * @param text A file of the bundle.
 * @returns The shorter file.
 */
export async function shorten(text: string): Promise<MappedCode> {
  const plain: MinifyOptions = { module: true, compress: false, mangle: false };
  // Terser's types and documentation do not describe this completely, but terser itself works this way.
  const parsed = { ...plain, compress, format: { ast: true, code: false } } as MinifyOptions;
  const { ast } = await minify(withNames(text), parsed) as MinifyOutput & { ast: unknown };
  mangleLocals(ast);
  mangleFields(ast);
  const { code = "", map } = await minify(ast as string, {
    ...plain,
    sourceMap: { asObject: false },
    format: { max_line_len: 1000, ascii_only: true, comments: /^!|@ts-self-types/ },
  });
  return { code: code.replace(/\/\/# sourceMappingURL=.*\s*$/, ""), map: String(map) };
}

/**
 * Restores the names of published functions and classes. Rollup adds a number to a name such as `New` if several modules
 * use it. Internal functions keep the number, because restoring a name takes time at every start.
 */
function withNames(text: string): string {
  const renamed = [...text.matchAll(/^(?:(?:async )?function\*?|class) (([A-Z]\w*)\$\d+)\b/gm)];
  if (renamed.length === 0) return text;
  const pairs = renamed.map(([, now, name]) => `[${now}, "${name}"]`).join(", ");
  return `${text}\nfor (const [value, name] of [${pairs}]) Object.defineProperty(value, "name", { value: name, ` +
    "configurable: true });\n";
}
