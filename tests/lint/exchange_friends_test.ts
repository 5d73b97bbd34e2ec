import { assert, assertEquals } from "@std/assert";
import { walk } from "@std/fs/walk";
import { exchangeFriends } from "./exchange_friends.ts";
import { isPublished, repoPath } from "./layers.ts";

const root = new URL("../../", import.meta.url);

/** The core, which owns the state of a call. */
const core = /^src\/core\//;

/** Returns the published files that import a name. */
async function importersOf(name: string): Promise<string[]> {
  const found: string[] = [];
  const imports = new RegExp(`^(?:import|export)\\b[^;]*\\b${name}\\b[^;]*\\bfrom\\b`, "m");
  for await (
    const { path } of walk(root, { exts: [".ts"], includeDirs: false, skip: [/[/\\](?:\.\w+|node_modules)[/\\]/] })
  ) {
    if (isPublished(path) && imports.test(await Deno.readTextFile(path))) found.push(repoPath(path));
  }
  return found.sort();
}

Deno.test("registryOf() is imported by files of src/core/app only", async () => {
  const found = await importersOf("registryOf");
  assert(found.includes("src/core/app/served_routes.ts"), "The search finds nothing");
  assertEquals(found.filter((path) => !path.startsWith("src/core/app/")), []);
});

Deno.test("exchangeOf() is imported outside of the core by the files of the list only, each with a reason", async () => {
  const found = await importersOf("exchangeOf");
  assertEquals(found.filter((path) => !core.test(path)), Object.keys(exchangeFriends).sort());
  for (const [path, reason] of Object.entries(exchangeFriends)) assert(/^[a-z].{15,}[^.]$/.test(reason), path);
});
