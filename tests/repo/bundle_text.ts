/**
 * What becomes of the text of modules in the bundle.
 *
 * @module
 */

import { minify } from "npm:terser@^5.44.1";
import ts from "npm:typescript@6.0.3";

/**
 * Takes the types and the comments out of a module.
 *
 * @param text Its text in TypeScript.
 * @returns Its text in JavaScript.
 */
export function withoutTypes(text: string): string {
  const { ESNext } = ts.ScriptTarget;
  return ts.transpileModule(text, {
    compilerOptions: { target: ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, removeComments: true },
  }).outputText;
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
 * Takes out what Deno would only read and hash: blanks and long names of local variables. Functions and classes keep
 * their names, and lines stay short, for stack traces; a character beyond ASCII would double the text in memory.
 *
 * @param text A file of the bundle.
 * @returns The shorter file.
 */
export async function shorten(text: string): Promise<string> {
  const { code } = await minify(text, {
    module: true,
    compress: false,
    mangle: true,
    keep_classnames: true,
    keep_fnames: true,
    format: { max_line_len: 120, ascii_only: true, comments: /^!|@ts-self-types/ },
  });
  return code ?? text;
}
