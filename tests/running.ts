/**
 * Runs fw's command-line programs in separate processes.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";

/** The root folder of the repository, with a final slash. */
export const root: string = fromFileUrl(new URL("../", import.meta.url));

/** The exit code and output of a program. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a program. If it hangs, it is ended after a minute.
 *
 * @param entry The program, relative to the root folder of the repository.
 * @param args The arguments.
 * @param cwd The working directory.
 */
export async function runProgram(entry: string, args: readonly string[], cwd: string = root): Promise<Ended> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-lock", join(root, entry), ...args],
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
    signal: AbortSignal.timeout(60_000),
  });
  const { code, stdout, stderr } = await command.output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}
