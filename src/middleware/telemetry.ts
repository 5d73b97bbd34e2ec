/**
 * Middleware for OpenTelemetry: the spans and metrics that Deno itself records of every request get the route and the
 * controller. There is no dependency; without `OTEL_DENO=true` it does nothing.
 *
 * Deno names the span of a request by its method alone and knows no route, so that all requests look the same. With
 * this middleware the span is `GET /users/{id:long}` and carries `http.route`; Deno's metrics of requests, the
 * histogram of their duration, their number in flight and their sizes, are told apart by it too. A controller is named
 * in `code.function.name`, and an error that the client does not see is recorded as an exception of the span.
 *
 * @example Traces with routes
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

import { HTTPError } from "../base/errors.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { beforeSending } from "../context/ending/end_tasks.ts";
import type { Handler } from "../context/handler.ts";
import { encodedPath } from "../http/request_url.ts";

/** The part of a span of OpenTelemetry that is used here. */
interface Span {
  setAttribute(name: string, value: string): unknown;
  updateName(name: string): unknown;
  recordException(error: Error): void;
  setStatus(status: { code: number; message?: string }): unknown;
}

/** The name under which OpenTelemetry keeps the span in its context. */
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");
/** OpenTelemetry's number of a status that says that something failed. */
const failed = 2;

/** What is told beside the route. */
export interface Options {
  /** Adds attributes to the span; it is called when the response is about to be sent. */
  Attributes?: (ctx: Context) => { readonly [name: string]: string };
}

/**
 * Creates the middleware; give it to `UseRouter`.
 *
 * @param options What is told beside the route.
 * @returns The handler.
 */
export function New(options: Options = {}): Handler {
  return function telemetry(ctx) {
    const span = activeSpan();
    if (span !== undefined) {
      describe(span, ctx);
      beforeSending(exchangeOf(ctx), () => conclude(span, ctx, options));
    }
    return ctx.Next();
  };
}

/** The span that Deno began for the request, if it does so. */
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

function conclude(span: Span, ctx: Context, { Attributes }: Options): void {
  if (ctx.GetID() !== "") span.setAttribute("http.request.id", ctx.GetID());
  const user = ctx.User();
  if (user !== undefined) span.setAttribute("user.id", user.ID);
  for (const [name, value] of Object.entries(Attributes?.(ctx) ?? {})) span.setAttribute(name, value);
  const error = ctx.GetErr();
  if (error === undefined || error instanceof HTTPError && error.Status < 500) return;
  span.recordException(error);
  span.setStatus({ code: failed, message: error.message });
}
