/**
 * Middleware that adds routes and controllers to Deno's built-in OpenTelemetry spans and metrics. It has no
 * dependencies and does nothing unless `OTEL_DENO=true` is set.
 *
 * Deno does not know the route of a request and names its span only by the method, so all requests look the same. With
 * this middleware, the span is named `GET /users/{id:long}` and has the attribute `http.route`. The attribute also
 * splits Deno's request metrics: duration, requests in flight and body sizes. Controllers are reported as
 * `code.function.name`, and errors hidden from the client are recorded as exceptions of the span.
 *
 * @example Trace requests with their routes
 * ```ts
 * import * as fw from "@fw/web";
 * import * as telemetry from "@fw/web/middleware/telemetry";
 *
 * const app = fw.New();
 * app.UseRouter(telemetry.New());
 * app.Get("/users/{id:int}", (ctx) => ctx.WriteString("ada"));
 * await (await app.fetch(new Request("http://localhost/users/5"))).text(); // → "ada"
 * ```
 *
 * ```sh
 * OTEL_DENO=true OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 deno run --allow-net main.ts
 * ```
 *
 * @module
 */

import { isObject } from "../base/config/returned.ts";
import { callNow } from "../base/async/callback.ts";
import { func } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import type { Handler } from "../core/context/handler.ts";
import { HTTPError } from "../base/errors/errors.ts";
import { beforeSending } from "../core/exchange/ending/end_tasks.ts";
import { extrasOf } from "../core/exchange/extras.ts";
import { encodedPath } from "../http/headers/request_url.ts";

/** The part of an OpenTelemetry span that this module uses. */
interface Span {
  setAttribute(name: string, value: string): unknown;
  updateName(name: string): unknown;
  recordException(error: Error): void;
  setStatus(status: { code: number; message?: string }): unknown;
}

/** The key of the span in the OpenTelemetry context. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");
/** OpenTelemetry's status code for a failure. */
const failed = 2;

/** Options for {@linkcode New}. */
export interface Options {
  /** Returns additional span attributes. Called just before the response is sent. */
  Attributes?: (ctx: Context) => { readonly [name: string]: string };
}

const table = optionTable<Options>("middleware/telemetry.Options", "telemetry")({
  Attributes: func(),
});

/**
 * Creates middleware that names spans by route. Register it with `UseRouter`.
 *
 * @param options The options.
 * @returns The middleware.
 */
export function New(options: Options = {}): Handler {
  const { Attributes } = readOptions(table, options);
  return function telemetry(ctx) {
    // A renewal would overwrite the span of the request that caused it.
    const span = exchangeOf(ctx).target.outer?.isRenewal ? undefined : activeSpan();
    if (span !== undefined) {
      describe(span, ctx);
      beforeSending(exchangeOf(ctx), () => conclude(span, ctx, Attributes));
    }
    return ctx.Next();
  };
}

/** Returns the span that Deno started for the request, or `undefined` if telemetry is disabled. */
function activeSpan(): Span | undefined {
  return Deno.telemetry?.contextManager.active()?.getValue(spanKey);
}

function describe(span: Span, ctx: Context): void {
  const route = ctx.GetCurrentRoute();
  if (route === undefined) return;
  const template = route.Subdomain + route.Path;
  span.updateName(`${ctx.Method()} ${template}`);
  span.setAttribute("http.route", template);
  span.setAttribute("url.path", encodedPath(exchangeOf(ctx).target));
  if (route.Controller !== undefined) span.setAttribute("code.function.name", `${route.Controller}.${route.Action}`);
}

function conclude(span: Span, ctx: Context, attributes: Options["Attributes"]): void {
  if (ctx.GetID() !== "") span.setAttribute("http.request.id", ctx.GetID());
  const user = ctx.User();
  if (user !== undefined) span.setAttribute("user.id", user.ID);
  const own = attributes === undefined ? {} : callNow(() => attributes(ctx), isObject, (reason) => {
    ctx.Logger().Error("Cannot use the option Attributes of telemetry:", reason);
    return {};
  });
  for (const [name, value] of Object.entries(own)) if (typeof value === "string") span.setAttribute(name, value);
  const error = ctx.GetErr();
  if (error !== undefined && !(error instanceof HTTPError && error.Status < 500)) record(span, error);
  // The span is still open while the body is sent.
  extrasOf(exchangeOf(ctx)).onBroken = (broken) => record(span, broken);
}

function record(span: Span, error: Error): void {
  span.recordException(error);
  span.setStatus({ code: failed, message: error.message });
}
