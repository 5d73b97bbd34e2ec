/**
 * Runs the tests that do not start other programs: `deno task test:fast`. Most of the time of a full run is spent on
 * browsers, store outages and servers in separate processes. Arguments select folders, as in
 * `deno task test:fast core/static http/body`, and flags are passed to `deno test`.
 *
 * @module
 */

import { fastTests, flags, gather, root } from "./gathered.ts";

/** Property tests use fewer values than in a full run, and growth over time is not measured (tests/growth.ts). */
const before = `import fc from "npm:fast-check@^4";\nfc.configureGlobal({ numRuns: 20 });\n`;
const env = { FW_TEST_FAST: "1" };

/** Runs the tests, combined into one or two modules for each room. */
async function runFast(given: readonly string[]): Promise<number> {
  const names = given.filter((each) => !each.startsWith("-"));
  const isChosen = (file: string) => names.length === 0 || names.some((name) => file.startsWith(`tests/${name}/`));
  const folder = await Deno.makeTempDir({ prefix: "fw_fast_" });
  try {
    const alone = await gather((await fastTests()).filter(isChosen), folder, before);
    const args = ["test", ...flags, ...given.filter((each) => !names.includes(each)), folder, ...alone];
    return (await new Deno.Command(Deno.execPath(), { args, cwd: root, env }).spawn().status).code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await runFast(Deno.args));
