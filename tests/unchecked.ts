/**
 * Copies sources so that Deno does not check their types, which `deno task check` has done. They are most of the work of
 * a check of programs that import them.
 *
 * @module
 */

import { cp } from "node:fs/promises";
import { walk } from "@std/fs/walk";
import { fromFileUrl, join } from "@std/path";

/** The first line of each copied module. */
const unchecked = "// @ts-nocheck\n";

/** Copies a folder. Its modules are not checked, but their types are known. */
async function copyUnchecked(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  for await (const { path } of walk(to, { includeDirs: false, exts: [".ts", ".tsx"] })) {
    await Deno.writeTextFile(path, unchecked + await Deno.readTextFile(path));
  }
}

/** Copies fw and the stand-ins for the standard library. The paths in the copy are those in the checkout. */
export async function copyCheckout(to: string): Promise<void> {
  const root = fromFileUrl(new URL("../", import.meta.url));
  for (const path of ["src", "mvc", "tests/std"]) await copyUnchecked(join(root, path), join(to, path));
  await Deno.writeTextFile(join(to, "mod.ts"), unchecked + await Deno.readTextFile(join(root, "mod.ts")));
  const { workspace: _, ...config } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  await Deno.writeTextFile(join(to, "deno.json"), JSON.stringify(config));
}
