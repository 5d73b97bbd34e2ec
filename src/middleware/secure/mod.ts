/**
 * Middleware that sets security headers, with the same headers and values as helmet 8.
 *
 * The directive `upgrade-insecure-requests` is only sent over HTTPS. Behind a proxy that terminates TLS, configure
 * `fw.WithProxy` so that the client's scheme is known.
 *
 * Views can read the nonce from their data: `<script nonce="<%= it.nonce %>">`. Headers set by a handler take
 * precedence.
 *
 * @example Set all headers, with a nonce for scripts
 * ```ts
 * import * as fw from "@fw/web";
 * import * as secure from "@fw/web/middleware/secure";
 *
 * const app = fw.New();
 * app.UseRouter(secure.New({ Nonce: true })); // UseRouter, so that error pages get the headers as well
 * app.Get("/", (ctx) => ctx.HTML(`<script nonce="${secure.Nonce(ctx)}">start()</script>`));
 *
 * const response = await app.fetch(new Request("http://localhost/"));
 * response.headers.get("x-content-type-options"); // → "nosniff"
 * /script-src 'self' 'nonce-[\w+/]{22}=='/.test(response.headers.get("content-security-policy") ?? ""); // → true
 * ```
 *
 * @module
 */

import { either, filled, flag, record, texts } from "../../base/config/option_kinds.ts";
import { nonEmpty, orFalse } from "../../base/config/option_shapes.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { noteClientText } from "../../core/context/client_bound.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { Extend } from "../../core/context/extend.ts";
import type { Handler } from "../../core/context/handler.ts";
import { valueOf } from "../../core/exchange/exchange.ts";
import { requestScheme } from "../../core/exchange/peer/request_scheme.ts";
import type { RequestTarget } from "../../core/exchange/request_target.ts";
import { Key } from "../../core/exchange/values.ts";
import { type HeaderPairs, headerPairs, presetHeaders } from "../../http/response/preset_headers.ts";
import { type Policy, policyParts } from "./content_security_policy.ts";

export type { Policy } from "./content_security_policy.ts";

/** Options for {@linkcode New}. Omitted headers have helmet's default values, and `false` disables a header. */
export interface Options {
  /**
   * The directives of the content security policy that override the defaults. `null` removes a default. Over plain
   * HTTP, `upgrade-insecure-requests` is only sent if it is set here.
   */
  ContentSecurityPolicy?: Policy | false;
  /**
   * Whether violations of the policy are only reported and not blocked.
   *
   * @default {false}
   */
  ReportOnly?: boolean;
  /**
   * The directives that contain a nonce, which is different for each response. `true` means `script-src`.
   *
   * @default {false}
   */
  Nonce?: boolean | readonly string[];
  /**
   * The `Cross-Origin-Embedder-Policy` header, such as `require-corp`. Off by default, since it blocks cross-origin
   * images.
   *
   * @default {false}
   */
  CrossOriginEmbedderPolicy?: string | false;
  /**
   * The `Cross-Origin-Opener-Policy` header.
   *
   * @default {"same-origin"}
   */
  CrossOriginOpenerPolicy?: string | false;
  /**
   * The `Cross-Origin-Resource-Policy` header.
   *
   * @default {"same-origin"}
   */
  CrossOriginResourcePolicy?: string | false;
  /**
   * The `Origin-Agent-Cluster` header.
   *
   * @default {"?1"}
   */
  OriginAgentCluster?: string | false;
  /**
   * The `Referrer-Policy` header.
   *
   * @default {"no-referrer"}
   */
  ReferrerPolicy?: string | false;
  /**
   * The `Strict-Transport-Security` header. Browsers ignore it over plain HTTP.
   *
   * @default {"max-age=31536000; includeSubDomains"}
   */
  StrictTransportSecurity?: string | false;
  /**
   * The `X-Content-Type-Options` header.
   *
   * @default {"nosniff"}
   */
  XContentTypeOptions?: string | false;
  /**
   * The `X-DNS-Prefetch-Control` header.
   *
   * @default {"off"}
   */
  XDNSPrefetchControl?: string | false;
  /**
   * The `X-Download-Options` header.
   *
   * @default {"noopen"}
   */
  XDownloadOptions?: string | false;
  /**
   * The `X-Frame-Options` header.
   *
   * @default {"SAMEORIGIN"}
   */
  XFrameOptions?: string | false;
  /**
   * The `X-Permitted-Cross-Domain-Policies` header.
   *
   * @default {"none"}
   */
  XPermittedCrossDomainPolicies?: string | false;
  /**
   * The `X-XSS-Protection` header. The default disables the browser's XSS filter, which can itself be exploited.
   *
   * @default {"0"}
   */
  XXSSProtection?: string | false;
}

