/**
 * Middleware that assigns an ID to every request, so that log lines, clients and other services can refer to it.
 *
 * @example Share an ID between client and log
 * ```ts
 * import * as fw from "@fw/web";
 * import * as requestid from "@fw/web/middleware/requestid";
 *
 * const lines: string[] = [];
 * const app = fw.New();
 * app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
 * app.UseRouter(requestid.New()); // UseRouter, so that unmatched requests get an ID as well
 * app.Get("/", (ctx) => ctx.Logger().Info("hello"));
 *
 * const response = await app.fetch(new Request("http://localhost/"));
 * const id = response.headers.get("x-request-id") ?? "";
 * /^[0-9a-f-]{36}$/.test(id); // → true
 * lines; // → [`[INFO] hello request_id=${id}`]
 *
 * const headers = { "x-request-id": "from-the-proxy" };
 * const again = await app.fetch(new Request("http://localhost/", { headers }));
 * again.headers.get("x-request-id"); // → "from-the-proxy"
 * ```
 *
 * @module
 */

import { callNow } from "../base/async/callback.ts";
import { flag, func, text } from "../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../base/config/option_table.ts";
import { FrameworkError } from "../base/errors/errors.ts";
import { findFieldsBy } from "../base/log/ambient_fields.ts";
import { isHeaderToken } from "../base/text/header_token.ts";
import { currentCall, loadCallScope, runInCall } from "../core/context/call_scope.ts";
import { declareClientHeader } from "../core/context/client_bound.ts";
import { type Context, exchangeOf } from "../core/context/context.ts";
import { Extend } from "../core/context/extend.ts";
import type { Handler } from "../core/context/handler.ts";
import { labelFields } from "../core/exchange/labels.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The request and response header that carries the ID.
   *
   * @default {"X-Request-Id"}
   */
  Header?: string;
  /**
   * Whether to ignore IDs sent by clients. Use this if clients reach the server without a proxy.
   *
   * @default {false}
   */
  IgnoreRequest?: boolean;
  /**
   * Generates an ID of up to 256 printable ASCII characters. If omitted, IDs are random UUIDs. They are also used, with
   * an error in the log, if the function throws or returns anything else.
   */
  Generator?: (ctx: Context) => string;
}

/** Matches the IDs that are accepted from request headers. They are short and safe in logs, headers and shells. */
const acceptable = /^[A-Za-z0-9._~+/=@:-]{1,128}$/;

// Services do not have the context, so the asynchronous context tells which request their log lines belong to.
findFieldsBy(() => {
  const call = currentCall();
  return call && { ...call.id !== "" && { request_id: call.id }, ...labelFields(call) };
});

const table = optionTable<Options>("middleware/requestid.Options", "requestid")({
  Header: text("X-Request-Id"),
  IgnoreRequest: flag(false),
  Generator: func(randomUUID),
});

/**
 * Creates middleware that assigns an ID to every request. If an earlier handler has set an ID, it is kept. Otherwise,
 * the ID is taken from the request header or, if that is missing, generated. `ctx.GetID()` returns the ID, and the
 * response has it in the same header. Log lines contain it, also those that services write with `app.Logger()` for the
 * request.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If the header name is invalid.
 */
export function New(options: Options = {}): Handler {
  const { Header, IgnoreRequest, Generator } = readOptions(table, options);
  if (!isHeaderToken(Header)) {
    throw new FrameworkError("FW_CONFIG", `Header must be a valid header name, not "${Header}"`);
  }
  declareClientHeader(Header);
  function newID(ctx: Context): string {
    return callNow(() => Generator(ctx), isUsable, (reason) => {
      ctx.Logger().Error("Cannot use the option Generator of requestid:", reason);
      return randomUUID();
    });
  }
  return Extend(requestid, {
    Name: "requestid",
    Many: true,
    Install: (host) => host.Check("log fields", loadCallScope, "start"),
  });

  function requestid(ctx: Context): ReturnType<Handler> {
    if (ctx.GetID() === "") ctx.SetID(outerID(ctx) || (IgnoreRequest ? "" : sentID(ctx, Header)) || newID(ctx));
    ctx.Header(Header, ctx.GetID());
    return runInCall(exchangeOf(ctx), () => ctx.Next());
  }
}

/** Returns the ID of the request that has caused this one inside the process, or an empty string if there is none. */
function outerID(ctx: Context): string {
  return exchangeOf(ctx).target.outer?.requestID ?? "";
}

/** Returns the ID from the request header, or an empty string if it is missing or not acceptable. */
function sentID(ctx: Context, header: string): string {
  const id = ctx.GetHeader(header);
  return acceptable.test(id) ? id : "";
}

/** Reports whether a generated ID can be sent in a header. */
function isUsable(id: unknown): id is string {
  return typeof id === "string" && /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/.test(id);
}

function randomUUID(): string {
  return crypto.randomUUID();
}
