/**
 * Webhooks in both directions: {@linkcode Verify} accepts signed requests, and {@linkcode Send} sends them as jobs.
 *
 * @example Accept webhooks, and send them
 * ```ts
 * import * as fw from "@fw/web";
 * import * as webhooks from "@fw/web/webhooks";
 *
 * const Secret = "whsec_c2VjcmV0IG9mIHRoZSBzZW5kZXI=";
 * const app = fw.New();
 * app.Post("/hook", webhooks.Verify({ Secret }), (ctx) => ctx.WriteString("accepted"));
 * const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
 *
 * // A queue calls the job with its own context.
 * const send = webhooks.Send({ Secret: () => Secret, Allow: ["127.0.0.1"] });
 * const call = { Key: "order-1", Signal: AbortSignal.timeout(5_000) };
 * await send({ URL: `http://127.0.0.1:${server.addr.port}/hook`, Data: { paid: true } }, call); // → 200
 *
 * const forged = new Request("http://localhost/hook", { method: "POST", body: "{}" });
 * (await app.fetch(forged)).status; // → 401
 * await server.shutdown();
 * ```
 *
 * @module
 */

export type { Resolver } from "./public_address.ts";
export type { HeaderScheme, SchemeName } from "./scheme.ts";
export { type Delivery, Send, type SendJob, type SendOptions } from "./send.ts";
export { Verify, type VerifyOptions } from "./verify.ts";
