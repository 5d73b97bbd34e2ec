/**
 * The error for a value that cannot leave a call, with the place where it was found.
 *
 * @module
 */

import { type ErrorCode, FrameworkError } from "../errors/errors.ts";

/** The place where a value enters, for the error message. */
export interface Entrance {
  /** The failed action, such as `add the job "remind"`. */
  readonly act: string;
  /** The name of the whole value, such as `Data`. */
  readonly root: string;
  readonly code: ErrorCode;
}

/** The keys from the whole value to one of its parts. */
export type Path = readonly PropertyKey[];

/** Creates the error for a part of a value. */
export function refusal({ act, root, code }: Entrance, path: Path, reason: string): FrameworkError {
  return new FrameworkError(code, `Cannot ${act}: ${pathText(root, path)} ${reason}`);
}

/** Returns a path in the notation of TypeScript, such as `Data.items[3].at`. */
function pathText(root: string, path: Path): string {
  return root +
    path.map((key) =>
      typeof key === "number"
        ? `[${key}]`
        : typeof key === "string" && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)
        ? `.${key}`
        : `[${typeof key === "string" ? JSON.stringify(key) : String(key)}]`
    ).join("");
}

/** Names the kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === "number") return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (value instanceof Date && Number.isNaN(value.getTime())) return "an invalid Date";
  const { constructor } = value;
  return typeof constructor === "function" && constructor.name !== ""
    ? `an instance of ${constructor.name}`
    : "an instance of a class";
}
