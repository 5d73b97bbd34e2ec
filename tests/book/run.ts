// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * Checks and tests the programs on pages of the book: `deno run -A tests/book/run.ts [NAME...]`. A page does not need to
 * be listed in the table of contents yet.
 *
 * @module
 */

import { pageFiles, placeOf, readText } from "./pages.ts";
import { pageProblems } from "./page_problems.ts";
import { programsOf, runPrograms } from "./programs.ts";

/** Reports whether a page is named in the arguments. */
function isChosen(name: string): boolean {
  return Deno.args.length === 0 || Deno.args.includes(name);
}

const places = (await pageFiles()).map(placeOf);
for (const name of Deno.args) {
  if (!places.some((place) => place.name === name)) throw new Error(`Cannot find a page with the name "${name}"`);
}
const pages = await Promise.all(places.map(async (place) => {
  const text = await readText(place.file);
  return { ...place, text, title: /^# (.+)/.exec(text)?.[1] ?? "", part: "", group: "", about: "" };
}));
const problems = (await Promise.all(pages.filter(({ name }) => isChosen(name)).map(pageProblems))).flat();
for (const problem of problems) console.log(problem);
const programs = new Map([...programsOf(pages)].filter(([name]) => isChosen(name)));
const { success, output } = programs.size === 0
  ? { success: true, output: "no programs" }
  : await runPrograms(programs);
console.log(output);
Deno.exitCode = success && problems.length === 0 ? 0 : 1;
