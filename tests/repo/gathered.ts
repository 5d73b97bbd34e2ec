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
const usesPolicies = /"[^"]*\/policy(?:\/mod\.ts)?"/;
const relativeImports = /^(?:import|export)\b[^"`;()]*"(\.[^"]*)"/gm;

/** Files and folders whose tests run in separate modules. */
const alone: readonly string[] = [
  // These pages show the templates of all applications of a process.
  "tests/core/app/dashboard/",
  // Checks which modules are loaded first.
  "tests/pages/view/lazy_test.ts",
  // Checks how much memory is used.
  "tests/state/store/memory_test.ts",
];

/** Lists the test files that neither start a program themselves nor import a helper that does. */
export async function fastTests(): Promise<string[]> {
  const files = await Array.fromAsync(walk(`${root}tests`, { includeDirs: false, match: [/_test\.ts$/] }));
  const fast: string[] = [];
  for (const { path } of files) {
    if (!await reaches(startsProgram, path)) fast.push(relative(root, path).replaceAll("\\", "/"));
  }
  return fast.sort();
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
 * Writes modules that import test files, one for each folder. A new test thus only affects those next to it.
 *
 * @param files The test files, relative to the root folder.
 * @param folder The folder of the modules.
 * @param before Code that runs before the tests are loaded.
 * @returns The test files that must run in separate modules.
 */
export async function gather(files: readonly string[], folder: string, before = ""): Promise<string[]> {
  await Deno.writeTextFile(join(folder, "before.ts"), before);
  const isAlone = (file: string) => alone.some((each) => file.startsWith(each));
  const modules = new Map<string, string[]>();
  for (const file of files.filter((each) => !isAlone(each))) {
    // In a module that uses policies, httptest watches the writes of all tests.
    const kind = await reaches(usesPolicies, root + file) ? "policies" : "tests";
    const name = [...file.split("/").slice(1, -1), `${kind}_test.ts`].join("_");
    modules.getOrInsertComputed(name, () => ["./before.ts"]).push(toFileUrl(root + file).href);
  }
  for (const [name, imports] of modules) {
    const code = imports.map((specifier) => `import "${specifier}";\n`).join("");
    await Deno.writeTextFile(join(folder, name), code);
  }
  return files.filter(isAlone);
}
