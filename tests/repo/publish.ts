/**
 * Publishes the package, with the bundle that users run, from a copy of what belongs to it: `deno task publish` only
 * rehearses, with `--dry-run`.
 *
 * The copy is needed because Deno takes the stand-ins that deno.json links, which lie inside the repository, for
 * modules of the package and refuses to leave them out. That is why deno.json includes them: `deno publish` by itself
 * works, and only publishes some files that no module imports. A rehearsal links them from outside; the real
 * publication drops the links and so resolves the standard library from the registry.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { cp } from "node:fs/promises";
import config from "../../deno.json" with { type: "json" };
import { bundle, bundleFolder } from "./bundle.ts";

const standIns = "tests/std";
const root = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Copies what is published to a folder, bundles it and writes the configuration that fits it.
 *
 * @param folder The folder, which is empty.
 * @param rehearsal Whether the stand-ins of the standard library are taken, and not the registry.
 */
export async function prepare(folder: string, rehearsal: boolean): Promise<void> {
  const include = config.publish.include.filter((path) => path !== standIns);
  for (const path of [...include, "deno.lock"]) {
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  const { links, tasks: _, lint: __, workspace: ___, ...other } = config;
  const linked = rehearsal ? { ...other, links: links.map((link) => join(root, link)) } : other;
  const write = (published: unknown) =>
    Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify(published, null, 2) + "\n");
  await write(linked);
  const exports = await bundle({ folder, exports: config.exports });
  await write({ ...linked, exports, publish: { include: [...include, bundleFolder] } });
}

/** Tells what is not committed; Deno itself looks for it, but not in a copy. */
async function uncommitted(): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args: ["status", "--porcelain"], cwd: root }).output();
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  const rehearsal = Deno.args.includes("--dry-run");
  const changes = rehearsal || Deno.args.includes("--allow-dirty") ? "" : await uncommitted();
  if (changes !== "") throw new Error(`Cannot publish: these changes are not committed\n${changes}`);
  const folder = await Deno.makeTempDir();
  try {
    await prepare(folder, rehearsal);
    const command = new Deno.Command(Deno.execPath(), { args: ["publish", ...Deno.args], cwd: folder });
    Deno.exitCode = (await command.spawn().status).code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
