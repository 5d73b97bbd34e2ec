/**
 * Runs the tests that do not start other programs: `deno task test:fast`. Most of the time of a full run is spent on
 * browsers, store outages and servers in separate processes. Arguments select folders, as in
 * `deno task test:fast core/static http/body`, and flags are passed to `deno test`.
 *
 * @module
 */

import { walk } from "@std/fs/walk";
import { fromFileUrl, join, relative, toFileUrl } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));
const startsProgram = /new Deno\.Command\(|from "npm:[^"]*(?:astral|puppeteer|playwright)/;
const relativeImports = /^(?:import|export)\b[^"`;()]*"(\.[^"]*)"/gm;

/** Lists the test files that neither start a program themselves nor import a helper that does. */
export async function fastTests(): Promise<string[]> {
  const files = await Array.fromAsync(walk(`${root}tests`, { includeDirs: false, match: [/_test\.ts$/] }));
  const fast: string[] = [];
  for (const { path } of files) {
    if (!await reachesProgram(path, new Set())) fast.push(relative(root, path).replaceAll("\\", "/"));
  }
  return fast.sort();
}

async function reachesProgram(path: string, seen: Set<string>): Promise<boolean> {
  if (seen.has(path) || !path.startsWith(join(root, "tests"))) return false;
  seen.add(path);
  const source = await Deno.readTextFile(path);
  if (startsProgram.test(source)) return true;
  for (const [, specifier = ""] of source.matchAll(relativeImports)) {
    if (await reachesProgram(fromFileUrl(new URL(specifier, toFileUrl(path))), seen)) return true;
  }
  return false;
}

/**
 * Tests that run in a separate process, because they check which modules are loaded first or how much memory is used.
 */
const alone = ["tests/pages/view/lazy_test.ts", "tests/state/store/memory_test.ts"];
/** The number of modules that import the other tests. A small test file spends most of its time loading fw. */
const gathered = 2;
/** Property tests use fewer values than in a full run, and growth over time is not measured (tests/growth.ts). */
const fewValues = `import fc from "npm:fast-check@^4";\nfc.configureGlobal({ numRuns: 20 });\n`;
const env = { FW_TEST_FAST: "1" };

/** Runs the tests, combined into a few modules. */
async function runFast(given: readonly string[]): Promise<number> {
  const names = given.filter((each) => !each.startsWith("-"));
  const isChosen = (file: string) => names.length === 0 || names.some((name) => file.startsWith(`tests/${name}/`));
  const files = (await fastTests()).filter(isChosen);
  const folder = await Deno.makeTempDir({ prefix: "fw_fast_" });
  try {
    const together = files.filter((file) => !alone.includes(file));
    for (let part = 0; part < gathered; part++) {
      const imports = together.filter((_, at) => at % gathered === part).map((file) =>
        `import "${toFileUrl(root + file)}";\n`
      );
      await Deno.writeTextFile(join(folder, "few_values.ts"), fewValues);
      await Deno.writeTextFile(join(folder, `part${part}_test.ts`), `import "./few_values.ts";\n${imports.join("")}`);
    }
    const args = [
      ...flags,
      ...given.filter((each) => !names.includes(each)),
      folder,
      ...files.filter((file) => alone.includes(file)),
    ];
    return (await new Deno.Command(Deno.execPath(), { args, cwd: root, env }).spawn().status).code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const flags = [
  "test",
  "-A",
  "--config=deno.json",
  "--lock=deno.lock",
  "--unstable-kv",
  "--parallel",
  "--no-check",
  "--sanitize-ops",
  "--sanitize-resources",
];

if (import.meta.main) Deno.exit(await runFast(Deno.args));
