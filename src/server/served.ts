/**
 * Notices that `deno serve` runs this program.
 *
 * Deno has no way to ask (denoland/deno issue 29447), and it looks at a module's default export only after the module
 * has run, so a program that waits in `await app.Run()` would never be served. What gives `deno serve` away:
 *
 * | Program started with | Seen by |
 * |---|---|
 * | `-A`, on Linux | the command line in `/proc` |
 * | `-A`, on macOS and the BSDs | the command line that `ps` tells |
 * | no permission for the runner's address, and the port not given or `0` | Deno granting `deno serve` its own address |
 * | `--parallel` on Deno 2.9, any permissions | the console that prints `[serve-worker-0 ]` |
 * | `DENO_AUTO_SERVE` in the environment, which may be read | that variable |
 *
 * Not seen are `deno serve` with chosen permissions but without `--parallel` when it may listen anywhere or has a port
 * of its own, and `-A` on Windows. There `Run` listens on its own address, as under `deno run`; programs for `deno
 * serve` that need to run so leave out `Run`, which they do not need.
 *
 * @module
 */

import { parseAddress } from "./address.ts";
import type { Runner } from "./runner.ts";

/**
 * Says whether the program was started by `deno serve`, which listens by itself.
 *
 * It never asks for a permission, never throws, and takes well under a millisecond (some 5 ms on macOS with `-A`).
 * In a doubt it says no, because a server that does not listen is worse than one that listens twice.
 *
 * @param runner What the program is about to listen on; it makes one more case visible.
 * @returns Whether `deno serve` runs the program.
 */
export function underDenoServe(runner?: Runner): boolean {
  try {
    // A worker of a served program is not served; in a compiled program, "serve" is an argument of its own.
    if ("WorkerGlobalScope" in globalThis || Deno.build.standalone) return false;
    return isNamedInEnvironment() || isParallelConsole() || isServeCommand(commandLine()) || hasServeGrant(runner);
  } catch {
    return false;
  }
}

/**
 * Says whether a command line is that of `deno serve`.
 *
 * @param line The program and its arguments.
 * @returns Whether the first argument that is no option is `serve`.
 */
export function isServeCommand(line: readonly string[]): boolean {
  for (let i = 1; i < line.length; i++) {
    const word = line[i] ?? "";
    if (word === "-L" || word === "--log-level") i++;
    else if (!word.startsWith("-")) return word === "serve";
  }
  return false;
}

function commandLine(): readonly string[] {
  const isAllowed = isGranted({ name: "read" }) && isGranted({ name: "run" });
  if (!isAllowed) return [];
  if (Deno.build.os === "linux" || Deno.build.os === "android") {
    return Deno.readTextFileSync("/proc/self/cmdline").split("\0");
  }
  return Deno.build.os === "windows" ? [] : commandLineByPs();
}

/** Reads the command line as `ps` prints it: words with spaces between, so the program's own path is cut off first. */
export function commandLineByPs(): readonly string[] {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "args=", "-p", `${Deno.pid}`], stderr: "null" })
    .outputSync();
  const [, rest = ""] = /(?:^|\/)deno\s+(.*)/.exec(new TextDecoder().decode(stdout)) ?? [];
  return ["deno", ...rest.trim().split(/\s+/)];
}

// `deno serve` may listen on its own address without being told so, here its default one or any. A program under
// `deno run` that has this permission and not the one for its own address could not listen anyway.
function hasServeGrant(runner: Runner | undefined): boolean {
  if (runner === undefined || runner.Kind === "unix" || isGranted({ name: "net" })) return false;
  const { hostname, port } = parseAddress(runner.Address);
  const own = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  if (isGranted({ name: "net", host: own })) return false;
  return isGranted({ name: "net", host: "0.0.0.0:8000" }) || isGranted({ name: "net", host: "0.0.0.0:0" });
}

// The console of a `--parallel` thread is made anew, without what V8 adds to the usual one. Bound to the version in
// which this was seen: elsewhere a console without this function may be the usual one.
function isParallelConsole(): boolean {
  const console: object = globalThis.console;
  return Deno.version.deno.startsWith("2.9.") && !("createTask" in console) &&
    Object.getOwnPropertySymbols(console).some((symbol) => symbol.description === "isConsoleInstance");
}

function isNamedInEnvironment(): boolean {
  const variable = "DENO_AUTO_SERVE";
  return isGranted({ name: "env", variable }) && Boolean(Deno.env.get(variable));
}

function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}
