/**
 * Serves the browser client.
 *
 * @module
 */

import type { Handler } from "../../context/handler.ts";
import { Live } from "./live.ts";

let text: string | undefined;

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
  return function serveClient(ctx) {
    ctx.ContentType("text/javascript; charset=utf-8");
    ctx.Header("cache-control", "max-age=3600");
    ctx.WriteString(text ??= moduleText());
  };
}

/** Returns the source of the client class and its base classes, without types, comments and most whitespace. */
function moduleText(): string {
  const types: { toString(): string }[] = [];
  for (let type: object = Live; type !== Function.prototype; type = Object.getPrototypeOf(type)) types.unshift(type);
  // A bundler may have renamed the base classes.
  const sources = types.map((type, at) => sourceOf(type).replace(/^(class [\w$]+ extends )[\w$]+/, `$1Base${at - 1}`));
  const live = sources.pop();
  return `${sources.map((source, at) => `const Base${at} = ${source};\n`).join("")}export ${live}\n`;
}

function sourceOf(type: { toString(): string }): string {
  const bare = type.toString().replace(/\/\*[\s\S]*?\*\/|\/\/ .*$/gm, "").replace(/\n\s+/g, "\n");
  // Statements end with a semicolon, so that a line break after punctuation has no meaning. No string contains a spaced
  // operator.
  return bare.replace(/([{[(,;])\n/g, "$1").replace(/\n([\])])/g, "$1").replace(/ (===|!==|=|&&|\?\??|:) /g, "$1");
}
