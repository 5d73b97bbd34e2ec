/**
 * Keys that sign and encrypt values stored by clients, such as cookies and form tokens.
 *
 * @example Sign a value, and encrypt a value
 * ```ts
 * import * as keys from "@fw/web/keys";
 *
 * const ring = keys.New(keys.Generate()); // usually from the environment
 * const signed = ring.Sign("cart", "tea");
 * ring.Verify("cart", signed); // → "tea"
 * ring.Verify("cart", signed.replace("tea", "gold")); // → undefined
 *
 * const sealed = ring.Encrypt("cart", "tea", 60_000);
 * sealed.includes("tea"); // → false
 * ring.Decrypt("cart", sealed); // → "tea"
 * ```
 *
 * @module
 */

export { Generate, Keys, New, type Secret } from "./keys.ts";