/** The single-value headers by the option that sets them. */
const plainHeaders = {
  CrossOriginEmbedderPolicy: "cross-origin-embedder-policy",
  CrossOriginOpenerPolicy: "cross-origin-opener-policy",
  CrossOriginResourcePolicy: "cross-origin-resource-policy",
  OriginAgentCluster: "origin-agent-cluster",
  ReferrerPolicy: "referrer-policy",
  StrictTransportSecurity: "strict-transport-security",
  XContentTypeOptions: "x-content-type-options",
  XDNSPrefetchControl: "x-dns-prefetch-control",
  XDownloadOptions: "x-download-options",
  XFrameOptions: "x-frame-options",
  XPermittedCrossDomainPolicies: "x-permitted-cross-domain-policies",
  XXSSProtection: "x-xss-protection",
} as const;

const nonceKey: Key<string> = Key<string>("nonce");

const table = optionTable<Options>("middleware/secure.Options", "secure")({
  ContentSecurityPolicy: orFalse(record({})),
  ReportOnly: flag(false),
  Nonce: either(false, flag(), nonEmpty(texts())),
  CrossOriginEmbedderPolicy: either(false, orFalse(filled())),
  CrossOriginOpenerPolicy: orFalse(filled("same-origin")),
  CrossOriginResourcePolicy: orFalse(filled("same-origin")),
  OriginAgentCluster: orFalse(filled("?1")),
  ReferrerPolicy: orFalse(filled("no-referrer")),
  StrictTransportSecurity: orFalse(filled("max-age=31536000; includeSubDomains")),
  XContentTypeOptions: orFalse(filled("nosniff")),
  XDNSPrefetchControl: orFalse(filled("off")),
  XDownloadOptions: orFalse(filled("noopen")),
  XFrameOptions: orFalse(filled("SAMEORIGIN")),
  XPermittedCrossDomainPolicies: orFalse(filled("none")),
  XXSSProtection: orFalse(filled("0")),
});

/**
 * Creates middleware that sets security headers.
 *
 * @param options The options.
 * @returns The middleware, for `UseRouter`.
 * @throws {FrameworkError} If the policy is invalid.
 */
export function New(options: Options = {}): Handler {
  return Extend(secured(options), { Name: "secure", Many: true, Install() {} });
}

function secured(options: Options): Handler {
  const settings = readOptions(table, options);
  const { ContentSecurityPolicy, ReportOnly, Nonce } = settings;
  const pairs = plainPairs(settings);
  if (ContentSecurityPolicy === false) return withHeaders(pairs);
  const name = ReportOnly ? "content-security-policy-report-only" : "content-security-policy";
  const nonced = Nonce === true ? ["script-src"] : Nonce || [];
  const variant = (isHTTPS: boolean): Variant => {
    const parts = policyParts(ContentSecurityPolicy, nonced, isHTTPS);
    return { parts, pairs: [...headerPairs({ [name]: parts.join("") }), ...pairs] };
  };
  const [http, https] = [variant(false), variant(true)];
  const variantOf = (target: RequestTarget) => requestScheme(target) === "https" ? https : http;
  if (http.parts.length === 1) {
    return function secure(ctx) {
      const { draft, target } = exchangeOf(ctx);
      presetHeaders(draft, variantOf(target).pairs);
      return ctx.Next();
    };
  }
  return function secure(ctx) {
    const { draft, target } = exchangeOf(ctx);
    const nonce = randomNonce();
    ctx.Values().Set(nonceKey, nonce);
    noteClientText(ctx, nonce);
    ctx.ViewData("nonce", nonce);
    presetHeaders(draft, [[name, variantOf(target).parts.join(nonce)], ...pairs]);
    return ctx.Next();
  };
}

/**
 * Returns the nonce of this response, for the `nonce` attribute of scripts and styles.
 *
 * @param ctx The request context.
 * @returns The nonce, or an empty string if the policy has none.
 */
export function Nonce(ctx: Context): string {
  return valueOf(exchangeOf(ctx), nonceKey) ?? "";
}

/** The policy for one scheme. */
interface Variant {
  /** The policy, split at the positions of the nonce. */
  readonly parts: readonly string[];
  /** All headers, for policies without a nonce. */
  readonly pairs: HeaderPairs;
}

function withHeaders(pairs: HeaderPairs): Handler {
  return function secure(ctx) {
    presetHeaders(exchangeOf(ctx).draft, pairs);
    return ctx.Next();
  };
}

function plainPairs(settings: Filled<Pick<Options, keyof typeof plainHeaders>>): HeaderPairs {
  const headers: Record<string, string> = {};
  for (const [option, name] of Object.entries(plainHeaders)) {
    const value = settings[option as keyof typeof plainHeaders];
    if (value !== false) headers[name] = value;
  }
  return headerPairs(headers);
}

/** Returns a nonce of 128 random bits, as required by the specification. */
function randomNonce(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toBase64();
}
