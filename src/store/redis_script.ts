/**
 * Scripts that run inside Redis, where nothing can come between their commands.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** A script with the digest that Redis knows it by. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** Prepares a script from its text in Lua. */
export function script(text: string): Script {
  return { text, digest: createHash("sha1").update(text).digest("hex") };
}
