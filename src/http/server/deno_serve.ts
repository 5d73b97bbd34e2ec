/**
 * Detects whether `deno serve` runs this program.
 *
 * Deno has no API for this (denoland/deno issue 29447). Deno reads a module's default export only after the module has
 * run, so a program that waits in `await app.Run()` would never be served. `deno serve` can be detected in these cases:
 *
 * | Program started with | Detected by |
 * |---|---|
 * | `-A`, on Linux | the command line in `/proc` |
 * | `-A`, on macOS and the BSDs | the command line printed by `ps` |
 * | no permission for the runner's address, default port | Deno granting `deno serve` its own address, `0.0.0.0:8000` |
 * | `--parallel` on Deno 2.9, any permissions | the console that prints `[serve-worker-0 ]` |
 * | `DENO_AUTO_SERVE` in the environment, which may be read | that variable |
 *
 * The following cases are not detected: `deno serve --allow-net` without `--parallel`, `deno serve` with `--port` or
 * `--host` and selected permissions, and `-A` on Windows. In these cases, `Run` listens on its own address, as under
 * `deno run`. A program that is started this way should not call `Run`.
 *
 * @module
 */

import { parseAddress } from "./listen_address.ts";
import type { Runner } from "./runner.ts";

/**
 * Reports whether the program was started by `deno serve`, which opens the listener itself.
 *
 * Never prompts for a permission, never throws, and takes a millisecond (about 5 ms on macOS with `-A`). If it is not
 * certain, returns `false`, because a server that does not listen is worse than one that listens twice.
 *
 * @param runner The address that the program is about to listen on. It is used to detect one more case.
 * @returns `true` if `deno serve` runs the program.
 */
export function underDenoServe(runner?: Runner): boolean {
  try {
    // A worker of a served program is not served itself. In a compiled program, "serve" would be one of the program's
    // own arguments.
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
 * @returns `true` if the first argument that is not an option is `serve`.
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

/** Returns the command line. It does not change while the process runs. */
function commandLine(): readonly string[] {
  return known ??= readCommandLine();
}

function readCommandLine(): readonly string[] {
  const isAllowed = isGranted({ name: "read" }) && isGranted({ name: "run" });
  if (!isAllowed || Deno.build.os === "windows") return [];
  try {
    return Deno.build.os === "linux" ? commandLineByProc() : commandLineByPs();
  } catch {
    // Deno allows access to /proc only with all permissions, and denies it without a prompt.
    return [];
  }
}

function commandLineByProc(): readonly string[] {
  return Deno.readTextFileSync("/proc/self/cmdline").split("\0");
}

/**
 * Reads the command line from `ps`. Its output separates words by spaces, so the path of the program is removed first.
 */
export function commandLineByPs(): readonly string[] {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "args=", "-p", `${Deno.pid}`], stderr: "null" })
    .outputSync();
  const [, rest = ""] = /(?:^|\/)deno\s+(.*)/.exec(new TextDecoder().decode(stdout)) ?? [];
  return ["deno", ...rest.trim().split(/\s+/)];
}

// `deno serve` grants permission for its own address without a flag. A program under `deno run` that has this
// permission but not the one for its own address could not listen anyway.
function hasServeGrant(runner: Runner | undefined): boolean {
  if (runner === undefined || runner.Kind === "unix" || isGranted({ name: "net" })) return false;
  const { hostname, port } = parseAddress(runner.Address);
  const own = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  return !isGranted({ name: "net", host: own }) && isGranted({ name: "net", host: "0.0.0.0:8000" });
}

/** Reports whether this is one of the threads of `deno serve --parallel`, which do not share memory. */
export function isParallelThread(): boolean {
  return isParallelConsole();
}

// The console of a `--parallel` thread is a new one without V8's additions. The check is limited to the version in
// which this was observed, because the usual console of other versions may lack this function too.
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
