/**
 * The configurators for `Run`. A configurator is either a constant or a function that returns one.
 *
 * @module
 */

import type { LevelName } from "../log/level.ts";
import {
  type BodyTimeout,
  checkLimits,
  checkSetting,
  checkSettings,
  type Configuration,
  type Configurator,
} from "./config.ts";

/**
 * Sets the maximum size of uploaded files to hold in memory per request. Defaults to 32 MiB.
 *
 * @param bytes The maximum size, in bytes. Larger uploads are stored in temporary files until the request ends.
 * @returns The configurator.
 */
export function WithPostMaxMemory(bytes: number): Configurator {
  return setting("PostMaxMemory", bytes);
}

/**
 * Sets the maximum number of fields and files per form. Defaults to 1,000. If a form has more, reading it fails with
 * status 413.
 *
 * @param count The maximum number.
 * @returns The configurator.
 */
export function WithMaxFormFields(count: number): Configurator {
  return setting("MaxFormFields", count);
}

/**
 * Sets the maximum total size of a form's fields, not including files. Defaults to 10 MiB. If a form is larger, reading
 * it fails with status 413.
 *
 * @param bytes The maximum size, in bytes.
 * @returns The configurator.
 */
export function WithMaxForm(bytes: number): Configurator {
  return setting("MaxForm", bytes);
}

/**
 * Sets the maximum size of a JSON, XML, YAML or MessagePack body. Defaults to 1 MiB. If a body is larger, reading it
 * fails with status 413. Parsing JSON blocks the process. For example, 33 MB take more than 4 seconds and 1.2 GB of
 * memory. Use `fw.LimitDocument` to set the limit for a route.
 *
 * @param bytes The maximum size, in bytes.
 * @returns The configurator.
 */
export function WithMaxDocument(bytes: number): Configurator {
  return setting("MaxDocument", bytes);
}

/**
 * Sets the maximum request body size. Defaults to 128 MiB. If a body is larger, reading it fails with status 413.
 * Without a limit, a client could fill the disk by sending a large upload to a handler that reads a single form field.
 *
 * Use `fw.LimitRequestBodySize` to replace this limit for a route.
 *
 * @param bytes The maximum size, in bytes.
 * @returns The configurator.
 */
export function WithMaxBody(bytes: number): Configurator {
  return setting("MaxBody", bytes);
}

/**
 * Sets the time limits for sending a request body. By default, a client must send at least 500 bytes per second on
 * average after the first 10 seconds, and the whole body within 30 minutes. If a client is slower, reading the body
 * fails with status 408.
 *
 * The limits apply only while fw waits for bytes, not while a handler runs. Deno has no such limits for request headers
 * or idle connections, and it keeps the connection of a rejected body open until the client closes it. Set those limits
 * in a reverse proxy, for example with `client_header_timeout`, `client_body_timeout` and `keepalive_timeout` in nginx.
 *
 * @example Requiring the body within a minute
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithBodyTimeout({ Total: 60_000 }));
 * app.Build();
 * app.Configuration().BodyTimeout.Total; // → 60_000
 * ```
 *
 * @param timeout The limits to change. Omitted limits keep their values.
 * @returns The configurator.
 */
export function WithBodyTimeout(timeout: Partial<BodyTimeout>): Configurator {
  checkLimits(timeout);
  return function (config) {
    config.BodyTimeout = { ...config.BodyTimeout, ...timeout };
  };
}

/**
 * Sets a time limit for handlers. When it expires, the response is 503, `ctx.Signal()` is aborted and no further
 * handlers run. A handler that is still running cannot be stopped, but anything it writes is discarded. A handler that
 * never awaits anything cannot be interrupted, and a stream that has already started is not cut off. The time in which
 * a Socket.IO client polls, or a tool waits for the reply of its caller, does not count. Error handlers and tasks at
 * the end of the request then have as much time again, but at least a second. Defaults to no limit.
 *
 * @example Limiting the time of slow handlers
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithHandlerTimeout(5));
 * app.Get("/", (ctx) => new Promise((resolve) => ctx.Signal().addEventListener("abort", () => resolve())));
 * const response = await app.fetch(new Request("http://localhost/"));
 * response.status; // → 503
 * await response.body?.cancel();
 * ```
 *
 * @param milliseconds The time limit, in milliseconds. 0 means no limit.
 * @returns The configurator.
 */
