/**
 * Webhooks: accepts signed requests of other programs.
 *
 * @module
 */

export type { HeaderScheme } from "./scheme.ts";
export { Verify, type VerifyOptions } from "./verify.ts";
