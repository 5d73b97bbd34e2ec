/**
 * What `Run` listens on: the runners, the addresses that they are given, or `deno serve`.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/** A PEM file, or its contents: a file name, a `file:` URL, or text that holds `-----BEGIN`. */
export type PEM = string | URL;

/** Plain HTTP on a TCP address, created by {@linkcode Addr}. */
export interface AddrRunner {
  /** Tells the kinds of runners apart. */
  readonly Kind: "addr";
  /** The address as given. */
  readonly Address: string;
}

/** HTTPS on a TCP address, created by {@linkcode TLS}. */
export interface TLSRunner {
  /** Tells the kinds of runners apart. */
  readonly Kind: "tls";
  /** The address as given. */
  readonly Address: string;
  /** The certificate chain, the server's own certificate first. */
  readonly Certificate: PEM;
  /** The private key of the first certificate. */
  readonly Key: PEM;
}

/** Plain HTTP on a unix socket, created by {@linkcode Unix}. */
export interface UnixRunner {
  /** Tells the kinds of runners apart. */
  readonly Kind: "unix";
  /** The socket's file name. */
  readonly Path: string;
}

/** What a server listens on: the first argument of `Run`. */
export type Runner = AddrRunner | TLSRunner | UnixRunner;

/**
 * Listens for plain HTTP on a TCP address.
 *
 * @example Any free port of the local machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * fw.Addr("127.0.0.1:0").Address; // → "127.0.0.1:0"
 * ```
 *
 * @param address `host:port`, `:port`, `[::1]:port` or a bare port. Without a host it is every interface, port `0`
 * is any free one, and the empty address is `:8080`.
 * @returns A runner for `Run`.
 */
export function Addr(address: string): AddrRunner {
  return { Kind: "addr", Address: address };
}

/**
 * Listens for HTTPS on a TCP address; clients that can get HTTP/2.
 *
 * @example Files beside the module
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const cert = new URL("./cert.pem", import.meta.url);
 * const key = new URL("./key.pem", import.meta.url);
 * fw.TLS(":443", cert, key).Certificate; // → cert
 * ```
 *
 * @param address As for {@linkcode Addr}.
 * @param certificate The certificate chain: a file name, a `file:` URL, or the PEM text itself.
 * @param key The private key, not encrypted: a file name, a `file:` URL, or the PEM text itself.
 * @returns A runner for `Run`.
 */
export function TLS(address: string, certificate: PEM, key: PEM): TLSRunner {
  return { Kind: "tls", Address: address, Certificate: certificate, Key: key };
}

/**
 * Listens for plain HTTP on a unix socket.
 *
 * A socket file that a dead server left behind is replaced; the file is removed on shutdown.
 *
 * @example Behind a proxy of the same machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * fw.Unix("/run/app/http.sock").Path; // → "/run/app/http.sock"
 * ```
 *
 * @param path The socket's file name; its directory must exist.
 * @returns A runner for `Run`.
 */
export function Unix(path: string): UnixRunner {
  return { Kind: "unix", Path: path };
}

/**
 * Takes what a program gives to `Run`: a runner, or an address for {@linkcode Addr}.
 *
 * @param given The runner, address or port.
 * @returns The runner.
 */
export function toRunner(given: Runner | string | number): Runner {
  if (typeof given === "string" || typeof given === "number") return Addr(String(given));
  const kind: unknown = given?.Kind;
  if (kind === "addr" || kind === "tls" || kind === "unix") return given;
  throw new FrameworkError(
    "FW_ADDRESS",
    `Cannot run on "${typeof given === "function" ? "a function" : Deno.inspect(given)}": ` +
      'the first argument says where to listen, as in fw.Addr(":8080")',
  );
}

/** Where to listen: what `Deno.serve` takes. */
interface ListenAddress {
  /** A host name or IP address, IPv6 without brackets. */
  readonly hostname: string;
  /** A port, `0` for any free one. */
  readonly port: number;
}

const ALL_INTERFACES = "0.0.0.0";
const DEFAULT_PORT = 8080;

/** Either a bracketed IPv6 host or one without colons, then the port. */
const HOST_AND_PORT = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:]*)$/;

/**
 * Reads a listen address: `host:port`, `:port`, `[::1]:port`, a bare port, or nothing for `:8080`.
 *
 * @param address The address as the user wrote it. An empty host means every interface.
 * @returns The host and the port.
 */
export function parseAddress(address: string): ListenAddress {
  if (address === "") return { hostname: ALL_INTERFACES, port: DEFAULT_PORT };
  if (/^\d+$/.test(address)) return { hostname: ALL_INTERFACES, port: parsePort(address, address) };
  const parts = HOST_AND_PORT.exec(address);
  if (parts === null) throw unreadable(address, shapeProblem(address));
  const [, bracketed, plain = "", port = ""] = parts;
  if (bracketed !== undefined && !isIPv6(bracketed)) {
    throw unreadable(address, `"${bracketed}" is not an IPv6 address`);
  }
  if (plain !== "" && !isHost(plain)) throw unreadable(address, `"${plain}" is not a host name or an IP address`);
  return { hostname: bracketed ?? (plain || ALL_INTERFACES), port: parsePort(port, address) };
}

function parsePort(text: string, address: string): number {
  if (text === "") throw unreadable(address, "the port after the colon is missing");
  if (!/^\d+$/.test(text)) throw unreadable(address, `port "${text}" is not a number`);
  const port = Number(text);
  if (port > 65535) throw unreadable(address, `port "${text}" is not between 0 and 65535`);
  return port;
}

function shapeProblem(address: string): string {
  if (address.includes("://")) return 'it has a scheme, write only the host and the port, as in "localhost:8080"';
  if (!address.includes(":")) return `it has no port, write for example "${address}:8080"`;
  return 'an IPv6 host must stand in brackets, as in "[::1]:8080"';
}

function isIPv6(host: string): boolean {
  const withoutZone = host.replace(/%.+$/, "");
  return /^[\da-f:.]+$/i.test(withoutZone) && URL.canParse(`http://[${withoutZone}]/`);
}

// The URL parser alone would take "a/b" for host "a" with a path, and "me@host" for a user name.
function isHost(host: string): boolean {
  return /^[^\s/?#@\\%]+$/.test(host) && URL.canParse(`http://${host}/`);
}

function unreadable(address: string, why: string): FrameworkError {
  return new FrameworkError("FW_ADDRESS", `Cannot read listen address "${address}": ${why}`);
}

// Notices that `deno serve` runs this program.
//
// Deno has no way to ask (denoland/deno issue 29447), and it looks at a module's default export only after the module
// has run, so a program that waits in `await app.Run()` would never be served. What gives `deno serve` away:
//
// | Program started with | Seen by |
// |---|---|
// | `-A`, on Linux | the command line in `/proc` |
// | `-A`, on macOS and the BSDs | the command line that `ps` tells |
// | no permission for the runner's address, default port | Deno granting `deno serve` its own address, `0.0.0.0:8000` |
// | `--parallel` on Deno 2.9, any permissions | the console that prints `[serve-worker-0 ]` |
// | `DENO_AUTO_SERVE` in the environment, which may be read | that variable |
//
// Not seen are `deno serve --allow-net` without `--parallel`, `deno serve` with `--port` or `--host` and chosen
// permissions, and `-A` on Windows. There `Run` listens on its own address, as under `deno run`; a program that is
// served so leaves out `Run`, which it does not need.

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
