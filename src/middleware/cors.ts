/**
 * Middleware for cross-origin resource sharing (CORS). It allows pages from other origins to read responses.
 *
 * CORS only controls whether pages on other sites can read responses. It does not block their requests. Use `csrf` for
 * that.
 *
 * @example Allow two origins, with credentials
 * ```ts
 * import * as fw from "@fw/web";
 * import * as cors from "@fw/web/middleware/cors";
 *
 * const app = fw.New();
 * app.UseRouter(cors.New({ // UseRouter, because preflight requests match no route
 *   Origins: ["https://shop.example", "https://*.admin.example"],
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
 * @module
 */

import { returnedBoolean } from "../base/config/returned.ts";
import { either, filled, flag, formerly, func, milliseconds, texts } from "../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../base/config/option_table.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { FrameworkError } from "../base/errors/errors.ts";
import { addHeader, varyBy } from "../http/response/draft.ts";
import { type HeaderPairs, headerPairs, presetHeaders } from "../http/response/preset_headers.ts";
import { originTest } from "./origins.ts";

/** A predicate that decides whether an origin is allowed. It receives the `Origin` header exactly as sent. */
export type OriginTest = (origin: string, ctx: Context) => boolean | Promise<boolean>;

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The origins whose pages may read responses: `"*"` for all origins, one origin or an array of origins such as
   * `"https://shop.example"`, a pattern such as `"https://*.shop.example"` for all subdomains, or a predicate. The
   * origin `null` is sent by sandboxed frames, which any page can create, so only `"*"` and a predicate can allow it.
   *
   * @default {"*"}
   */
  Origins?: string | readonly string[] | OriginTest;
  /**
   * Whether pages may send credentials such as cookies. Cannot be combined with `Origins: "*"`.
   *
   * @default {false}
   */
  AllowCredentials?: boolean;
  /**
   * The methods that pages may use.
   *
   * @default {["GET", "HEAD", "PUT", "PATCH", "POST", "DELETE"]}
   */
  AllowMethods?: readonly string[];
  /** The request headers that pages may send. If omitted, every header requested by a preflight is allowed. */
  AllowHeaders?: readonly string[];
  /** The response headers that pages may read, in addition to the CORS-safelisted ones. */
  ExposeHeaders?: readonly string[];
  /**
   * The time for which browsers may cache a preflight response, in milliseconds. It is rounded up to whole seconds. If
   * omitted, the browser decides.
   */
  MaxAge?: number;
  /**
   * Whether public pages may reach this server in a private network.
   *
   * @default {false}
   */
  AllowPrivateNetwork?: boolean;
}

/** The settings that are computed once, when the middleware is created. */
interface Plan {
  /** The headers of every response to an allowed page. */
  readonly actual: HeaderPairs;
  /** The additional headers of preflight responses to an allowed page. */
  readonly preflight: HeaderPairs;
  readonly varyOfPreflight: string;
  /** Whether every requested header is allowed. */
  readonly reflectsHeaders: boolean;
  readonly allowsPrivateNetwork: boolean;
  readonly allowsCredentials: boolean;
}

const table = optionTable<Options>("middleware/cors.Options", "cors")({
  Origins: formerly("AllowOrigin", either("*", filled(), texts(), func())),
  AllowCredentials: flag(false),
  AllowMethods: texts(["GET", "HEAD", "PUT", "PATCH", "POST", "DELETE"]),
  AllowHeaders: texts(),
  ExposeHeaders: texts([]),
  MaxAge: milliseconds(undefined, { to: Number.MAX_SAFE_INTEGER }),
  AllowPrivateNetwork: flag(false),
});

/**
 * Creates the CORS middleware. It responds to preflight requests with 204. A request from an origin that is not allowed
 * is still handled, but without CORS headers, so the browser hides the response from the page.
 *
 * @param options The options.
 * @returns The middleware, for `UseRouter`.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(options: Options = {}): Handler {
  const settings = readOptions(table, options);
  const { Origins, AllowCredentials } = settings;
  const plan = planOf(settings);
  if (Origins === "*") {
    if (AllowCredentials) {
      throw new FrameworkError("FW_CONFIG", 'Cannot allow credentials for the origin "*": every page could use them');
    }
    return fixed(plan, "*");
  }
  if (typeof Origins === "function") {
    return varying(async (ctx, origin) => {
      await respond(ctx, plan, origin, returnedBoolean(await Origins(origin, ctx), "Origins of cors"));
    });
  }
  const isAllowed = originTest(typeof Origins === "string" ? [Origins] : Origins);
  // A single origin can be sent to every client, because the browser compares it. This way, fw does not need to read
  // the request headers or to set a `Vary` header.
  if (typeof Origins === "string" && !Origins.includes("*")) return fixed(plan, Origins);
  return varying((ctx, origin) => respond(ctx, plan, origin, isAllowed(origin)));
}

/** Creates a handler for requests whose response depends on their origin. */
function varying(respond: (ctx: Context, origin: string) => void | Promise<void>): Handler {
  return function cors(ctx) {
    const origin = ctx.GetHeader("origin");
    varyBy(exchangeOf(ctx).draft, "Origin");
    return origin === "" ? ctx.Next() : respond(ctx, origin);
  };
}

function fixed(plan: Plan, origin: string): Handler {
  const pairs = [...headerPairs({ "access-control-allow-origin": origin }), ...plan.actual];
  return function cors(ctx) {
    presetHeaders(exchangeOf(ctx).draft, pairs);
    return ctx.Method() === "OPTIONS" && isPreflight(ctx) ? preflight(ctx, plan, true) : ctx.Next();
  };
}

function respond(ctx: Context, plan: Plan, origin: string, isAllowed: boolean): Promise<void> | undefined {
  // Sandboxed frames on any page have the origin "null". Allowing them with credentials would allow every page.
  const isGranted = isAllowed && !(plan.allowsCredentials && origin === "null");
  if (isGranted) {
    // Replace the headers of an outer party. Browsers reject a response with two origins.
    presetHeaders(exchangeOf(ctx).draft, [["access-control-allow-origin", origin], ...plan.actual]);
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

function planOf(settings: Filled<Options, "AllowHeaders" | "MaxAge">): Plan {
  const { AllowMethods, AllowHeaders, ExposeHeaders, MaxAge, AllowCredentials, AllowPrivateNetwork } = settings;
  const varying = [
    ...AllowHeaders === undefined ? ["Access-Control-Request-Headers"] : [],
    ...AllowPrivateNetwork ? ["Access-Control-Request-Private-Network"] : [],
  ];
  return {
    actual: headerPairs({
      ...AllowCredentials && { "access-control-allow-credentials": "true" },
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
    allowsPrivateNetwork: AllowPrivateNetwork,
    allowsCredentials: AllowCredentials,
  };
}
