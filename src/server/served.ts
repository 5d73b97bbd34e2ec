/**
 * Whether `deno serve` runs this program.
 *
 * @module
 */

/** Says whether the program was started by `deno serve`, which listens by itself. */
export function underDenoServe(): boolean {
  return false;
}
