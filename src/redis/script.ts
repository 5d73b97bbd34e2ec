/**
 * Scripts that run atomically inside Redis.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** A script and the digest by which Redis identifies it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** Creates a script from its Lua source. */
export function script(text: string): Script {
  return { text, digest: createHash("sha1").update(text).digest("hex") };
}
