/**
 * Webhooks: accepts signed requests of other programs, and sends signed requests to them.
 *
 * @module
 */

export type { Resolver } from "./public_address.ts";
export type { HeaderScheme } from "./scheme.ts";
export { type Delivery, Send, type SendJob, type SendOptions } from "./send.ts";
export { Verify, type VerifyOptions } from "./verify.ts";
