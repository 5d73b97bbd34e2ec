/**
 * Publishes the standard library, or what stands in for it, and a checkout of fw to a registry on loopback, with a
 * cache of its own.
 *
 * @module
 */

import { cp } from "node:fs/promises";
import { fromFileUrl, join } from "@std/path";
import { type Registry, startRegistry } from "./jsr_server.ts";

/** A registry that holds both, until it is disposed. */
export interface Published extends AsyncDisposable {
  /** The variables under which Deno reads from it, with a cache that is empty at first. */
  readonly env: Readonly<Record<string, string>>;
  /** A temporary folder beside the cache, which vanishes with it. */
  readonly folder: string;
  /** The host and port of the registry, for a permission that names nothing else. */
  readonly host: string;
  /** The packages that were published, with their versions. */
  readonly packages: readonly string[];
}

const flags = ["--token", "x", "--allow-dirty", "--no-check"];

/**
 * Publishes both.
 *
 * @param std A checkout of the standard library's repository; the stand-ins of `tests/std` by default.
 * @param root A checkout of fw, this one by default.
 * @returns What tells Deno to read from there.
 */
export async function publishAll(
  std?: string,
  root: string = fromFileUrl(new URL("../../", import.meta.url)),
): Promise<Published> {
  const registry = startRegistry();
  const folder = await Deno.makeTempDir({ prefix: "fw_registry_" });
  const env = { JSR_URL: registry.url, DENO_DIR: join(folder, "cache"), NO_COLOR: "1" };
  // What publishes looks at the whole graph: its cache would spare the readers their downloads.
  const publisher = { ...env, DENO_DIR: join(folder, "publisher") };
  const { host, published: packages } = registry;
  const published = { env, folder, host, packages, [Symbol.asyncDispose]: () => close(registry, folder) };
  try {
    if (std === undefined) await publishStandIns({ root, folder: join(folder, "std"), env: publisher });
    else await runDeno(["publish", ...flags], std, publisher);
    const locked = await lockFlags(root, join(folder, "publish.lock"), publisher);
    await runDeno(["run", "-A", "tests/repo/publish.ts", "--no-test", ...locked, ...flags], root, publisher);
  } catch (error) {
    await close(registry, folder);
    throw error;
  }
  return published;
}

/** Locks the standard library that the registry holds. A checkout that benchmarks compare with may not know the lock. */
async function lockFlags(root: string, lock: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const program = join(root, "tests", "repo", "publish_lock.ts");
  if (!await Deno.stat(program).then(() => true, () => false)) return [];
  await runDeno(["run", "-A", program, lock], root, env);
  return [`--lock=${lock}`];
}

/** The stand-ins that are published. */
interface StandIns {
  /** The checkout of fw. */
  readonly root: string;
  /** A folder that does not exist yet. */
  readonly folder: string;
  /** The variables that name the registry and the cache. */
  readonly env: Readonly<Record<string, string>>;
  /** The version of all of them; their own by default. */
  readonly version?: string;
}

/** Publishes the stand-ins from a workspace of their own: inside of the checkout they would count as files of fw. */
export async function publishStandIns({ root, folder, env, version }: StandIns): Promise<void> {
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
 * Runs Deno to its end.
 *
 * @param args Its arguments.
 * @param cwd Where it runs.
 * @param env Variables beside those of this process.
 * @returns What it wrote; an error that holds it if it failed.
 */
export async function runDeno(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
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
