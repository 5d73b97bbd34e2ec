// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * `deno task registry`: publishes the standard library and fw to a registry on loopback and then uses fw like a new
 * user: imports every entry point from an empty folder with network permission for that address only, and follows the
 * README and the book.
 *
 * `FW_TEST_STD` is the path of a checkout of the standard library. Without it, there is nothing to publish and the task
 * reports that it was skipped.
 *
 * @module
 */

import { join } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { publishAll, type Published, runDeno } from "./publish_all.ts";
import { walk } from "./walkthrough.ts";

/** Imports every entry point from an empty folder and calls an application. Only the registry can be reached. */
async function consume(published: Published): Promise<void> {
  const folder = join(published.folder, "consumer");
  await Deno.mkdir(folder);
  const entries = Object.keys(config.exports).map((name) => `jsr:${config.name}${name.slice(1)}`);
  const program = `${entries.map((entry) => `import ${JSON.stringify(entry)};`).join("\n")}
import * as fw from "jsr:${config.name}";
const app = fw.New();
app.Get("/users/{id:int}", (ctx) => ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) }));
console.log(await (await app.fetch(new Request("http://localhost/users/42"))).text());
`;
  await Deno.writeTextFile(join(folder, "main.ts"), program);
  const permissions = [`--allow-net=${published.host}`, `--allow-import=${published.host}`, "--no-prompt"];
  // Use a separate cache, because the measurements afterwards start with an empty one.
  const env = { ...published.env, DENO_DIR: join(folder, "cache") };
  const said = await runDeno(["run", "--quiet", ...permissions, "main.ts"], folder, env);
  if (said.trim() !== '{"id":42}') throw new Error(`The consumer shows "${said}"`);
  console.log(`a consumer imported ${entries.length} entries with ${permissions.join(" ")}`);
}

if (import.meta.main) {
  const std = Deno.env.get("FW_TEST_STD");
  if (std === undefined || std === "") {
    console.log('skipped: "FW_TEST_STD" names no checkout of the standard library');
  } else {
    await using published = await publishAll({ std });
    console.log(`published ${published.packages.length} packages, ${published.packages.at(-1)} among them`);
    await consume(published);
    Deno.exitCode = await walk(published) ? 0 : 1;
  }
}
