/**
 * Publishes the standard library, or its stand-ins, and a checkout of fw to a registry on loopback, with a separate
 * cache.
 *
 * @module
 */

import { cp } from "node:fs/promises";
import { fromFileUrl, join } from "@std/path";
import { type Registry, startRegistry } from "./jsr_server.ts";

/** A registry with both packages. It runs until it is disposed of. */
export interface Published extends AsyncDisposable {
  /** The environment variables for Deno, with a new cache. */
  readonly env: Readonly<Record<string, string>>;
  /** A temporary folder, which is removed with the cache. */
  readonly folder: string;
  /** The environment variables for another publication, with the cache of this one. */
  readonly publisher: Readonly<Record<string, string>>;
  /** The lock file of the publication. */
  readonly lock: string;
  /** The host and port of the registry, for a permission that allows nothing else. */
  readonly host: string;
  /** The published packages with their versions. */
  readonly packages: readonly string[];
  /** Publishes the files of a version again, under another number. */
  republish(key: string, version: string, number: string): void;
  /** Adds the imports of a package to the metadata of its versions, like the public registry. */
  listImports(key: string): Promise<void>;
}

const flags = ["--token", "x", "--allow-dirty", "--no-check"];

/** The packages to publish. */
export interface Packages {
  /** A checkout of the standard library. Defaults to the stand-ins in `tests/std`. */
  readonly std?: string | undefined;
  /** A checkout of fw. Defaults to this one. */
  readonly root?: string;
  /** A version under which the stand-ins are published again when their versions have been locked. */
  readonly newer?: string;
}

const thisCheckout = fromFileUrl(new URL("../../", import.meta.url));

/**
 * Publishes both packages.
 *
 * @param packages The packages.
 * @returns The registry and its environment variables.
 */
export async function publishAll({ std, root = thisCheckout, newer }: Packages = {}): Promise<Published> {
  const registry = startRegistry();
  const folder = await Deno.makeTempDir({ prefix: "fw_registry_" });
  const env = { JSR_URL: registry.url, DENO_DIR: join(folder, "cache"), NO_COLOR: "1" };
  // Publishing loads the whole module graph. With a shared cache, users would not have to download anything.
  const publisher = { ...env, DENO_DIR: join(folder, "publisher") };
  const { host, published: packages, republish, listImports } = registry;
  const lock = join(folder, "publish.lock");
  const published = { env, folder, publisher, lock, host, packages, republish, listImports };
  try {
    if (std === undefined) await publishStandIns({ root, folder: join(folder, "std"), env: publisher });
    else await runDeno(["publish", ...flags], std, publisher);
    const locked = await lockFlags(root, lock, publisher);
    if (newer !== undefined) {
      await publishStandIns({ root, folder: join(folder, "newer"), env: publisher, version: newer });
    }
    await runDeno(["run", "-A", "tests/repo/publish.ts", "--no-test", ...locked, ...flags], root, publisher);
  } catch (error) {
    await close(registry, folder);
    throw error;
  }
  return { ...published, [Symbol.asyncDispose]: () => close(registry, folder) };
}

/**
 * Locks the versions of the standard library in the registry. An older checkout used in benchmarks may not support the
 * lock file.
 */
async function lockFlags(root: string, lock: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const program = join(root, "tests", "repo", "publish_lock.ts");
  if (!await Deno.stat(program).then(() => true, () => false)) return [];
  await runDeno(["run", "-A", program, lock], root, env);
  return [`--lock=${lock}`];
}

/** The stand-ins to publish. */
interface StandIns {
  /** The checkout of fw. */
  readonly root: string;
  /** A folder that does not exist yet. */
  readonly folder: string;
  /** The environment variables for the registry and the cache. */
  readonly env: Readonly<Record<string, string>>;
  /** The version of all stand-ins. Defaults to their own versions. */
  readonly version?: string;
}

/** Publishes the stand-ins from a separate workspace, because they would belong to fw inside the checkout. */
async function publishStandIns({ root, folder, env, version }: StandIns): Promise<void> {
  await cp(join(root, "tests", "std"), folder, { recursive: true });
  const names = (await Array.fromAsync(Deno.readDir(folder))).filter((entry) => entry.isDirectory);
  const workspace = names.map(({ name }) => `./${name}`);
  for (const { name } of names) {
    const path = join(folder, name, "deno.json");
    const config = JSON.parse(await Deno.readTextFile(path));
    await Deno.writeTextFile(
      path,
      JSON.stringify({ ...config, license: "MIT", ...version !== undefined && { version } }),
    );
  }
  await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ workspace }));
  await runDeno(["publish", ...flags], folder, env);
}

/**
 * Runs Deno to completion.
 *
 * @param args The arguments.
 * @param cwd The working directory.
 * @param env Additional environment variables.
 * @returns The output. If Deno fails, throws an error with the output.
 */
export async function runDeno(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), { args: [...args], cwd, env, stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(`"deno ${args.join(" ")}" ended with ${code}:\n${text}`);
  return text;
}

async function close(registry: Registry, folder: string): Promise<void> {
  await registry[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
}
