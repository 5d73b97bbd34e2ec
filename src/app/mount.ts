/**
 * Other fetch applications inside of this one.
 *
 * @module
 */

import { type Context, exchangeOf } from "../context/context.ts";
import { bodyOf } from "../context/exchange.ts";
import type { Handler } from "../context/handler.ts";

/** What serves a request: the `fetch` of another application, or a function of one's own. */
export type ForeignFetch = (request: Request) => Response | Promise<Response>;

/**
 * Creates a handler from a function from `Request` to `Response`. The body that it reads is counted: the limits of this
 * application hold.
 *
 * @param fetch The function.
 * @returns The handler.
 *
 * @example A function as a route
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/time", fw.FromFetch(() => Response.json({ hours: 7 })));
 * const response = await app.fetch(new Request("http://localhost/time"));
 * await response.json(); // → { hours: 7 }
 * ```
 */
export function FromFetch(fetch: ForeignFetch): Handler {
  return (ctx) => fetch(countedRequest(ctx));
}

/** Hands requests to another application with the first part of their path cut off. */
export function mounted(prefix: string, fetch: ForeignFetch): Handler {
  return (ctx) => {
    const request = countedRequest(ctx);
    // An upgrade is bound to its very request: it keeps its whole path.
    return fetch(request.headers.has("upgrade") ? request : new Request(withoutPrefix(request.url, prefix), request));
  };
}

function countedRequest(ctx: Context): Request {
  // Asked for before the request is handed out, so that the limit of the whole application counts too.
  bodyOf(exchangeOf(ctx));
  return ctx.Request();
}

function withoutPrefix(url: string, prefix: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const depth = prefix.split("/").filter((part) => part !== "").length;
  let end = start;
  // By segments and not by letters: an escaped letter in the prefix is longer than it looks.
  for (let at = 0; at < depth; at++) {
    const next = url.slice(end + 1).search(/[/?#]/);
    end = next < 0 ? url.length : end + 1 + next;
    if (url[end] !== "/") break;
  }
  const rest = url.slice(end);
  return url.slice(0, start) + (rest.startsWith("/") ? rest : `/${rest}`);
}
