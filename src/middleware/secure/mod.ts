/**
 * Middleware that sets security headers, with the same headers and values as helmet 8.
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

import { checkOptions, type OptionRule, type OptionRules } from "../../config/check_options.ts";
import { noteClientText } from "../../context/client_bound.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { Key } from "../../exchange/values.ts";
import { type HeaderPairs, headerPairs, presetHeaders } from "../../response/preset_headers.ts";
import { type Policy, policyParts } from "./content_security_policy.ts";

export type { Policy } from "./content_security_policy.ts";

/** Options for {@linkcode New}. Omitted headers get helmet's value, and `false` disables a header. */
export interface Options {
  /** The directives of the content security policy that override the defaults. `null` removes a default. */
  ContentSecurityPolicy?: Policy | false;
  /**
   * Whether violations of the policy are only reported and not blocked.
   *
   * @default {false}
   */
  ReportOnly?: boolean;
  /**
   * The directives that contain a nonce, which differs in every response. `true` means `script-src`.
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

/** The single-value headers and their default values. */
const plainHeaders = [
  ["CrossOriginEmbedderPolicy", "cross-origin-embedder-policy", false],
  ["CrossOriginOpenerPolicy", "cross-origin-opener-policy", "same-origin"],
  ["CrossOriginResourcePolicy", "cross-origin-resource-policy", "same-origin"],
  ["OriginAgentCluster", "origin-agent-cluster", "?1"],
  ["ReferrerPolicy", "referrer-policy", "no-referrer"],
  ["StrictTransportSecurity", "strict-transport-security", "max-age=31536000; includeSubDomains"],
  ["XContentTypeOptions", "x-content-type-options", "nosniff"],
  ["XDNSPrefetchControl", "x-dns-prefetch-control", "off"],
  ["XDownloadOptions", "x-download-options", "noopen"],
  ["XFrameOptions", "x-frame-options", "SAMEORIGIN"],
  ["XPermittedCrossDomainPolicies", "x-permitted-cross-domain-policies", "none"],
  ["XXSSProtection", "x-xss-protection", "0"],
] as const;

const nonceKey: Key<string> = Key<string>("nonce");

const textOrFalse: OptionRule = ["string", { oneOf: [false] }];
const optionRules: OptionRules<Options> = {
  ContentSecurityPolicy: ["object", { oneOf: [false] }],
  ReportOnly: "boolean",
  Nonce: ["boolean", "strings"],
  CrossOriginEmbedderPolicy: textOrFalse,
  CrossOriginOpenerPolicy: textOrFalse,
  CrossOriginResourcePolicy: textOrFalse,
  OriginAgentCluster: textOrFalse,
  ReferrerPolicy: textOrFalse,
  StrictTransportSecurity: textOrFalse,
  XContentTypeOptions: textOrFalse,
  XDNSPrefetchControl: textOrFalse,
  XDownloadOptions: textOrFalse,
  XFrameOptions: textOrFalse,
  XPermittedCrossDomainPolicies: textOrFalse,
  XXSSProtection: textOrFalse,
};

/**
 * Creates middleware that sets security headers.
 *
 * @param options The options.
 * @returns The middleware, for `UseRouter`.
 * @throws {FrameworkError} If the policy is invalid.
 */
export function New(options: Options = {}): Handler {
  checkOptions("secure", options, optionRules);
  const pairs = plainPairs(options);
  if (options.ContentSecurityPolicy === false) return withHeaders(pairs);
  const name = options.ReportOnly === true ? "content-security-policy-report-only" : "content-security-policy";
  const directives = options.Nonce === true ? ["script-src"] : options.Nonce || [];
  const parts = policyParts(options.ContentSecurityPolicy ?? {}, directives);
  const [whole = "", another] = parts;
  if (another === undefined) return withHeaders([...headerPairs({ [name]: whole }), ...pairs]);
  return function secure(ctx) {
    const nonce = randomNonce();
    ctx.Values().Set(nonceKey, nonce);
    noteClientText(ctx, nonce);
    ctx.ViewData("nonce", nonce);
    presetHeaders(exchangeOf(ctx).draft, [[name, parts.join(nonce)], ...pairs]);
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
  return ctx.Values().GetDefault(nonceKey, "");
}

function withHeaders(pairs: HeaderPairs): Handler {
  return function secure(ctx) {
    presetHeaders(exchangeOf(ctx).draft, pairs);
    return ctx.Next();
  };
}

function plainPairs(options: Options): HeaderPairs {
  const headers: Record<string, string> = {};
  for (const [option, name, standard] of plainHeaders) {
    const value = options[option] ?? standard;
    if (value !== false) headers[name] = value;
  }
  return headerPairs(headers);
}

/** Returns a nonce of 128 random bits, as required by the specification. */
function randomNonce(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toBase64();
}
