// The real function, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/msgpack/decode.js";
import type { ValueType } from "./encode.ts";

export const decode: (data: Uint8Array) => ValueType = real.decode;
