/**
 * Middleware that lets pages of other origins read responses (CORS).
 *
 * @example Two origins, with cookies
 * ```ts
 * import * as fw from "@fw/web";
 * import * as cors from "@fw/web/middleware/cors";
 *
 * const app = fw.New();
 * app.UseRouter(cors.New({ // UseRouter: a preflight leads to no route
 *   AllowOrigin: ["https://shop.example", "https://*.admin.example"],
 *   AllowCredentials: true,
 * }));
 * app.Get("/cart", (ctx) => ctx.JSON([]));
 *
 * const headers = { origin: "https://shop.example" };
 * const response = await app.fetch(new Request("http://localhost/cart", { headers }));
 * response.headers.get("access-control-allow-origin"); // → "https://shop.example"
 * response.headers.get("access-control-allow-credentials"); // → "true"
 * response.headers.get("vary"); // → "Origin"
 * ```
 *
 * CORS keeps pages of other sites from reading responses, not requests from being served: see `csrf` for that.
 *
 * @module
 */

import { isDuration } from "../base/duration.ts";
import { FrameworkError } from "../base/errors.ts";
import { isThenable } from "../base/thenable.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { addHeader } from "../response/draft.ts";
import { type HeaderPairs, headerPairs, presetHeaders } from "../response/preset_headers.ts";
import { originTest } from "./origins.ts";

/** Decides whether an origin, as the browser wrote it, is meant. */
export type OriginTest = (origin: string, ctx: Context) => boolean | Promise<boolean>;

/** Which pages may read what. */
export interface Options {
  /**
   * The origins whose pages may read responses: `"*"` for all, when left out; one or several, such as
   * `"https://shop.example"`, or `"https://*.shop.example"` for all subdomains; or a function that decides. The origin
   * `null` is that of sandboxed frames, which any page can make: only `"*"` and a function can allow it.
   */
  AllowOrigin?: string | readonly string[] | OriginTest;
  /** True to let these pages send cookies. Refused together with `"*"`, which would be every page there is. */
  AllowCredentials?: boolean;
  /** The methods that pages may use; GET, HEAD, PUT, PATCH, POST and DELETE when left out. */
  AllowMethods?: readonly string[];
  /** The headers that pages may send; those that they ask for when left out. */
  AllowHeaders?: readonly string[];
  /** The headers of responses that pages may read beside the simple ones. */
  ExposeHeaders?: readonly string[];
  /**
   * How long a browser may cache the response to a preflight, in milliseconds, sent as whole seconds, rounded up. If
   * omitted, the browser decides.
   */
  MaxAge?: number;
  /** True to let public pages reach this server where it is in a private network. */
  AllowPrivateNetwork?: boolean;
}

/** What does not change from one response to the next. */
interface Plan {
  /** The headers of every response to an allowed page. */
  readonly actual: HeaderPairs;
  /** The headers of a preflight's response to an allowed page, beside `actual`. */
  readonly preflight: HeaderPairs;
  readonly varyOfPreflight: string;
  /** True to allow whatever headers a page asks for. */
  readonly reflectsHeaders: boolean;
  readonly allowsPrivateNetwork: boolean;
  readonly allowsCredentials: boolean;
}

/**
 * Creates the middleware. It responds to preflights itself, with 204; a request of an origin that is not allowed is
 * served without the headers, so that a browser keeps the response from the page.
 *
 * @param options Which pages may read what.
 * @returns The middleware, for `UseRouter`.
 */
export function New(options: Options = {}): Handler {
  const { AllowOrigin = "*", AllowCredentials = false } = options;
  const plan = planOf(options);
  if (AllowOrigin === "*") {
    if (AllowCredentials) {
      throw new FrameworkError("FW_CONFIG", 'Cannot allow credentials to the origin "*": every page could use them');
    }
    return fixed(plan, "*");
  }
  const isAllowed = testOf(AllowOrigin);
  // One origin can be named to all: the browser compares. That saves reading the headers, and the response does not
  // vary.
  if (typeof AllowOrigin === "string" && !AllowOrigin.includes("*")) return fixed(plan, AllowOrigin);
  return function cors(ctx) {
    const origin = ctx.GetHeader("origin");
    addHeader(exchangeOf(ctx).draft, "vary", "Origin");
    if (origin === "") return ctx.Next();
    const verdict = isAllowed(origin, ctx);
    return isThenable(verdict)
      ? verdict.then((isTrue) => respond(ctx, plan, origin, isTrue))
      : respond(ctx, plan, origin, verdict);
  };
}

