/**
 * Middleware that accepts only signed webhooks.
 *
 * @module
 */

import { isBoolean } from "../../state/store/store_results.ts";
import { bytes, filled, formerly, func, milliseconds, texts } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { refuseWith } from "../../core/context/refusal.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { onSend } from "../../core/exchange/ending/end_tasks.ts";
import { type Exchange, outerExchange, valueOf, valuesOf } from "../../core/exchange/exchange.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import { Key } from "../../core/exchange/values.ts";
import { NewMemory } from "../../state/store/memory.ts";
import { type Store, storeOption } from "../../state/store/store.ts";
import { StoreGuard } from "../../state/store/store_guard.ts";
import { digestOf, type HeaderScheme, isSigned, keysOf, type SchemeName, schemeOf, schemeRule } from "./scheme.ts";

/** Options for {@linkcode Verify}. */
export interface VerifyOptions {
  /** The secret that the sender uses to sign requests. */
  readonly Secret?: string;
  /** Several valid secrets, while one of them is being replaced. */
  readonly Secrets?: readonly string[];
  /**
   * The signature scheme: Standard Webhooks, a well-known sender's scheme, or a header that contains an HMAC of the
   * body.
   *
   * @default {"standard"}
   */
  readonly Scheme?: SchemeName | HeaderScheme;
  /**
   * The maximum difference between the signed time and the server's clock, in milliseconds.
   *
   * @default {300000}
   */
  readonly Tolerance?: number;
  /**
   * The maximum body size, in bytes. The body is read before the signature is checked.
   *
   * @default {4194304}
   */
  readonly MaxBody?: number;
  /**
   * The store that records requests so that each one is accepted only once. If omitted, they are recorded in memory.
   */
  readonly Store?: Store;
  /**
   * The handler that responds to a repeated request. The status is 409 unless the handler sets a different one.
   */
  readonly OnReplay?: Handler;
}

const table = optionTable<VerifyOptions>("webhooks.VerifyOptions", "webhooks")({
  Secret: filled(),
  Secrets: texts([]),
  Scheme: schemeRule,
  Tolerance: milliseconds(300_000, { isPositive: true }),
  MaxBody: formerly("MaxBodySize", bytes(4 << 20, { isPositive: true, to: Infinity })),
  Store: storeOption,
  OnReplay: func(),
});

/** The time to remember a request without a signed time, which could be repeated forever, in milliseconds. */
const untimed = 7 * 24 * 60 * 60 * 1000;
/** The webhook that a request has been accepted as. */
const acceptedKey: Key<{ readonly store: Store; readonly key: string }> = Key("webhook");
/** The time after which a request without a response may be repeated, because the process has ended. */
const unanswered = 10 * 60 * 1000;

/**
 * Creates middleware that accepts only webhooks with a valid signature. Handlers can still read the body.
 *
 * Responds with 401 if the signature is missing, wrong or too old, with 400 if the signed time is malformed, with 413
 * if the body is too large, and with 409 if the same request has been accepted before. If the handler fails, the
 * request is forgotten, so that the sender can repeat it.
 *
 * @param options The secret, and the signature scheme.
 * @returns The middleware.
 * @throws {FrameworkError} If an option is invalid.
 */
export function Verify(options: VerifyOptions): Handler {
  const settings = readOptions(table, options);
  const { Secret = [], Secrets, Scheme, Tolerance, MaxBody, Store: store = NewMemory(), OnReplay } = settings;
  const scheme = schemeOf(Scheme);
  const keys = keysOf(scheme, [Secret, Secrets].flat());
  const guard = new StoreGuard("webhook store", "FW_STORE");

  async function verify(ctx: Context): Promise<void | Response> {
    const signed = scheme.read((name) => ctx.GetHeader(name));
    if (signed === undefined) return refuse(ctx, 401, "it has no signature");
    if (signed.time !== undefined) {
      if (!/^\d{1,12}$/.test(signed.time)) return refuse(ctx, 400, "its timestamp is malformed");
      const age = Math.abs(Date.now() - Number(signed.time) * 1000);
      if (age > Tolerance) return refuse(ctx, 401, "its timestamp is too old or too new");
    }
    ctx.SetMaxRequestBodySize(MaxBody);
    const [body, error] = await ctx.GetBody();
    if (error !== null) throw error;
    if (!isSigned(scheme, keys, signed, body)) return refuse(ctx, 401, "its signature is wrong");

    const key = `webhook:${digestOf(signed, body)}`;
    const accepted = valueOf(exchangeOf(ctx), acceptedKey);
    // The middleware may be used twice, such as in a mounted application and around it.
    if (accepted?.store === store && accepted.key === key) return await ctx.Next();
    const lifetime = signed.time === undefined ? untimed : 2 * Tolerance;
    const isNew = await guard.write(ctx, () => store.Create(key, "", Math.min(lifetime, unanswered)), isBoolean);
    if (!isNew) {
      return OnReplay === undefined
        ? refuse(ctx, 409, "it has been received before")
        : refuseWith(ctx, 409, () => OnReplay(ctx));
    }
    /** Remembers the webhook, unless its sender receives an error, also one of the applications around this one. */
    async function settle(exchange: Exchange<Context>): Promise<void> {
      if (exchange.draft.status >= 400) return void await guard.write(ctx, () => store.Delete(key));
      const outer = outerExchange(exchange);
      if (outer !== undefined) {
        // After a timeout, the response of the outer application has already been decided.
        return outer.draft.gate === undefined ? onSend(outer, () => settle(outer)) : await settle(outer);
      }
      if (lifetime > unanswered) await guard.write(ctx, () => store.Set(key, "", lifetime));
    }
    const own = exchangeOf(ctx);
    valuesOf(own).Set(acceptedKey, { store, key });
    onSend(own, () => settle(own));
    await ctx.Next();
  }
  return noteFacts(verify, {
    guard: "webhooks.Verify",
    security: { name: "webhook", scheme: { type: "apiKey", in: "header", name: scheme.header } },
  });
}

function refuse(ctx: Context, status: number, reason: string): void {
  if (status === 401) ctx.Header("WWW-Authenticate", "Webhook");
  ctx.StopWithError(status, new HTTPError(status, `Cannot accept the webhook: ${reason}`, { Code: "FW_AUTH" }));
}
