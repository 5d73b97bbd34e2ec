/**
 * Combines test files into a few modules. A small test file spends most of its time loading fw.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative, toFileUrl } from "@std/path";

/** The root folder of the repository, with a final slash. */
export const root: string = fromFileUrl(new URL("../../", import.meta.url));

/** The flags of `deno test`. */
export const flags: readonly string[] = [
  "-A",
  "--config=deno.json",
  "--lock=deno.lock",
  "--unstable-kv",
  "--parallel",
  // `deno task check` has checked the types.
  "--no-check",
  "--sanitize-ops",
  "--sanitize-resources",
];

const startsProgram = /new Deno\.Command\(|from "npm:[^"]*(?:astral|puppeteer|playwright)/;
const turnsChecksOff = /\bsanitize(?:Ops|Resources): false/;
const usesPolicies = /"[^"]*\/policy(?:\/mod\.ts)?"/;
const relativeImports = /^(?:import|export)\b[^"`;()]*"(\.[^"]*\.ts)"/gm;

/** The files with the longest tests. They start first and in this order, so that no processor waits for the last one. */
export const long: readonly string[] = [
  "tests/book/site_browser_test.ts",
  "tests/book/tutorial_test.ts",
  "tests/registry/publication_test.ts",
  "tests/repo/bundle_test.ts",
  "tests/work/jobs/postgres_crash_test.ts",
  "tests/live/hub/cluster_test.ts",
  "tests/hardening/hardening_test.ts",
  "tests/book/book_test.ts",
  "tests/examples/least_permissions_test.ts",
  "tests/core/app/dashboard/tour_test.ts",
  "tests/operations/stops_test.ts",
  "tests/api/openapi/sources_test.ts",
  "tests/base/time/tick_times_test.ts",
  "tests/mvc/torture/matrix_test.ts",
  "tests/operations/permissions_test.ts",
  "tests/core/app/load_test.ts",
  "tests/hardening/accounts/kills_test.ts",
  "tests/hardening/accounts/accounts_test.ts",
  "tests/tools/init/init_test.ts",
  "tests/repo/pictures_test.ts",
  "tests/live/answers/browser_test.ts",
  "tests/tools/init/typed_test.ts",
  "tests/work/jobs/several_processes_test.ts",
];

/** Files and folders whose tests run in separate modules. */
const alone: readonly string[] = [
  // These pages show the templates of all applications of a process.
  "tests/core/app/dashboard/",
  // Checks which modules are loaded first.
  "tests/pages/view/lazy_test.ts",
  // Checks how much memory is used.
  "tests/state/store/memory_test.ts",
];

/** Lists all test files. */
export async function allTests(): Promise<string[]> {
  const files = await Array.fromAsync(walk(`${root}tests`, { includeDirs: false, match: [/_test\.ts$/] }));
  return files.map(({ path }) => relative(root, path).replaceAll("\\", "/")).sort();
}

/** Lists the test files that neither start a program themselves nor import a helper that does. */
export async function fastTests(): Promise<string[]> {
  const fast: string[] = [];
  for (const file of await allTests()) if (!await reaches(startsProgram, root + file)) fast.push(file);
  return fast;
}

/** Reports whether a test file, or a helper that it imports, contains a pattern. */
async function reaches(pattern: RegExp, path: string, seen: Set<string> = new Set()): Promise<boolean> {
  if (seen.has(path) || !path.startsWith(join(root, "tests"))) return false;
  seen.add(path);
  const source = await Deno.readTextFile(path);
  if (pattern.test(source)) return true;
  for (const [, specifier = ""] of source.matchAll(relativeImports)) {
    if (await reaches(pattern, fromFileUrl(new URL(specifier, toFileUrl(path))), seen)) return true;
  }
  return false;
}

/**
 * Writes modules that import test files, for each room one with the tests that start programs and one with the others.
 * A new test thus only affects those of its room.
 *
 * @param files The test files, relative to the root folder.
 * @param folder The folder of the modules.
 * @param before Code that runs before the tests are loaded.
 * @returns The test files that must run in separate modules.
 */
export async function gather(files: readonly string[], folder: string, before = ""): Promise<string[]> {
  await Deno.writeTextFile(join(folder, "before.ts"), before);
  const isAlone = (file: string) => !long.includes(file) && alone.some((each) => file.startsWith(each));
  const modules = new Map<string, string[]>();
  for (const file of files.filter((each) => !isAlone(each))) {
    const name = await moduleOf(file);
    modules.getOrInsertComputed(name, () => ["./before.ts"]).push(toFileUrl(root + file).href);
  }
  for (const [name, imports] of modules) {
    const code = imports.map((specifier) => `import "${specifier}";\n`).join("");
    await Deno.writeTextFile(join(folder, name), code);
  }
  return files.filter(isAlone);
}

/**
 * Returns the name of the module for a test file. Deno runs modules in the order of their names: those that start
 * programs, and often wait for them, before those that only need a processor.
 */
async function moduleOf(file: string): Promise<string> {
  if (long.includes(file)) return `${String(long.indexOf(file)).padStart(2, "0")}_test.ts`;
  const folders = file.split("/").slice(1, -1);
  return [
    await reaches(startsProgram, root + file) ? "programs" : "without_programs",
    // Timers that a test leaves behind would fail later tests, so such tests only run with those of their folder.
    ...await reaches(turnsChecksOff, root + file) ? [...folders, "unchecked"] : folders.slice(0, 1),
    // In a module that uses policies, httptest watches the writes of all tests.
    await reaches(usesPolicies, root + file) ? "policies_test.ts" : "test.ts",
  ].join("_");
}
