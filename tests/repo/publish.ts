/**
 * Publishes the package, with the bundle that users run, from a copy of what belongs to it: `deno task publish` only
 * rehearses, with `--dry-run`.
 *
 * `deno publish` in the checkout would publish another package for good: without the bundle, and with the stand-ins of
 * the standard library inside. So deno.json says `"publish": false`, and the copy says what is published. A rehearsal
 * links copies of the stand-ins; the real publication reads the standard library from the registry, in the versions of
 * `publish.lock` or of another file that `--lock=FILE` names. Before it uploads anything it runs the tests of the bundle
 * on the very files that it is about to upload.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { cp } from "node:fs/promises";
import config from "../../deno.json" with { type: "json" };
import { bundle, bundleFolder } from "./bundle.ts";
import { takePackages } from "./bundle_packages.ts";
import { writeChapters } from "./chapters.ts";
import { copyLock, publishedConfig, publishLock } from "./publish_lock.ts";
import { copyStandIns } from "./stand_ins.ts";

/** What is published beside the bundle. */
const include = ["mod.ts", "src", "mvc", "deno.json", "README.md", "CHANGELOG.md", "LICENSE"];
const root = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Copies what is published to a folder, bundles it and writes the configuration that fits it.
 *
 * @param folder The folder, which is empty.
 * @param lock The lock file with the versions of the standard library. If omitted, its stand-ins are taken.
 */
export async function prepare(folder: string, lock?: string): Promise<void> {
  for (const path of include) await cp(join(root, path), join(folder, path), { recursive: true });
  const links = config.links.map((link) => join(root, link));
  const source = lock === undefined ? { links } : await copyLock(lock, folder);
  const bundled = lock === undefined ? { links: await copyStandIns(links, folder) } : source;
  const write = (text: unknown) => Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify(text, null, 2) + "\n");
  await write({ ...publishedConfig(), ...bundled });
  await writeChapters(folder);
  const isLocked = lock !== undefined;
  const { imports, packages } = await takePackages({ folder, entry: config.exports["."], isLocked });
  await write({ ...publishedConfig(), ...bundled, imports: { ...config.imports, ...imports } });
  const exports = await bundle({ folder, exports: config.exports, isLocked, packages });
  // The copies of the stand-ins lie in the package, where Deno would miss them among the files to publish.
  await write({ ...publishedConfig(), ...source, exports, publish: { include: [...include, bundleFolder] } });
}

/** Tells what is not committed; Deno itself looks for it, but not in a copy. */
async function uncommitted(): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args: ["status", "--porcelain"], cwd: root }).output();
  return new TextDecoder().decode(stdout);
}

/** Tests the bundle that lies in a folder. */
async function testBundle(folder: string): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--lock=deno.lock", "--frozen", "tests/repo/bundle_test.ts"],
    cwd: root,
    env: { FW_TEST_PACKAGE: folder },
  }).spawn().status;
  if (!success) throw new Error("Cannot publish: the tests of the bundle fail");
}

if (import.meta.main) {
  const rehearsal = Deno.args.includes("--dry-run");
  const changes = rehearsal || Deno.args.includes("--allow-dirty") ? "" : await uncommitted();
  if (changes !== "") throw new Error(`Cannot publish: these changes are not committed\n${changes}`);
  const folder = await Deno.makeTempDir();
  try {
    const lock = Deno.args.find((arg) => arg.startsWith("--lock="))?.slice("--lock=".length) ?? publishLock;
    await prepare(folder, rehearsal ? undefined : lock);
    if (!Deno.args.includes("--no-test")) await testBundle(folder);
    const args = Deno.args.filter((arg) => arg !== "--no-test" && !arg.startsWith("--lock="));
    const command = new Deno.Command(Deno.execPath(), { args: ["publish", ...args], cwd: folder });
    Deno.exitCode = (await command.spawn().status).code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
