/**
 * Explains in one line why a server cannot listen.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { toError } from "../../base/errors/to_error.ts";
import type { System } from "../../base/text/file_name.ts";
import { namePEM } from "./pem.ts";
import type { Runner, TLSRunner } from "./runner.ts";

interface Reason {
  readonly fits: (error: Error, system: System) => boolean;
  readonly why: string;
}

const TCP_REASONS: readonly Reason[] = [
  {
    fits: (error) => error instanceof Deno.errors.AddrInUse,
    why: "the port is already in use; stop the program that uses it or choose another port",
  },
  {
    fits: (error, system) => error instanceof Deno.errors.PermissionDenied && system === "windows",
    why: "Windows has reserved this port or another program uses it alone; choose another port " +
      "(netsh int ipv4 show excludedportrange tcp lists the reserved ones)",
  },
  {
    fits: (error) => error instanceof Deno.errors.PermissionDenied,
    why: "the system does not allow this port; choose one above 1023 or grant the permission to bind it",
  },
  {
    fits: (error) => error instanceof Deno.errors.NotCapable,
    why: "Deno has no permission; run with --allow-net",
  },
  {
    fits: (error) => error instanceof Deno.errors.AddrNotAvailable,
    why: "no network interface of this machine has this address",
  },
  {
    fits: (error) => error.message.includes("lookup address"),
    why: "the host name cannot be resolved",
  },
];

const UNIX_REASONS: readonly Reason[] = [
  {
    fits: (error) => error instanceof Deno.errors.NotFound,
    why: "its directory does not exist; create it first",
  },
  {
    fits: (error) => error instanceof Deno.errors.AddrInUse,
    why: "the path is already in use; remove the file or choose another path",
  },
  {
    fits: (error) => error instanceof Deno.errors.PermissionDenied,
    why: "this user is not allowed to write to its directory",
  },
  {
    fits: (error) => error instanceof Deno.errors.NotCapable,
    why: "Deno has no permission; run with {flags}",
  },
  {
    fits: (error) => error.message.includes("SUN_LEN"),
    why: "the path is too long for a socket",
  },
];

/**
 * Turns an error from `Deno.serve` into a one-line explanation.
 *
 * @param runner The address to listen on.
 * @param thrown The error that Deno threw.
 * @param system The operating system. Defaults to the current one.
 * @returns The error to throw instead.
 */
export function listenError(runner: Runner, thrown: unknown, system: System = Deno.build.os): FrameworkError {
  const error = toError(thrown);
  const place = runner.Kind === "unix" ? `unix socket "${runner.Path}"` : `"${runner.Address}"`;
  return new FrameworkError("FW_LISTEN", `Cannot listen on ${place}: ${reasonOf(runner, error, system)}`, {
    cause: thrown,
  });
}

function reasonOf(runner: Runner, error: Error, system: System): string {
  const reasons = runner.Kind === "unix" ? UNIX_REASONS : TCP_REASONS;
  const known = reasons.find((reason) => reason.fits(error, system));
  if (known !== undefined) return known.why.replace("{flags}", () => unixFlags(runner));
  return (runner.Kind === "tls" ? tlsReason(runner, error.message) : undefined) ?? firstLine(error.message);
}

function tlsReason(runner: TLSRunner, message: string): string | undefined {
  const certificate = namePEM("certificate", runner.Certificate);
  const key = namePEM("key", runner.Key);
  if (/consistent|mismatch/i.test(message)) return `${key} does not belong to ${certificate}`;
  if (/\bcert/i.test(message)) return `${certificate} does not contain a valid certificate`;
  if (/\bkey/i.test(message)) return `${key} does not contain a valid, unencrypted private key`;
  return undefined;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}

/** Returns the flags for a unix socket. Deno 2.9 also requires a network permission. */
function unixFlags(runner: Runner): string {
  const path = runner.Kind === "unix" ? runner.Path : "";
  return `--allow-read="${path}" --allow-write="${path}" --allow-net="unix:${path}"`;
}