export function WithHandlerTimeout(milliseconds: number): Configurator {
  return setting("HandlerTimeout", milliseconds);
}

/**
 * Sets the charset of text responses. Defaults to UTF-8.
 *
 * @param charset The charset's name.
 * @returns The configurator.
 */
export function WithCharset(charset: string): Configurator {
  return setting("Charset", charset);
}

/**
 * Sets the path prefix under which clients reach the application, such as `/seats`. All links, redirects and cookies
 * that fw creates, and the servers in OpenAPI documents, include it. The prefix is removed from request paths before
 * routing, so it does not matter whether the proxy in front of the application removes it. Routes, guards and logs
 * never see it.
 *
 * If a trusted proxy sends `X-Forwarded-Prefix` (see `fw.WithProxy`), links start with that prefix instead.
 *
 * @example Publish an application below a path
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithBasePath("/seats"));
 * app.Get("/shows/{id:int}", (ctx) => ctx.WriteString(ctx.Path())).SetName("show");
 * app.Get("/", (ctx) => ctx.Redirect(ctx.URLPath("show", 7)));
 *
 * const response = await app.fetch(new Request("http://localhost/seats/"));
 * response.headers.get("location"); // → "/seats/shows/7"
 * const show = await app.fetch(new Request("http://localhost/seats/shows/7"));
 * await show.text(); // → "/shows/7"
 * ```
 *
 * @param path The path. A trailing slash is ignored.
 * @returns The configurator.
 */
export function WithBasePath(path: string): Configurator {
  return setting("BasePath", path);
}

/**
 * Sets the root domain. This is required to recognize subdomains if the root domain has more than two labels.
 *
 * @param name The host name, such as `example.co.uk`.
 * @returns The configurator.
 */
export function WithVHost(name: string): Configurator {
  return setting("VHost", name);
}

/**
 * Serves a sitemap at `/sitemap.xml`. It lists the routes for GET requests without parameters that a visitor without
 * credentials can reach: the middleware of each page runs once, without its main handler, and pages that it does not
 * let through are not listed. Hidden routes, folders and routes of other hosts are not listed either. Pages of mounted
 * fw applications are listed if neither they nor the mount have middleware. Each file has up to 50,000 pages. If there
 * are more, `/sitemap.xml` is an index of `/sitemap1.xml` and so on.
 *
 * If the application has several languages, each page has links to its translations. The settings of a page, such as
 * `SetLastMod` and `ExcludeSitemap`, are methods of its route.
 *
 * @param url The URL of the site, such as `https://example.com`. Its host selects the party that is listed. If it has
 * no path, the pages have the base path of the application.
 * @returns The configurator.
 *
 * @example List the pages of a site
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithSitemap("https://example.com"));
 * app.Get("/teas", (ctx) => ctx.WriteString("Assam")).SetChangeFreq("daily");
 *
 * const text = await (await app.fetch(new Request("https://example.com/sitemap.xml"))).text();
 * text.includes("<url><loc>https://example.com/teas</loc><changefreq>daily</changefreq></url>"); // → true
 * ```
 */
export function WithSitemap(url: string): Configurator {
  return setting("Sitemap", url);
}

/**
 * Sets the log level.
 *
 * @param level The level: `disable`, `fatal`, `error`, `warn`, `info` or `debug`.
 * @returns The configurator.
 */
export function WithLogLevel(level: LevelName): Configurator {
  return setting("LogLevel", level);
}

/**
 * Adds a function to call once the server is listening. If the listen address ends in `:0`, use it to find out the
 * port. Functions that were added before are called first.
 *
 * @param listen Called with the address.
 * @returns The configurator.
 */
export function WithOnListen(listen: (addr: Deno.Addr) => void): Configurator {
  checkSetting("OnListen", listen);
  return (config) => {
    const { OnListen: before } = config;
    config.OnListen = before === undefined ? listen : (addr) => {
      before(addr);
      listen(addr);
    };
  };
}

