/**
 * Reads certificates and keys.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { messageOf } from "../base/to_error.ts";
import type { PEM } from "./runner.ts";

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
