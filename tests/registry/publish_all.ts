/**
 * Publishes the standard library and a checkout of fw to a registry on loopback, with a cache of its own.
 *
 * @module
 */

import { join } from "@std/path";
import { fromFileUrl } from "@std/path";
import { type Registry, startRegistry } from "./jsr_server.ts";

/** A registry that holds both, until it is disposed. */
export interface Published extends AsyncDisposable {
  /** The variables under which Deno reads from it. */
  readonly env: Readonly<Record<string, string>>;
  /** A temporary folder beside the cache, which vanishes with it. */
  readonly folder: string;
  /** The packages that were published, with their versions. */
  readonly packages: readonly string[];
}

/**
 * Publishes both.
 *
 * @param std A checkout of the standard library's repository.
 * @param root A checkout of fw, this one by default.
 * @returns What tells Deno to read from there.
 */
export async function publishAll(
  std: string,
  root: string = fromFileUrl(new URL("../../", import.meta.url)),
): Promise<Published> {
  const registry = startRegistry();
  const folder = await Deno.makeTempDir({ prefix: "fw_registry_" });
  const env = { JSR_URL: registry.url, DENO_DIR: join(folder, "cache"), NO_COLOR: "1" };
  const published = { env, folder, packages: registry.published, [Symbol.asyncDispose]: () => close(registry, folder) };
  try {
    await runDeno(["publish", "--token", "x", "--allow-dirty", "--no-check"], std, env);
    await runDeno(["run", "-A", "tests/repo/publish.ts", "--token", "x", "--allow-dirty"], root, env);
  } catch (error) {
    await close(registry, folder);
    throw error;
  }
  return published;
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
