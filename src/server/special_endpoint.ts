/**
 * What only some endpoints need: the words for a failure to listen, the files of TLS, and unix sockets.
 *
 * @module
 */

import { FrameworkError, messageOf } from "../base/errors.ts";
import type { PEM, Runner, TLSRunner } from "./runner.ts";

interface Reason {
  readonly fits: (error: Error) => boolean;
  readonly why: string;
}

const TCP_REASONS: readonly Reason[] = [
  {
    fits: (error) => error instanceof Deno.errors.AddrInUse,
    why: "the port is in use, stop the program that holds it or choose another port",
  },
  {
    fits: (error) => error instanceof Deno.errors.PermissionDenied,
    why: "the system does not allow this port, choose one above 1023 or grant the right to bind it",
  },
  {
    fits: (error) => error instanceof Deno.errors.NotCapable,
    why: "Deno has no permission for it, run with --allow-net",
  },
  {
    fits: (error) => error instanceof Deno.errors.AddrNotAvailable,
    why: "no network interface of this machine has that address",
  },
  {
    fits: (error) => error.message.includes("lookup address"),
    why: "the host name cannot be resolved",
  },
];

const UNIX_REASONS: readonly Reason[] = [
  {
    fits: (error) => error instanceof Deno.errors.NotFound,
    why: "its directory does not exist, create it first",
  },
  {
    fits: (error) => error instanceof Deno.errors.AddrInUse,
    why: "the path is in use, remove what is there or choose another path",
  },
  {
    fits: (error) => error instanceof Deno.errors.PermissionDenied,
    why: "the system does not let this user write to its directory",
  },
  {
    fits: (error) => error instanceof Deno.errors.NotCapable,
    why: "Deno has no permission for it, run with --allow-read and --allow-write",
  },
  {
    fits: (error) => error.message.includes("SUN_LEN"),
    why: "the path is too long for a socket",
  },
];

/**
 * Turns what `Deno.serve` throws into one clear line.
 *
 * @param runner What was to be listened on.
 * @param thrown What Deno threw.
 * @returns The error to throw instead.
 */
export function listenError(runner: Runner, thrown: unknown): FrameworkError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const place = runner.Kind === "unix" ? `unix socket "${runner.Path}"` : `"${runner.Address}"`;
  return new FrameworkError("FW_LISTEN", `Cannot listen on ${place}: ${reasonOf(runner, error)}`, { cause: thrown });
}

function reasonOf(runner: Runner, error: Error): string {
  const reasons = runner.Kind === "unix" ? UNIX_REASONS : TCP_REASONS;
  const known = reasons.find((reason) => reason.fits(error));
  if (known !== undefined) return known.why;
  return (runner.Kind === "tls" ? tlsReason(runner, error.message) : undefined) ?? firstLine(error.message);
}

function tlsReason(runner: TLSRunner, message: string): string | undefined {
  const certificate = namePEM("certificate", runner.Certificate);
  const key = namePEM("key", runner.Key);
  if (/consistent|mismatch/i.test(message)) return `${key} does not belong to ${certificate}`;
  if (/\bcert/i.test(message)) return `${certificate} holds no certificate that can be read`;
  if (/\bkey/i.test(message)) return `${key} holds no private key that can be read without a password`;
  return undefined;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}

/** Which half of a TLS pair a PEM is. */
export type PEMRole = "certificate" | "key";

/**
 * Reads a certificate or key from a file, or takes the given text as it is.
 *
 * @param role What it is, for the error message.
 * @param source A file name, a `file:` URL, or the PEM text itself.
 * @returns The PEM text.
 */
export async function readPEM(role: PEMRole, source: PEM): Promise<string> {
  if (isText(source)) return source;
  try {
    return await Deno.readTextFile(fileOf(source));
  } catch (error) {
    throw new FrameworkError("FW_LISTEN", `Cannot read ${namePEM(role, source)}: ${readProblem(error)}`, {
      cause: error,
    });
  }
}

/**
 * Names a PEM in a message: by its file, and never by its text, which may be a private key.
 *
 * @param role What it is.
 * @param source Where it comes from.
 * @returns For example `key "server.key"`.
 */
export function namePEM(role: PEMRole, source: PEM): string {
  return isText(source) ? `the ${role} given as text` : `${role} "${source}"`;
}

function isText(source: PEM): source is string {
  return typeof source === "string" && source.includes("-----BEGIN");
}

function fileOf(source: PEM): string | URL {
  return typeof source === "string" && source.startsWith("file:") ? new URL(source) : source;
}

function readProblem(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file, check the path";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory, name the file in it";
  if (error instanceof Deno.errors.PermissionDenied) return "the system does not let this user read it";
  if (error instanceof Deno.errors.NotCapable) return "Deno may not read it, run with --allow-read";
  return messageOf(error);
}

/**
 * Removes the socket file that a dead server left behind; throws when the path is taken by anything else.
 *
 * @param path The socket's file name.
 */
export async function freeSocket(path: string): Promise<void> {
  let found: Deno.FileInfo;
  try {
    found = await Deno.lstat(path);
  } catch {
    // Nothing there, or not ours to see: listening will say what is wrong, if anything is.
    return;
  }
  if (found.isSocket !== true) {
    throw taken(path, "something that is not a socket is there, remove it or choose another path");
  }
  if (await isAlive(path)) {
    throw taken(path, "another server is using it, stop that server or choose another path");
  }
  try {
    await Deno.remove(path);
  } catch (error) {
    // Two servers that start at once both find the dead socket; the second need not remove it again.
    if (!(error instanceof Deno.errors.NotFound)) {
      throw taken(path, "the socket of a dead server is there and cannot be removed", error);
    }
  }
}

/**
 * Remembers which file a listening socket is.
 *
 * @param path The socket's file name.
 * @returns A function that removes the file, unless another server has put its own there since.
 */
export function ownSocket(path: string): () => void {
  const own = inode(path);
  return function removeSocket(): void {
    if (own === undefined || inode(path) !== own) return;
    try {
      Deno.removeSync(path);
    } catch {
      // Removed meanwhile: that is what was wanted.
    }
  };
}

async function isAlive(path: string): Promise<boolean> {
  try {
    const connection = await Deno.connect({ transport: "unix", path });
    connection.close();
    return true;
  } catch (error) {
    // A socket without a process refuses connections; any other outcome says that there is a process behind it.
    return !(error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.NotFound);
  }
}

function inode(path: string): string | undefined {
  try {
    const { dev, ino } = Deno.lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function taken(path: string, why: string, cause?: unknown): FrameworkError {
  return new FrameworkError("FW_LISTEN", `Cannot listen on unix socket "${path}": ${why}`, { cause });
}
