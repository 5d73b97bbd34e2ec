/**
 * Middleware that writes an access log with status code, latency, route, user, byte counts and custom fields. Entries
 * are formatted as text, JSON, CSV or by a template. The log file is rotated when it is full.
 *
 * An entry is written after the last handler has finished and any error page has been created. For a stream, it is
 * written when the stream ends or the client disconnects. Lines are written in batches, at the latest after one turn of
 * the event loop. No line is lost if the process ends normally, through `Deno.exit` or through a signal that it
 * handles.
 *
 * A log file belongs to one process. Several processes can share it only if fw never rotates it (`MaxFile: 0`).
 * External tools such as logrotate can move the file at any time. fw then creates a new file within a second.
 *
 * {@linkcode New} returns an object instead of a handler, because a log can also be listened to and closed. Its
 * `Handler()` is the middleware.
 *
 * @example Write JSON lines to a file
 * ```ts
 * import * as fw from "@fw/web";
 * import * as accesslog from "@fw/web/middleware/accesslog";
 *
 * const folder = await Deno.makeTempDir();
 * const log = accesslog.New({ File: `${folder}/access.log`, Format: "json", MaxFile: 10 << 20, MaxFiles: 3 });
 *
 * const app = fw.New();
 * app.UseRouter(log.Handler()); // UseRouter, so that requests without a route are logged as well
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
 * @module
 */

import { AccessLog, type Options } from "./access_log.ts";

export { AccessLog, type Options } from "./access_log.ts";
export type { FormatName, Formatter } from "./formats.ts";
export type { Entry } from "./entry.ts";
export type { ListenOptions } from "./listeners.ts";
export type { Rotation } from "../../base/log/rotating_file.ts";

/**
 * Creates an access log.
 *
 * @param options The options.
 * @returns The access log. Register `Handler()` as middleware and call `Close()` at shutdown.
 */
export function New(options: Options = {}): AccessLog {
  return new AccessLog(options);
}
