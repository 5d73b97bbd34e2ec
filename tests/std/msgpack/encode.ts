// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/msgpack/encode.js";

/** The values that MessagePack supports. */
export type ValueType = number | bigint | string | boolean | null | Uint8Array | readonly ValueType[] | ValueMap;

/** A MessagePack map. */
export interface ValueMap {
  [index: string | number]: ValueType;
}

export const encode: (object: ValueType) => Uint8Array<ArrayBuffer> = real.encode;
