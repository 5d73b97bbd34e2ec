/**
 * Middleware that writes one entry per request: status, latency, route, user, bytes in and out, and fields of your own,
 * as text, JSON, CSV or by a template, to a file that begins anew when it is full.
 *
 * @example Lines of JSON in a file
 * ```ts
 * import * as fw from "@fw/web";
 * import * as accesslog from "@fw/web/middleware/accesslog";
 *
 * const folder = await Deno.makeTempDir();
 * const log = accesslog.New({ File: `${folder}/access.log`, Format: "json", MaxSize: 10 << 20, MaxFiles: 3 });
 *
 * const app = fw.New();
 * app.UseRouter(log.Handler()); // UseRouter: requests without a route are logged as well
 * app.RegisterOnShutdown(() => log.Close());
 * app.Get("/teas/{id:int}", (ctx) => {
 *   ctx.Logger().AddFields({ tenant: "north" });
 *   ctx.WriteString("Assam");
 * });
 *
 * await app.fetch(new Request("http://localhost/teas/7"));
 * await app.Shutdown();
 * const record = JSON.parse(await Deno.readTextFile(`${folder}/access.log`));
 * [record.status, record.route, record.bytes_sent]; // → [200, "/teas/{id:int}", 5]
 * [record.params, record.fields]; // → [{ id: "7" }, { tenant: "north" }]
 * await Deno.remove(folder, { recursive: true });
 * ```
 *
 * An entry is written when the last handler has finished and its error page, if it needs one, is there; that of a
 * stream when the stream has ended or the client has gone. Lines are written in batches, at the latest when the event
 * loop has gone round once, and none is lost when the process ends by itself, by `Deno.exit` or by a signal that it
 * handles.
 *
 * A file belongs to one process. Several may share it as long as it never begins anew (`MaxSize: 0`); a program such as
 * logrotate may move it at any time: a new one is begun within a second.
 *
 * @module
 */

import { AccessLog, type Options } from "./access_log.ts";

export { AccessLog, type Options } from "./access_log.ts";
export type { FormatName, Formatter } from "./formats.ts";
export type { Entry } from "./entry.ts";
export type { Rotation } from "../../log/rotating_file.ts";
export type { LogOutput, LogWriter } from "../../log/sink.ts";

/**
 * Creates an access log.
 *
 * @param options What is logged, how, and where to.
 * @returns The log: `Handler()` is its middleware, `Close()` belongs to the shutdown.
 */
export function New(options: Options = {}): AccessLog {
  return new AccessLog(options);
}
