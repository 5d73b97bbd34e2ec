/**
 * Rules that lead old paths to new ones, before a route is looked for.
 *
 * @example Old paths, by redirect or without a word
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
 * Since the rules come before the router, all that guards the new path, such as the middleware of its party, guards
 * what is led there too.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { collapseSlashes, resolveDots, resolveInnerDots, uncollapsedIndex } from "../../http/canonical_path.ts";
import { decodePath } from "../../http/path.ts";
import { hostEnd } from "../../http/request_url.ts";
import { Macros } from "../../macro/macros.ts";
import { parseTemplate } from "../../macro/template.ts";
import { escapeLocation, redirectStatuses } from "../../response/redirect.ts";
import { Router } from "../../router/router.ts";
import type { Wrapper } from "../wrapper.ts";
import { fill, parseTarget, type Target } from "./target.ts";

export type { Wrapper, WrapperTarget } from "../wrapper.ts";

/** One rule. */
export interface Rule {
  /** The path template of requests that it is for, written as those of routes. */
  From: string;
  /**
   * Where they lead: a path with parameters of `From` in braces. With a `Status` it may also be a whole URL. The query
   * of the request goes along.
   */
  To: string;
  /**
   * Redirects with this status, such as 301; left out, the request is served at the new path, and the client is not
   * told.
   */
  Status?: number;
}

/** The rules. */
export interface Options {
  /** The rules; as with routes, the most specific one counts, whatever their order. */
  Rules: readonly Rule[];
}

interface Prepared {
  readonly names: readonly string[];
  readonly target: Target;
  readonly status: number | undefined;
}

/**
 * Creates a wrapper that follows the rules. One rule is applied per request: where it leads, no other one looks.
 *
 * @param options The rules.
 * @returns The wrapper, for `app.WrapRouter`.
 */
export function New(options: Options): Wrapper {
  const router = prepare(options.Rules);
  return function rewrite(request, next, _connection, meant) {
    const url = meant?.URL ?? request.url;
    const start = hostEnd(url);
    const query = url.indexOf("?", start);
    const end = query < 0 ? url.length : query;
    const match = find(router, url.slice(start, end) || "/");
    if (match === undefined) return next(request);
    const { rule, values } = match;
    const filled = fill(rule.target, values, url.slice(end));
    const whole = rule.target.isPath ? url.slice(0, start) + filled : URL.parse(filled)?.href;
    // What the platform writes differently was not meant as it is written: dots that climb out of a folder.
    if (whole === undefined || rule.target.isPath && !isResolved(filled)) {
      return new Response("Bad Request", { status: 400 });
    }
    if (rule.status === undefined) return next(request, { URL: whole });
    const location = rule.target.isPath ? escapeLocation(filled) : whole;
    return new Response(null, { status: rule.status, headers: { location } });
  };
}

/** A rule that a path fits, with the values of its parameters, decoded; slashes that were escaped are marked. */
interface Match {
  readonly rule: Prepared;
  readonly values: readonly string[];
}

/** Reports whether the path of a text is what the platform would make of it. */
function isResolved(text: string): boolean {
  const [path = ""] = text.split("?", 1);
  return URL.parse(path, "http://localhost")?.href === `http://localhost${path}`;
}

/** Rules are found by the canonical path, as routes are: another spelling must not pass by a rule. */
function find(router: Router<Prepared>, sent: string): Match | undefined {
  const decoded = decodePath(sent);
  // A malformed escape: the router says what is wrong.
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
    if (Status !== undefined && !redirectStatuses.has(Status)) refuse(From, `"${Status}" is not a status of redirects`);
    if (Status === undefined && !target.isPath) refuse(From, "only a redirect leads to another site");
    if (router.add("GET", { ...template, names }, { names, target, status: Status }) !== undefined) {
      refuse(From, "another rule is for the same paths");
    }
  }
  for (const rule of rules) refuseCircle(rule, router);
  return router;
}

/** A redirect that leads to where it came from keeps a browser going round. */
function refuseCircle(rule: Rule, router: Router<Prepared>): void {
  if (rule.Status === undefined || !rule.To.startsWith("/")) return;
  const path = rule.To.replace(/[?#].*$/s, "").replace(/\{\w+\}/g, "1");
  const next = router.find("GET", path, 0, path.length);
  if (next?.target.source === rule.To) refuse(rule.From, `"${rule.To}" leads back to it`);
}

function refuse(from: string, state: string): never {
  throw new FrameworkError("FW_CONFIG", `Cannot rewrite "${from}": ${state}`);
}