/**
 * Sets the maximum duration of a graceful shutdown. Defaults to 8 seconds, because Docker kills a container after 10
 * seconds.
 *
 * In-flight requests are drained during the first seven eighths of that time, or all but the last second. Any request
 * still running after that gets a 503 response, and its connection is closed. The remaining time is for the tasks
 * registered with `RegisterOnShutdown`. After a signal, the process exits at the latest when the time is up.
 *
 * @param milliseconds The maximum duration, in milliseconds. With `0`, requests are cut off immediately.
 * @returns The configurator.
 */
export function WithShutdownTimeout(milliseconds: number): Configurator {
  return setting("ShutdownTimeout", milliseconds);
}

/**
 * Sets the delay that gives load balancers time to notice that the application is stopping. Defaults to 0.
 *
 * When a stop is requested, `/readyz` of `@fw/web/middleware/health` responds with 503, the tasks registered with
 * `RegisterOnInterrupt` run, and responses include `connection: close`, but the listener stays open for this time. Then
 * the graceful shutdown starts, with its own time limit. Choose a little more than the health check interval times the
 * number of failures after which the load balancer removes a server. If the program runs in a terminal, Ctrl+C skips
 * the delay.
 *
 * @param milliseconds The delay, in milliseconds.
 * @returns The configurator.
 */
export function WithDrainDelay(milliseconds: number): Configurator {
  return setting("DrainDelay", milliseconds);
}

/**
 * Sets several configuration values at once.
 *
 * @param values The values to change. Omitted settings keep their values.
 * @returns The configurator.
 */
export function WithConfiguration(values: Partial<Configuration>): Configurator {
  checkSettings(values);
  return function (config) {
    for (const [name, value] of Object.entries(values)) if (value !== undefined) Reflect.set(config, name, value);
  };
}

/** Creates a configurator for one setting. */
function setting<Name extends keyof Configuration>(name: Name, value: Configuration[Name]): Configurator {
  checkSetting(name, value);
  return function (config) {
    config[name] = value;
  };
}

/** Starts the server without logging its addresses. */
export const WithoutStartupLog: Configurator = setting("StartupLog", false);

/**
 * Makes `Run` return the error if the server fails, instead of logging it and exiting the process with code 1. Use it
 * for programs that try another port or that do other work besides the server.
 */
export const WithoutExit: Configurator = setting("Exit", false);

/** Leaves SIGINT and SIGTERM to the program. */
export const WithoutInterruptHandler: Configurator = setting("InterruptHandler", false);

/** Treats `/users/` and `/users` as different paths. */
export const WithoutPathCorrection: Configurator = setting("PathCorrection", false);

/** Handles `/users/` with the handler for `/users` instead of redirecting. */
export const WithoutPathCorrectionRedirection: Configurator = setting("PathCorrectionRedirection", false);

/** Responds with 404 instead of 405 if the path matches only with another method. */
export const WithoutMethodNotAllowed: Configurator = setting("MethodNotAllowed", false);

/** Disables automatic HEAD handling for GET routes. */
export const WithoutAutoHead: Configurator = setting("AutoHead", false);

/** Disables automatic OPTIONS handling. */
export const WithoutAutoOptions: Configurator = setting("AutoOptions", false);

/** Ignores case when matching paths. */
export const WithLowercaseRouting: Configurator = setting("LowercaseRouting", true);

/**
 * Accepts any `Host` header. By default, a malformed header is rejected with 400, because it could alter the path. The
 * check costs 2 µs per request whose URL contains more than one slash. Use this configurator only behind a proxy that
 * validates the header, as nginx and Caddy do; HAProxy does not.
 */
export const WithoutHostCheck: Configurator = setting("HostCheck", false);

/** Allows several processes to listen on the same port, so that the kernel distributes the connections. */
export const WithSocketSharding: Configurator = setting("SocketSharding", true);

/**
 * Shows detailed pages for development: error pages with the message, source code and request, and 404 pages with
 * similar routes. The pages at `/_fw` show problems, the last requests with their timelines, routes and settings, to
 * programs on this machine and to those with the token in the log. Templates are reloaded at every rendering. Never use
 * it on a public server, because the pages reveal source code and headers.
 */
export const WithDevelopment: Configurator = setting("Development", true);
