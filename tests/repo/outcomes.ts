/**
 * Checks the results shown in documentation examples. A result is written as a statement, an arrow and the value, as in
 * `1 + 1; // → 2`. A test turns each result into an assertion, so that readers do not need to know an assertion
 * library.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative, SEPARATOR } from "@std/path";
import { blocksOf } from "../book/markdown.ts";
import { pageFiles, placeOf } from "../book/pages.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
/** The code blocks that `deno test --doc` would run as well. */
const runs = /^(?:[cm]?[jt]s|[jt]sx|javascript|typescript)\b(?!.*\bignore\b)/;
const shown = /^( *)(.*); \/\/ → (.*)$/gm;

/** A documentation example. */
export interface Example {
  /** The file and the line where the example begins. */
  readonly where: string;
  readonly code: string;
}

/** Lists the examples in the README, the book, and the comments of all published modules. */
export async function examples(): Promise<Example[]> {
  const pages = (await pageFiles()).filter((file) => placeOf(file).kind !== "howto");
  return await read(["README.md", "mod.ts", ...pages, ...await filesIn(["src", "mvc"], ["ts"])]);
}

/** Lists all examples, including those on how-to pages and next to programs, which need not show a result. */
export async function allExamples(): Promise<Example[]> {
  const files = await filesIn([".github", "src", "mvc", "examples"], ["ts", "tsx", "md"]);
  return await read(["README.md", "CHANGELOG.md", "mod.ts", ...files]);
}

/** Lists the files in some folders. Their paths have slashes, as those of pages. */
async function filesIn(folders: readonly string[], exts: string[]): Promise<string[]> {
  const files = folders.map((folder) => Array.fromAsync(walk(join(root, folder), { includeDirs: false, exts })));
  return (await Promise.all(files)).flat().map(({ path }) => relative(root, path).replaceAll(SEPARATOR, "/"));
}

async function read(files: readonly string[]): Promise<Example[]> {
  const found = files.toSorted().map(async (file) => examplesOf(await Deno.readTextFile(join(root, file)), file));
  return (await Promise.all(found)).flat();
}

/** Lists the examples in a Markdown text, or in a module whose comments are Markdown. */
export function examplesOf(text: string, file: string): Example[] {
  const markdown = file.endsWith(".md") ? text : text.replace(/^ *\* ?/gm, "");
  return blocksOf(markdown).filter(({ info }) => runs.test(info)).map(({ code, line }) => {
    return { where: `${file}:${line}`, code };
  });
}

/** Turns the results of an example into assertions. Returns `undefined` if the example shows none. */
export function assertOutcomes(code: string): string | undefined {
  const asserted = code.replaceAll(shown, "$1expectOutcome($2, $3);");
  return asserted === code ? undefined : `import { assertEquals as expectOutcome } from "@std/assert";\n${asserted}`;
}

/** Runs a program in this process. */
export async function runProgram(code: string): Promise<void> {
  // The program is not in a file, so the root of the repository is used as its folder.
  const placed = code.replaceAll("import.meta.url", JSON.stringify(new URL("../../main.ts", import.meta.url).href));
  const url = URL.createObjectURL(new Blob([placed], { type: "application/typescript" }));
  try {
    await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
