/**
 * Checks the types of several applications in one program. Reading the sources of fw is most of the work, and
 * `deno check` would repeat it for each application.
 *
 * @module
 */

import { walk } from "@std/fs";
import { dirname, join, relative } from "@std/path";
import { run } from "./registry/processes.ts";
import { root } from "./running.ts";
import { copyCheckout } from "./unchecked.ts";

interface Config {
  readonly imports?: Record<string, string>;
  readonly compilerOptions?: unknown;
  readonly links?: readonly string[];
}

/**
 * Checks the types of applications. They must agree on the packages and compiler options that they have in common.
 *
 * @param folders The folders of the applications, each with a `deno.json` file.
 */
export async function checkTogether(folders: readonly string[]): Promise<void> {
  const parent = await Deno.makeTempDir();
  const cwd = join(parent, "apps");
  try {
    await Deno.mkdir(cwd);
    const all: { -readonly [name in keyof Config]: Config[name] } = {};
    for (const [index, folder] of folders.entries()) {
      const { imports, compilerOptions, links }: Config = JSON.parse(
        await Deno.readTextFile(join(folder, "deno.json")),
      );
      Object.assign(all, { imports: { ...all.imports, ...imports }, links }, compilerOptions && { compilerOptions });
      await copySources(folder, join(cwd, String(index)));
    }
    const checkout = join(parent, "fw");
    await copyCheckout(checkout);
    const links = all.links?.map((link) => join(checkout, relative(root, link)));
    await Deno.writeTextFile(join(cwd, "deno.json"), JSON.stringify({ ...all, links }));
    await run("deno check", { cwd, env: {} });
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

async function copySources(from: string, to: string): Promise<void> {
  for await (
    const { path } of walk(from, { includeDirs: false, exts: ["ts", "tsx", "json"], skip: [/node_modules/] })
  ) {
    const name = relative(from, path);
    if (name === "deno.json") continue;
    await Deno.mkdir(dirname(join(to, name)), { recursive: true });
    await Deno.copyFile(path, join(to, name));
  }
}
