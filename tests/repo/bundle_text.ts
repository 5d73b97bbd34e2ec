/**
 * What becomes of the text of modules in the bundle.
 *
 * @module
 */

import { basename } from "@std/path";
import { minify, type MinifyOptions, type MinifyOutput } from "npm:terser@^5.44.1";
import ts from "npm:typescript@6.0.3";
import { mangleLocals } from "./bundle_names.ts";

/** Code and its source map. */
export interface MappedCode {
  readonly code: string;
  readonly map: string;
}

/**
 * Takes the types and the comments out of a module.
 *
 * @param text Its text in TypeScript.
 * @param url Its URL, of which the map names the last part.
 * @returns Its text in JavaScript.
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
 * Keeps of the standard library's media types those that the name of a file can lead to, which is all that fw asks for:
 * a quarter of them, and all together they are as long as fw.
 *
 * @param text The module that exports the table, in JavaScript.
 * @returns The module with the shorter table.
 */
export async function withExtensions(text: string): Promise<string> {
  const { default: types } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const kept = Object.entries<{ extensions?: unknown }>(types).filter(([, type]) => type.extensions !== undefined);
  return `export default ${JSON.stringify(Object.fromEntries(kept))};`;
}

/**
 * Takes out what Deno would only read and hash: blanks and long names of local variables. Functions, classes and their
 * private methods keep their names, and lines stay short, for stack traces; a character beyond ASCII would double the
 * text in memory.
 *
 * @param text A file of the bundle.
 * @returns The shorter file.
 */
export async function shorten(text: string): Promise<MappedCode> {
  const plain: MinifyOptions = { module: true, compress: false, mangle: false };
  // Neither terser's types nor its documentation tell all of this, but it is how terser itself is taken apart.
  const parsed = { ...plain, format: { ast: true, code: false } } as MinifyOptions;
  const { ast } = await minify(withNames(text), parsed) as MinifyOutput & { ast: unknown };
  mangleLocals(ast);
  const { code = "", map } = await minify(ast as string, {
    ...plain,
    sourceMap: { asObject: false },
    format: { max_line_len: 120, ascii_only: true, comments: /^!|@ts-self-types/ },
  });
  return { code: code.replace(/\/\/# sourceMappingURL=.*\s*$/, ""), map: String(map) };
}

/** Gives functions and classes their names back, which rollup numbers where modules share one, as `New`. */
function withNames(text: string): string {
  const renamed = [...text.matchAll(/^(?:(?:async )?function\*?|class) (([A-Za-z]\w*)\$\d+)\b/gm)];
  if (renamed.length === 0) return text;
  const pairs = renamed.map(([, now, name]) => `[${now}, "${name}"]`).join(", ");
  return `${text}\nfor (const [value, name] of [${pairs}]) Object.defineProperty(value, "name", { value: name, ` +
    "configurable: true });\n";
}