function testOf(allowed: string | readonly string[] | OriginTest): OriginTest {
  return typeof allowed === "function" ? allowed : originTest(typeof allowed === "string" ? [allowed] : allowed);
}

function fixed(plan: Plan, origin: string): Handler {
  const pairs = [...headerPairs({ "access-control-allow-origin": origin }), ...plan.actual];
  return function cors(ctx) {
    presetHeaders(exchangeOf(ctx).draft, pairs);
    return ctx.Method() === "OPTIONS" && isPreflight(ctx) ? preflight(ctx, plan, true) : ctx.Next();
  };
}

function respond(ctx: Context, plan: Plan, origin: string, isAllowed: boolean): Promise<void> | undefined {
  // A sandboxed frame of any page has the origin "null": with cookies, that would be every page.
  const isGranted = isAllowed && !(plan.allowsCredentials && origin === "null");
  if (isGranted) {
    const { draft } = exchangeOf(ctx);
    addHeader(draft, "access-control-allow-origin", origin);
    for (const [name, value] of plan.actual) addHeader(draft, name, value);
  }
  return ctx.Method() === "OPTIONS" && isPreflight(ctx) ? preflight(ctx, plan, isGranted) : ctx.Next();
}

function preflight(ctx: Context, plan: Plan, isGranted: boolean): undefined {
  const { draft } = exchangeOf(ctx);
  if (plan.varyOfPreflight !== "") addHeader(draft, "vary", plan.varyOfPreflight);
  if (isGranted) {
    for (const [name, value] of plan.preflight) addHeader(draft, name, value);
    const asked = plan.reflectsHeaders ? ctx.GetHeader("access-control-request-headers") : "";
    if (asked !== "") addHeader(draft, "access-control-allow-headers", asked);
    if (plan.allowsPrivateNetwork && ctx.GetHeader("access-control-request-private-network") === "true") {
      addHeader(draft, "access-control-allow-private-network", "true");
    }
  }
  ctx.StopWithStatus(204);
}

function isPreflight(ctx: Context): boolean {
  return ctx.GetHeader("origin") !== "" && ctx.GetHeader("access-control-request-method") !== "";
}

function planOf(options: Options): Plan {
  const { AllowMethods = ["GET", "HEAD", "PUT", "PATCH", "POST", "DELETE"], AllowHeaders, ExposeHeaders = [] } =
    options;
  const { MaxAge } = options;
  if (MaxAge !== undefined && !isDuration(MaxAge)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot set the MaxAge "${MaxAge}": it is not a number of milliseconds from 0 up`,
    );
  }
  const varying = [
    ...AllowHeaders === undefined ? ["Access-Control-Request-Headers"] : [],
    ...options.AllowPrivateNetwork ? ["Access-Control-Request-Private-Network"] : [],
  ];
  return {
    actual: headerPairs({
      ...options.AllowCredentials && { "access-control-allow-credentials": "true" },
      ...ExposeHeaders.length > 0 && { "access-control-expose-headers": ExposeHeaders.join(", ") },
    }),
    preflight: headerPairs({
      "access-control-allow-methods": AllowMethods.join(", "),
      ...AllowHeaders !== undefined && AllowHeaders.length > 0 &&
        { "access-control-allow-headers": AllowHeaders.join(", ") },
      ...MaxAge !== undefined && { "access-control-max-age": String(Math.ceil(MaxAge / 1000)) },
    }),
    varyOfPreflight: varying.join(", "),
    reflectsHeaders: AllowHeaders === undefined,
    allowsPrivateNetwork: options.AllowPrivateNetwork ?? false,
    allowsCredentials: options.AllowCredentials ?? false,
  };
}
