/**
 * Runs `deno bundle`, one at a time on this machine.
 *
 * The first run installs esbuild in Deno's cache. Two runs that do so at once fail with "failed to copy esbuild binary",
 * for example if test files in different processes bundle something on a new machine.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join } from "@std/path";

/** The environment of a run. */
interface Surroundings {
  /** The working directory. */
  readonly cwd?: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs `deno bundle` as soon as no other process does.
 *
 * @param args The arguments after `bundle`.
 * @param surroundings The working directory and environment variables.
 */
export async function bundle(args: readonly string[], surroundings: Surroundings = {}): Promise<void> {
  using lock = await Deno.open(join(tmpdir(), `fw-bundler-${Deno.uid() ?? "user"}.lock`), {
    write: true,
    create: true,
  });
  await lock.lock(true);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", ...args],
    ...surroundings,
    env: { NO_COLOR: "1", ...surroundings.env },
  }).output();
  if (!success) throw new Error(`Cannot bundle "${args.at(-1)}": ${new TextDecoder().decode(stderr)}`);
}
