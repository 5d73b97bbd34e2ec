/**
 * A second implementation of TOTP (RFC 6238), to compare it with that of the library.
 *
 * @module
 */

import { createHmac } from "node:crypto";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns the code of a secret in base 32, for a time step. */
export function codeOf(secret: string, step: number): string {
  const digits = [...secret.replaceAll(" ", "")].map((each) => letters.indexOf(each).toString(2).padStart(5, "0"));
  const bytes = digits.join("").match(/.{8}/g)?.map((each) => parseInt(each, 2)) ?? [];
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = createHmac("sha1", new Uint8Array(bytes)).update(new Uint8Array(counter.buffer)).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
