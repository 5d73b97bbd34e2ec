/**
 * Serializes session values. All stores return the same value for the same input.
 *
 * @module
 */

import { decodeStored, encodeStored } from "../../base/codec/stored.ts";
import { FrameworkError } from "../../base/errors/errors.ts";

/** Serializes a value. The key is used in error messages. */
export function encode(key: string, value: unknown): string {
  const act = `store "${key}" in the session`;
  if (value === undefined) throw new FrameworkError("FW_SESSION", `Cannot ${act}: it is undefined`);
  return encodeStored(value, { act, root: key, code: "FW_SESSION" });
}

/** Parses a value. Each call returns a new value, so that changing it does not change the session. */
export function decode(text: string): unknown {
  return decodeStored(text);
}
