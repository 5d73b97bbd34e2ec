/**
 * Runs the tests that start no other program: `deno task test:fast`. Browsers, outages of stores and servers in
 * processes of their own are what takes the time of a whole run.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, relative } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));
const startsProgram = /new Deno\.Command\(|from "npm:[^"]*(?:astral|puppeteer|playwright)/;
const relativeImports = /^(?:import|export)\b[^"`;()]*"(\.[^"]*)"/gm;

/** Lists the test files that neither start a program themselves nor import a helper that does. */
export async function fastTests(): Promise<string[]> {
  const files = await Array.fromAsync(walk(`${root}tests`, { includeDirs: false, match: [/_test\.ts$/] }));
  const fast: string[] = [];
  for (const { path } of files) {
    if (!await reachesProgram(path, new Set())) fast.push(relative(root, path));
  }
  return fast.sort();
}

async function reachesProgram(path: string, seen: Set<string>): Promise<boolean> {
  if (seen.has(path) || !path.startsWith(`${root}tests`)) return false;
  seen.add(path);
  const source = await Deno.readTextFile(path);
  if (startsProgram.test(source)) return true;
  for (const [, specifier = ""] of source.matchAll(relativeImports)) {
    if (await reachesProgram(fromFileUrl(new URL(specifier, `file://${path}`)), seen)) return true;
  }
  return false;
}

if (import.meta.main) {
  const flags = [
    "test",
    "-A",
    "--lock=deno.lock",
    "--unstable-kv",
    "--parallel",
    "--no-check",
    "--sanitize-ops",
    "--sanitize-resources",
  ];
  const args = [...flags, ...Deno.args, ...await fastTests()];
  const { code } = await new Deno.Command(Deno.execPath(), { args, cwd: root }).spawn().status;
  Deno.exit(code);
}
