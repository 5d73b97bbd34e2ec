/**
 * Which errors say that there is no such file.
 *
 * @module
 */

const codes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

/**
 * Reports whether an error says that there is no such file, or could be none of that name: a client may have made it up.
 *
 * @param error What the platform threw.
 */
export function isAbsent(error: unknown): boolean {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return true;
  return error instanceof Error && "code" in error && codes.has(String(error.code));
}
