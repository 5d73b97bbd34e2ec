/**
 * Reads certificates and private keys.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import type { PEM } from "./runner.ts";

/** The role of a PEM in a TLS pair. */
export type PEMRole = "certificate" | "key";

/**
 * Reads a certificate or a key from a file, or returns the given PEM unchanged.
 *
 * @param role The role, for the error message.
 * @param source A file name, a `file:` URL, or the PEM itself.
 * @returns The PEM.
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
 * Returns the name of a PEM for messages. The name contains the file but never the content, which may be a private key.
 *
 * @param role The role.
 * @param source The source.
 * @returns The name, such as `key "server.key"`.
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
  if (error instanceof Deno.errors.NotFound) return "the file does not exist; check the path";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory; specify a file in it";
  if (error instanceof Deno.errors.PermissionDenied) return "this user is not allowed to read it";
  if (error instanceof Deno.errors.NotCapable) return "Deno has no permission; run with --allow-read";
  return messageOf(error);
}
