/**
 * Sends signed webhooks.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { encodeSent } from "../../base/codec/sent.ts";
import { bytes, formerly, func, required, texts, timeLimit } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { addressList } from "../../base/text/addresses.ts";
import type { StandardSchema } from "../../core/accessors/schema.ts";
import { type Context, PermanentError } from "../jobs/context.ts";
import { addressesOf, isPublic, type Resolver } from "./public_address.ts";
import { type HeaderScheme, keysOf, type SchemeName, schemeOf, schemeRule, sign } from "./scheme.ts";

/** A webhook to send. */
export interface Delivery {
  /** The URL of the receiver. */
  readonly URL: string;
  /** The content, which is sent as JSON. A part without a JSON form, such as bytes or `NaN`, is refused. */
  readonly Data: unknown;
}

/** Options for {@linkcode Send}. */
export interface SendOptions {
  /** Returns the receiver's secret, or several secrets while one of them is being replaced. */
  readonly Secret: (delivery: Delivery) => string | readonly string[] | Promise<string | readonly string[]>;
  /**
   * The signature scheme.
   *
   * @default {"standard"}
   */
  readonly Scheme?: SchemeName | HeaderScheme;
  /**
   * The time limit for a response, in milliseconds.
   *
   * @default {15000}
   */
  readonly Timeout?: number;
  /**
   * The maximum size of a response, in bytes. The rest of a longer response is not read.
   *
   * @default {65536}
   */
  readonly MaxResponse?: number;
  /** Private networks that may receive webhooks, such as `127.0.0.1` or `10.0.0.0/8`. */
  readonly Allow?: readonly string[];
  /** Resolves host names. If omitted, the operating system resolves them. */
  readonly Resolve?: Resolver;
}

/** A job that sends a webhook. It returns the status of the response. */
export interface SendJob {
  (delivery: Delivery, ctx: Pick<Context, "Key" | "Signal">): Promise<number>;
  /** Validates a webhook before it is added to a queue. */
  readonly Schema: StandardSchema<Delivery> & {
    readonly "~standard": { readonly types?: { readonly input: Delivery; readonly output: Delivery } };
  };
}

const table = optionTable<SendOptions>("webhooks.SendOptions", "webhooks.Send")({
  Secret: required(func()),
  Scheme: schemeRule,
  Timeout: timeLimit(15_000),
  MaxResponse: formerly("MaxResponseSize", bytes(65_536, { isPositive: true, to: Infinity })),
  Allow: texts([]),
  Resolve: func(),
});

/**
 * Creates a job that sends webhooks, for the `Handle` and `Add` methods of a queue. The queue retries it until a
 * receiver responds with a 2xx status. Redirects are not followed. A receiver whose address is not public, or that
 * responds with 410, fails for good.
 *
 * @param options The secret, and the limits.
 * @returns The job.
 * @throws {FrameworkError} If an option is invalid.
 */
export function Send(options: SendOptions): SendJob {
  const { Secret, Scheme, Timeout, MaxResponse, Allow, Resolve } = readOptions(table, options);
  const scheme = schemeOf(Scheme);
  const allow = addressList(Allow, "allowed network");
  const isAllowed = (address: string) => isPublic(address) || allow.has(address);

  async function webhook(delivery: Delivery, ctx: Pick<Context, "Key" | "Signal">): Promise<number> {
    const url = new URL(delivery.URL);
    // A program that only receives webhooks need not load the HTTP client of Node.js.
    const { post, resolveHost } = await loadModule(() => import("./client.ts"));
    const keys = keysOf(scheme, [await Secret(delivery)].flat());
    const body = bodyOf(delivery);
    const time = Math.floor(Date.now() / 1000);
    const signed = scheme.write(ctx.Key, time, (content) => keys.map((key) => sign(scheme, key, content, body)));
    const addresses = await addressesOf(url, isAllowed, Resolve ?? resolveHost);
    if (addresses === undefined) {
      throw new PermanentError(`Cannot send a webhook to "${url.host}": its address is not public`);
    }
    const headers = {
      ...signed,
      "content-type": "application/json",
      "content-length": String(new TextEncoder().encode(body).length),
    };
    const signal = AbortSignal.any([ctx.Signal, AbortSignal.timeout(Timeout)]);
    const status = await post(url, addresses, { headers, signal }, body, MaxResponse);
    if (status >= 200 && status < 300) return status;
    const message = `Cannot send a webhook to "${url.host}": the response has status ${status}`;
    throw status === 410 ? new PermanentError(message) : new Error(message);
  }
  return Object.assign(webhook, { Schema: schema });
}

const schema: SendJob["Schema"] = {
  "~standard": {
    version: 1,
    vendor: "fw",
    validate(value) {
      const { URL: text } = Object(value);
      const url = typeof text === "string" ? URL.parse(text) : null;
      const isValid = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
      if (!isValid) return { issues: [{ message: "Expected an HTTP URL without a password", path: ["URL"] }] };
      // The receiver gets plain JSON, so data that JSON cannot express is refused before it is added.
      bodyOf(value as Delivery);
      return { value: value as Delivery };
    },
  },
};

function bodyOf({ Data }: Delivery): string {
  return encodeSent(Data, { act: "send a webhook", root: "Data", code: "FW_JOB" });
}
