// The function from npm, which has no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/msgpack/decode.js";
import type { ValueType } from "./encode.ts";

export const decode: (data: Uint8Array) => ValueType = real.decode;
