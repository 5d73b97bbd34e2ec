/**
 * Publishes the package with its bundle from a copy of the published files, and the package of the book.
 * `deno task publish` only rehearses this with `--dry-run`.
 *
 * `deno publish` in the checkout would publish the wrong files: without the bundle, and with the stand-ins for the
 * standard library. Therefore, deno.json contains `"publish": false`, and the copy has its own configuration. A
 * rehearsal uses copies of the stand-ins. The real publication reads the standard library from the registry, in the
 * versions of `publish.lock` or of another file given by `--lock=FILE`. Before uploading anything, it runs the bundle
 * tests on the files that it is about to upload.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { cp } from "node:fs/promises";
import config from "../../deno.json" with { type: "json" };
import { bundle, bundleFolder } from "./bundle.ts";
import { typesFolder, writeTypes } from "./bundle_types.ts";
import { linkToBook, writeBook } from "./book_entries.ts";
import { copyLock, publishedConfig, publishLock } from "./publish_lock.ts";
import { copyStandIns } from "./stand_ins.ts";

/** The published files in addition to the bundle. */
const include = ["mod.ts", "src", "mvc", "deno.json", "README.md", "CHANGELOG.md", "LICENSE"];
const root = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Copies the published files to a folder, bundles them and writes the configuration.
 *
 * @param folder The folder. It must be empty.
 * @param lock The lock file with the versions of the standard library. If omitted, the stand-ins are used.
 */
export async function prepare(folder: string, lock?: string): Promise<void> {
  for (const path of include) await cp(join(root, path), join(folder, path), { recursive: true });
  // The scripts and styles for browsers are published in bundled form.
  await Deno.remove(join(folder, "src/browser"), { recursive: true });
  const links = config.links.map((link) => join(root, link));
  const source = lock === undefined ? { links } : await copyLock(lock, folder);
  const bundled = lock === undefined ? { links: await copyStandIns(links, folder) } : source;
  const write = (text: unknown) => Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify(text, null, 2) + "\n");
  await write({ ...publishedConfig(), ...bundled });
  await linkToBook(folder);
  await writeTypes(folder, config.exports);
  const exports = await bundle({ folder, exports: config.exports, isLocked: lock !== undefined });
  // The copies of the stand-ins are in the package folder, but Deno would not find them among the published files.
  await write({
    ...publishedConfig(),
    ...source,
    exports,
    publish: { include: [...include, bundleFolder, typesFolder] },
  });
}

/** Lists uncommitted changes. Deno's own check does not work in a copy. */
async function uncommitted(): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args: ["status", "--porcelain"], cwd: root }).output();
  return new TextDecoder().decode(stdout);
}

/** Tests the bundle in a folder. */
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
  const book = await Deno.makeTempDir();
  try {
    await writeBook(book);
    const lock = Deno.args.find((arg) => arg.startsWith("--lock="))?.slice("--lock=".length) ?? publishLock;
    await prepare(folder, rehearsal ? undefined : lock);
    if (!Deno.args.includes("--no-test")) await testBundle(folder);
    // `deno task check` has checked the sources. The copies import the bundled packages, which have no types. Deno still
    // checks that the public API has explicit types.
    const args = Deno.args.filter((arg) => !/^--(?:no-test$|no-check$|lock=)/.test(arg));
    for (const cwd of [folder, book]) {
      const command = new Deno.Command(Deno.execPath(), { args: ["publish", "--no-check", ...args], cwd });
      Deno.exitCode = (await command.spawn().status).code;
      if (Deno.exitCode !== 0) break;
    }
  } finally {
    for (const each of [folder, book]) await Deno.remove(each, { recursive: true });
  }
}
