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
 * | no permission for the runner's address, default port | Deno granting `deno serve` its own address, `0.0.0.0:8000` |
 * | `--parallel` on Deno 2.9, any permissions | the console that prints `[serve-worker-0 ]` |
 * | `DENO_AUTO_SERVE` in the environment, which may be read | that variable |
 *
 * Not seen are `deno serve --allow-net` without `--parallel`, `deno serve` with `--port` or `--host` and chosen
 * permissions, and `-A` on Windows. There `Run` listens on its own address, as under `deno run`; a program that is
 * served so leaves out `Run`, which it does not need.
 *
 * @module
 */

import { parseAddress } from "./listen_address.ts";
import type { Runner } from "./runner.ts";

/**
 * Reports whether the program was started by `deno serve`, which listens by itself.
 *
 * It never asks for a permission, never throws, and takes a millisecond (some 5 ms on macOS with `-A`). When in doubt
 * it says no, because a server that does not listen is worse than one that listens twice.
 *
 * @param runner What the program is about to listen on; one more case shows by it.
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
 * Reports whether a command line is that of `deno serve`.
 *
 * @param line The program and its arguments.
 * @returns Whether the first argument that is not an option is `serve`.
 */
export function isServeCommand(line: readonly string[]): boolean {
  for (let i = 1; i < line.length; i++) {
    const word = line[i] ?? "";
    if (word === "-L" || word === "--log-level") i++;
    else if (!word.startsWith("-")) return word === "serve";
  }
  return false;
}

let known: readonly string[] | undefined;

/** The command line does not change while the process runs. */
function commandLine(): readonly string[] {
  return known ??= readCommandLine();
}

function readCommandLine(): readonly string[] {
  const isAllowed = isGranted({ name: "read" }) && isGranted({ name: "run" });
  if (!isAllowed || Deno.build.os === "windows") return [];
  try {
    return Deno.build.os === "linux" ? commandLineByProc() : commandLineByPs();
  } catch {
    // Deno lets programs see /proc only when they may do everything; it refuses without asking.
    return [];
  }
}

function commandLineByProc(): readonly string[] {
  return Deno.readTextFileSync("/proc/self/cmdline").split("\0");
}

/** Reads the command line that `ps` prints: words with spaces between, so the program's own path is cut off first. */
export function commandLineByPs(): readonly string[] {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "args=", "-p", `${Deno.pid}`], stderr: "null" })
    .outputSync();
  const [, rest = ""] = /(?:^|\/)deno\s+(.*)/.exec(new TextDecoder().decode(stdout)) ?? [];
  return ["deno", ...rest.trim().split(/\s+/)];
}

// `deno serve` may listen on its own address without a flag. A program under `deno run` that has such a permission and
// not the one for its own address could not listen anyway.
function hasServeGrant(runner: Runner | undefined): boolean {
  if (runner === undefined || runner.Kind === "unix" || isGranted({ name: "net" })) return false;
  const { hostname, port } = parseAddress(runner.Address);
  const own = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  return !isGranted({ name: "net", host: own }) && isGranted({ name: "net", host: "0.0.0.0:8000" });
}

// The console of a `--parallel` thread is created anew, without what V8 adds to the usual one. Bound to the version in
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
