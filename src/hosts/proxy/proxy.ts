/**
 * Forwards requests to other servers.
 *
 * @module
 */

import {
  bytes,
  flag,
  formerly,
  func,
  listOf,
  methods,
  text,
  timeLimit,
  where,
} from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { loadModule } from "../../base/async/lazy_module.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import type { ReverseProxyOptions } from "./options.ts";

const originRule = where(
  text(),
  'an origin such as "https://shop.example", "self" or "*"',
  (origin) => /^(?:self|\*|https?:\/\/[^/?#@\s]+)$/.test(origin),
);
const table = optionTable<ReverseProxyOptions>("ReverseProxyOptions", "Proxy")({
  Headers: func(),
  Timeout: timeLimit(30_000),
  IdleTimeout: timeLimit(0, { isPositive: false }),
  MaxResponse: formerly("MaxResponseSize", bytes(Infinity, { isPositive: true, to: Infinity })),
  RewriteLocation: flag(true),
  Origins: listOf(originRule, "origins", ["self"]),
  Client: methods("close"),
});

/**
 * Creates a handler that forwards requests to another server, for example
 * `app.Party("/api").Any("/{path:path}", fw.Proxy("http://127.0.0.1:9000/v1"))`. The prefix of the party is replaced
 * by the path of the URL. Guards of the party run first.
 *
 * Bodies are streamed in both directions, and WebSockets are connected. Headers that belong to a connection are
 * removed. `X-Forwarded-For`, `-Host`, `-Proto` and `-Prefix` describe the client as this application sees it, so that
 * a client cannot forge them. Paths that other servers may read differently from the guards, such as those with a
 * semicolon, are refused with 400. If the server cannot be reached, the client receives 502, and 504 if it does not
 * respond in time. The reason is logged.
 *
 * @param url The URL of the server, without a query string.
 * @param options The timeouts, limits and headers.
 * @returns The handler.
 *
 * @example Forward requests
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const inner = Deno.serve({ port: 0, onListen() {} }, (request) => new Response(new URL(request.url).pathname));
 *
 * const app = fw.New();
 * app.Party("/api").Any("/{path:path}", fw.Proxy(`http://127.0.0.1:${inner.addr.port}/v1`));
 * const response = await app.fetch(new Request("http://localhost/api/users/7"));
 * await response.text(); // → "/v1/users/7"
 * await inner.shutdown();
 * ```
 */
export function Proxy(url: string | URL, options: ReverseProxyOptions = {}): Handler {
  const [base, settings] = [upstreamURL(url), readOptions(table, options)];
  let loaded: Promise<(ctx: Context, depth: number) => Promise<Response>> | undefined;
  return async function proxy(ctx) {
    loaded ??= loadModule(() => import("./forward.ts")).then(({ forward, upstreamOf }) => {
      const upstream = upstreamOf(base, settings);
      return (ctx, depth) => forward(ctx, upstream, depth);
    });
    const { prefix } = exchangeOf(ctx).route.party;
    return (await loaded)(ctx, prefix.split("/").filter((segment) => segment !== "").length);
  };
}

function upstreamURL(url: string | URL): URL {
  const base = typeof url !== "symbol" && URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = base !== undefined && /^https?:$/.test(base.protocol) && base.search + base.hash === "";
  if (isPlain && base.username + base.password === "") return base;
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot forward requests to "${
      String(url)
    }": the URL must begin with http:// or https://, without credentials and a query`,
  );
}
