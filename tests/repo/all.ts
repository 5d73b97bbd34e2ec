/**
 * Runs all tests, including the code in the documentation (`outcomes_test.ts`): `deno task test`. Test files are combined
 * into a few modules for each room. Arguments are passed to `deno test`. If paths are among them, only those test
 * files run, each in a separate module, and the code in the documentation of other files.
 *
 * @module
 */

import { allTests, flags, gather, root } from "./gathered.ts";

/** Many tests wait, for example for time limits, so there are more modules at a time than processors. */
const env = { DENO_JOBS: String(2 * navigator.hardwareConcurrency) };

async function runAll(given: readonly string[]): Promise<number> {
  if (given.some((each) => !each.startsWith("-"))) return await test(["--doc", ...given]);
  const folder = await Deno.makeTempDir({ prefix: "fw_all_" });
  try {
    const files = await allTests();
    const alone = await gather(files, folder);
    const gathered = files.filter((file) => !alone.includes(file));
    return await test([...given, `--ignore=${gathered.join(",")}`, folder, "."]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function test(args: readonly string[]): Promise<number> {
  const command = new Deno.Command(Deno.execPath(), { args: ["test", ...flags, ...args], cwd: root, env });
  return (await command.spawn().status).code;
}

if (import.meta.main) Deno.exit(await runAll(Deno.args));
