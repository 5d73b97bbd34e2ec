/**
 * Middleware that sets the headers by which browsers protect a site: those of helmet 8, with its values.
 *
 * @example All of them, and a policy with a nonce for the scripts of views
 * ```ts
 * import * as fw from "@fw/web";
 * import * as secure from "@fw/web/middleware/secure";
 *
 * const app = fw.New();
 * app.UseRouter(secure.New({ Nonce: true })); // UseRouter: error pages need them as well
 * app.Get("/", (ctx) => ctx.HTML(`<script nonce="${secure.Nonce(ctx)}">start()</script>`));
 *
 * const response = await app.fetch(new Request("http://localhost/"));
 * response.headers.get("x-content-type-options"); // → "nosniff"
 * /script-src 'self' 'nonce-[\w+/]{22}=='/.test(response.headers.get("content-security-policy") ?? ""); // → true
 * ```
 *
 * A view finds the nonce in its data: `<script nonce="<%= it.nonce %>">`. A handler that sets one of the headers itself
 * has the last word.
 *
 * @module
 */

import { noteClientText } from "../../context/client_bound.ts";
import { type Context, exchangeOf } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { Key } from "../../context/values.ts";
import { type HeaderPairs, headerPairs, presetHeaders } from "../../response/preset_headers.ts";
import { type Policy, policyParts } from "./content_security_policy.ts";

export type { Policy } from "./content_security_policy.ts";

/** Which headers are sent, and with which values. What is left out is sent as helmet sends it; `false` sends it not. */
export interface Options {
  /** Directives of the content security policy, laid over the defaults; `null` takes a default out. */
  ContentSecurityPolicy?: Policy | false;
  /** True to have the policy reported on and not enforced. */
  ReportOnly?: boolean;
  /** The directives that name a nonce, another one for every response; `true` for `script-src` alone. */
  Nonce?: boolean | readonly string[];
  /** `Cross-Origin-Embedder-Policy`, such as `require-corp`; not sent when left out, since it blocks foreign images. */
  CrossOriginEmbedderPolicy?: string | false;
  /** `Cross-Origin-Opener-Policy`: `same-origin`. */
  CrossOriginOpenerPolicy?: string | false;
  /** `Cross-Origin-Resource-Policy`: `same-origin`. */
  CrossOriginResourcePolicy?: string | false;
  /** `Origin-Agent-Cluster`: `?1`. */
  OriginAgentCluster?: string | false;
  /** `Referrer-Policy`: `no-referrer`. */
  ReferrerPolicy?: string | false;
  /** `Strict-Transport-Security`: a year, subdomains included. Browsers heed it over TLS only. */
  StrictTransportSecurity?: string | false;
  /** `X-Content-Type-Options`: `nosniff`. */
  XContentTypeOptions?: string | false;
  /** `X-DNS-Prefetch-Control`: `off`. */
  XDNSPrefetchControl?: string | false;
  /** `X-Download-Options`: `noopen`. */
  XDownloadOptions?: string | false;
  /** `X-Frame-Options`: `SAMEORIGIN`. */
  XFrameOptions?: string | false;
  /** `X-Permitted-Cross-Domain-Policies`: `none`. */
  XPermittedCrossDomainPolicies?: string | false;
  /** `X-XSS-Protection`: `0`, since the filter that it switches off is itself a hole. */
  XXSSProtection?: string | false;
}

/** The headers with one value, and helmet's value. */
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

/**
 * Creates middleware that sets the headers.
 *
 * @param options Which, and with which values.
 * @returns The middleware, for `UseRouter`.
 */
export function New(options: Options = {}): Handler {
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
 * The nonce of this response, for the `nonce` attribute of scripts and styles.
 *
 * @param ctx The request.
 * @returns The nonce; empty when the policy has none.
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

/** 128 random bits, as the policy's specification demands. */
function randomNonce(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toBase64();
}
