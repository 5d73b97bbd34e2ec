/**
 * Middleware that gives every request an id, by which its log lines, its client and other services know it.
 *
 * @example An id that the client and the log share
 * ```ts
 * import * as fw from "@fw/web";
 * import * as requestid from "@fw/web/middleware/requestid";
 *
 * const lines: string[] = [];
 * const app = fw.New();
 * app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
 * app.UseRouter(requestid.New()); // UseRouter: responses without a route get an id as well
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

import { FrameworkError } from "../base/errors.ts";
import { isHeaderToken } from "../base/header_token.ts";
import { declareClientHeader } from "../context/client_bound.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";

/** Where ids come from and go to. */
export interface Options {
  /** The header that carries the id, in requests and responses; `X-Request-Id` unless given. */
  Header?: string;
  /** True not to take the id of a request's header: for servers that clients reach without a proxy in between. */
  IgnoreRequest?: boolean;
  /** Creates ids; a random UUID unless given. */
  Generator?: (ctx: Context) => string;
}

/** What an id of a request may look like: short, and nothing that could disturb a log, a header or a shell. */
const acceptable = /^[A-Za-z0-9._~+/=@:-]{1,128}$/;

/**
 * Creates the middleware. A request keeps the id that a handler before it gave it, else takes the one of its header,
 * else gets a new one; `ctx.GetID()` returns it, the log carries it and the response has it in the same header.
 *
 * @param options Where ids come from and go to.
 * @returns The handler.
 */
export function New(options: Options = {}): Handler {
  const { Header = "X-Request-Id", IgnoreRequest = false, Generator = randomUUID } = options;
  if (!isHeaderToken(Header)) {
    throw new FrameworkError("FW_CONFIG", `Cannot send ids in the header "${Header}": it is not a valid header name`);
  }
  declareClientHeader(Header);
  return function requestid(ctx) {
    if (ctx.GetID() === "") ctx.SetID((IgnoreRequest ? "" : sentID(ctx, Header)) || Generator(ctx));
    ctx.Header(Header, ctx.GetID());
    return ctx.Next();
  };
}

/** The id that the request brings, if it can be taken. */
function sentID(ctx: Context, header: string): string {
  const id = ctx.GetHeader(header);
  return acceptable.test(id) ? id : "";
}

function randomUUID(): string {
  return crypto.randomUUID();
}
