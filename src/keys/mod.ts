/**
 * Keys that sign and encrypt what a client keeps for the server, such as cookies and the tokens of forms.
 *
 * @example A cookie that the client can read and not change, and one that it cannot even read
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
