/**
 * Checks the form of a page: its title, its search words, its length, its program, and its links.
 *
 * @module
 */

import { posix } from "node:path";
import { headingsOf, linksOf, withoutCode } from "./markdown.ts";
import { type Page, readText } from "./pages.ts";
import { filesOf } from "./programs.ts";
import { shortPrograms, withoutProgram } from "./without_program.ts";

/** The maximum number of lines of prose on a how-to page. */
const howtoLines = 40;

/** Lists the problems of a page, each with its file and line. */
export async function pageProblems(page: Page): Promise<string[]> {
  const { text, file, kind, name } = page;
  const problems: string[] = [];
  const report = (line: number, problem: string) => problems.push(`${file}:${line}: ${problem}`);
  const lines = text.split("\n");
  if (!/^# \S/.test(text)) report(1, "must begin with a title");
  if (headingsOf(text).filter(({ level }) => level === 1).length > 1) report(1, "has more than one title");
  if (!/^(?!```)[A-Za-z`"[@_*]/.test(lines[2] ?? "")) report(3, "must begin with a sentence after the title");
  if (!/^Words: \S/m.test(text)) report(lines.length, 'has no line "Words: …" with the words that people search for');
  const files = filesOf(page);
  const paths = files.map(({ path }) => path);
  for (const [at, { path, line }] of files.entries()) {
    if (paths.indexOf(path) !== at) report(line, `shows "${path}" twice`);
  }
  if (kind === "howto" && !(name in withoutProgram) && !shortPrograms.includes(name)) {
    for (const path of ["main.ts", "main_test.ts"]) {
      if (!paths.includes(path)) report(lines.length, `has no "${path}"`);
    }
  }
  const prose = withoutCode(text).split("\n").filter((line) => line.trim() !== "" && !/^(?:#|Words:)/.test(line));
  if (kind === "howto" && prose.length > howtoLines) report(1, `has ${prose.length} lines of prose`);
  for (const { path, anchor, line } of linksOf(text)) {
    const target = path === "" ? file : posix.normalize(posix.join(posix.dirname(file), path));
    if (!await leads(target, anchor)) report(line, `links to "${path}${anchor && `#${anchor}`}", which does not exist`);
  }
  return problems;
}

/** Reports whether a file of the repository and a heading in it exist. */
export async function leads(target: string, anchor: string): Promise<boolean> {
  try {
    if (anchor === "") return (await Deno.lstat(new URL(`../../${target}`, import.meta.url))) !== undefined;
    return headingsOf(await readText(target)).some((heading) => heading.anchor === anchor);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
