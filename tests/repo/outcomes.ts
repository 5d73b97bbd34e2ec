/**
 * Checks the results shown in documentation examples. A result is written as a statement, an arrow and the value, as in
 * `1 + 1; // → 2`. A test turns each result into an assertion, so that readers do not need to know an assertion
 * library.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative } from "@std/path";
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
  const files = ["README.md", "mod.ts", ...(await pageFiles()).filter((file) => !isHowTo(file))];
  for (const folder of ["src", "mvc"]) {
    for await (const { path } of walk(join(root, folder), { includeDirs: false, exts: ["ts"] })) {
      files.push(relative(root, path));
    }
  }
  return (await Promise.all(files.sort().map(readExamples))).flat();
}

/** Lists all examples, including those on how-to pages and next to programs, which need not show a result. */
export async function allExamples(): Promise<Example[]> {
  const files = ["README.md", "CHANGELOG.md", "mod.ts"];
  for (const folder of [".github", "src", "mvc", "examples"]) {
    for await (const { path } of walk(join(root, folder), { includeDirs: false, exts: ["ts", "tsx", "md"] })) {
      files.push(relative(root, path));
    }
  }
  return (await Promise.all(files.sort().map(readExamples))).flat();
}

function isHowTo(file: string): boolean {
  return placeOf(file).kind === "howto";
}

async function readExamples(file: string): Promise<Example[]> {
  return examplesOf(await Deno.readTextFile(join(root, file)), file);
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
