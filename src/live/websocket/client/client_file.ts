/**
 * Serves the browser client.
 *
 * @module
 */

import type { Handler } from "../../../core/context/handler.ts";
import { asPage } from "../../../core/exchange/handler_facts.ts";
import { script } from "./media.ts";

/**
 * Creates a handler that serves the browser client. It is a module that exports `Live` and is smaller than 5 KB when
 * compressed. Its methods take the namespace as the option `Namespace`. Apart from that, they are those of
 * `client.Live` in `@fw/web/client`.
 *
 * @returns The handler.
 *
 * @example Use the client in a page
 * ```ts
 * import * as fw from "@fw/web";
 * import * as websocket from "@fw/web/websocket";
 *
 * const app = fw.New();
 * app.Get("/live.js", websocket.Client());
 * app.Get("/", (ctx) =>
 *   ctx.HTML(`<script type="module">
 *     import { Live } from "/live.js";
 *     const live = new Live("/ws");
 *     live.On("said", (message) => console.log(message));
 *   </script>`));
 * const response = await app.fetch(new Request("http://localhost/live.js"));
 * response.headers.get("content-type"); // → "text/javascript; charset=utf-8"
 * await response.body?.cancel();
 * ```
 */
export function Client(): Handler {
  return asPage<Handler>(function serveClient(ctx) {
    ctx.ContentType("text/javascript; charset=utf-8");
    ctx.Header("cache-control", "max-age=3600");
    ctx.WriteString(script.text);
  });
}
