/**
 * Middleware that rewrites or redirects request paths before routing.
 *
 * Rules are applied before routing, so the guards and middleware of the new path also apply to rewritten requests. For
 * this reason, {@linkcode New} returns a wrapper for `WrapRouter` instead of a handler.
 *
 * @example Redirect one path and rewrite another
 * ```ts
 * import * as fw from "@fw/web";
 * import * as rewrite from "@fw/web/middleware/rewrite";
 *
 * const app = fw.New();
 * app.WrapRouter(rewrite.New({
 *   Rules: [
 *     { From: "/blog/{year:int}/{name}", To: "/posts/{name}", Status: 301 },
 *     { From: "/v1/{rest:path}", To: "/api/{rest}" },
 *   ],
 * }));
 * app.Get("/api/users/{id:int}", (ctx) => ctx.WriteString(ctx.Path()));
 *
 * const moved = await app.fetch(new Request("http://localhost/blog/2019/tea?page=2"));
 * [moved.status, moved.headers.get("location")]; // → [301, "/posts/tea?page=2"]
 * const served = await app.fetch(new Request("http://localhost/v1/users/7"));
 * await served.text(); // → "/api/users/7"
 * ```
 *
 * @module
 */

import { count, filled, group, listOf, required, text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { RouterWrapper } from "../../core/context/router_wrapper.ts";
import { collapseSlashes, resolveDots, resolveInnerDots, uncollapsedIndex } from "../../http/headers/canonical_path.ts";
import { decodePath } from "../../http/headers/path.ts";
import { hostEnd } from "../../http/headers/request_url.ts";
import { Macros } from "../../http/parameter_types/macros.ts";
import { parseTemplate } from "../../http/parameter_types/template.ts";
import { escapeLocation, redirectStatuses } from "../../http/response/redirect.ts";
import { Router } from "../../http/router/router.ts";
import { atPrimary, primaryOf } from "./primary_subdomain.ts";
import { fill, parseTarget, type Target } from "./target.ts";

/** A rewrite rule. */
export interface Rule {
  /** The path template of matching requests, with the same syntax as routes. */
  From: string;
  /**
   * The target path. It can contain parameters of `From` in braces. If `Status` is set, the target can also be an
   * absolute URL. The query string of the request is appended. A redirect to a path includes the base path and the
   * language of the request.
   */
  To: string;
  /**
   * The redirect status code, such as 301. If omitted, the request is rewritten internally and the client does not see
   * the new path.
   */
  Status?: number;
}

/** Options for {@linkcode New}. */
export interface Options {
  /** The rules. As with routes, the most specific rule applies, regardless of order. */
  Rules?: readonly Rule[];
  /**
   * The subdomain on which the site is published, such as `www`. The root domain redirects to it, and requests to the
   * subdomain are served as if they were sent to the root domain. Rules do not apply to the redirected requests.
   * `localhost` and IP addresses are not redirected.
   */
  PrimarySubdomain?: string;
}

interface Prepared {
  readonly names: readonly string[];
  readonly target: Target;
  readonly status: number | undefined;
}

const table = optionTable<Options>("middleware/rewrite.Options", "rewrite")({
  Rules: listOf(group<Rule>({ From: required(text()), To: required(text()), Status: count() }), "rules", []),
  PrimarySubdomain: filled(),
});

/**
 * Creates a wrapper that applies rewrite rules. At most one rule is applied to a request.
 *
 * @param options The options.
 * @returns The wrapper, for `app.WrapRouter`.
 * @throws {FrameworkError} If a rule is invalid.
 */
export function New(options: Options): RouterWrapper {
  const { Rules, PrimarySubdomain } = readOptions(table, options);
  const rules = rulesOf(Rules);
  const primary = primaryOf(PrimarySubdomain);
  return primary === undefined ? rules : atPrimary(primary, rules);
}

function rulesOf(list: readonly Rule[]): RouterWrapper {
  const router = prepare(list);
  return function rewrite(request, next, _connection, meant, link) {
    const url = meant?.URL ?? request.url;
    const start = hostEnd(url);
    const query = url.indexOf("?", start);
    const end = query < 0 ? url.length : query;
    const match = find(router, url.slice(start, end) || "/");
    if (match === undefined) return next(request);
    const { rule, values } = match;
    const filled = fill(rule.target, values, url.slice(end));
    const whole = rule.target.isPath ? url.slice(0, start) + filled : URL.parse(filled)?.href;
    // If URL normalization changes the path, it contains dot segments that leave the intended folder.
    if (whole === undefined || rule.target.isPath && !isResolved(filled)) {
      return new Response("Bad Request", { status: 400 });
    }
    if (rule.status === undefined) return next(request, { URL: whole });
    const location = rule.target.isPath ? escapeLocation(link?.(filled) ?? filled) : whole;
    return new Response(null, { status: rule.status, headers: { location } });
  };
}

/** A matching rule and its decoded parameter values. Escaped slashes in the values are marked. */
interface Match {
  readonly rule: Prepared;
  readonly values: readonly string[];
}

/** Reports whether URL normalization leaves the path unchanged. */
function isResolved(text: string): boolean {
  const [path = ""] = text.split("?", 1);
  return URL.parse(path, "http://localhost")?.href === `http://localhost${path}`;
}

/**
 * Finds a rule by the canonical path, like the router, so that a rule cannot be bypassed by spelling the path
 * differently.
 */
function find(router: Router<Prepared>, sent: string): Match | undefined {
  const decoded = decodePath(sent);
  // The router reports malformed escape sequences.
  if (decoded === undefined) return undefined;
  const text = resolveInnerDots(resolveDots(decoded));
  const path = collapseSlashes(text);
  const rule = router.find("GET", path, 0, path.length);
  if (rule === undefined) return undefined;
  const { spans } = router;
  const values = rule.names.map((_, at) =>
    text.slice(uncollapsedIndex(text, spans[2 * at] ?? 0), uncollapsedIndex(text, spans[2 * at + 1] ?? 0))
  );
  return { rule, values };
}

function prepare(rules: readonly Rule[]): Router<Prepared> {
  const macros = new Macros();
  const router = new Router<Prepared>();
  for (const { From, To, Status } of rules) {
    const { names, ...template } = parseTemplate(From, macros);
    const target = parseTarget(To, names);
    if (Status !== undefined && !redirectStatuses.has(Status)) refuse(From, `"${Status}" is not a redirect status`);
    if (Status === undefined && !target.isPath) refuse(From, "an absolute URL requires a redirect status");
    if (router.add("GET", { ...template, names }, { names, target, status: Status }) !== undefined) {
      refuse(From, "another rule matches the same paths");
    }
  }
  for (const rule of rules) refuseCircle(rule, router);
  return router;
}

/** Rejects a redirect to its own path, which would cause an endless loop. */
function refuseCircle(rule: Rule, router: Router<Prepared>): void {
  if (rule.Status === undefined || !rule.To.startsWith("/")) return;
  const path = rule.To.replace(/[?#].*$/s, "").replace(/\{\w+\}/g, "1");
  const next = router.find("GET", path, 0, path.length);
  if (next?.target.source === rule.To) refuse(rule.From, `"${rule.To}" redirects to itself`);
}

function refuse(from: string, state: string): never {
  throw new FrameworkError("FW_CONFIG", `Cannot rewrite "${from}": ${state}`);
}
