/**
 * The lock file for publishing. `deno task lock` creates it with the current versions and checksums of the standard
 * library in the registry.
 *
 * The checkout's own `deno.lock` cannot be used, because it locks the stand-ins. The contents of a version must not
 * depend on the day on which it is published, so the standard library is resolved with this file in frozen mode.
 *
 * @module
 */

import { fromFileUrl, join, toFileUrl } from "@std/path";
import { cp } from "node:fs/promises";
import config from "../../deno.json" with { type: "json" };

const root = fromFileUrl(new URL("../../", import.meta.url));

/** The path of the lock file for publishing. */
export const publishLock: string = join(root, "tests", "repo", "publish.lock");

/** Returns the configuration of the published package, without the stand-ins. */
export function publishedConfig(): Omit<typeof config, "links" | "tasks" | "lint" | "workspace" | "publish"> {
  const { links: _, tasks: __, lint: ___, workspace: ____, publish: _____, ...published } = config;
  return published;
}

/**
 * Copies a lock file to a package that is about to be published, and makes Deno use it without changes.
 *
 * @param lock The lock file.
 * @param folder The folder of the package.
 * @returns The part of the package's configuration that specifies the lock file.
 */
export async function copyLock(lock: string, folder: string): Promise<{ lock: unknown }> {
  try {
    await cp(lock, join(folder, "deno.lock"));
  } catch (cause) {
    const message = `Cannot publish: the lock file "${lock}" does not exist; write it with "deno task lock"`;
    throw new Error(message, { cause });
  }
  return { lock: { path: "./deno.lock", frozen: true } };
}

/**
 * Writes a lock file for publishing.
 *
 * @param lock The file. If it exists, it is replaced.
 */
export async function writeLock(lock: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw_lock_" });
  try {
    for (const path of ["mod.ts", "src", "mvc"]) await cp(join(root, path), join(folder, path), { recursive: true });
    await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify(publishedConfig()));
    const entries = Object.values(config.exports).map((file) => toFileUrl(join(folder, file)).href);
    const written = join(folder, "publish.lock");
    const command = new Deno.Command(Deno.execPath(), {
      args: ["cache", "--quiet", "--reload=jsr:@std", `--lock=${written}`, ...entries],
      cwd: folder,
    });
    if (!(await command.spawn().status).success) {
      throw new Error("Cannot lock the standard library: the registry cannot be read");
    }
    await cp(written, lock);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await writeLock(Deno.args[0] ?? publishLock);
