/**
 * The configurators that `Run` takes: one without an argument is a value, one with an argument returns it.
 *
 * @module
 */

import type { LevelName } from "../log/level.ts";
import type { BodyTimeout, Configuration, Configurator } from "./config.ts";

/**
 * Sets how many bytes of uploaded files one request may hold in memory (32 MiB by default).
 *
 * @param bytes The limit; file bytes beyond it live in temporary files until the request ends.
 * @returns The configurator.
 */
export function WithPostMaxMemory(bytes: number): Configurator {
  return WithConfiguration({ PostMaxMemory: bytes });
}

/**
 * Sets how many fields and files one form may have (1,000 by default); a form with more fails with status 413.
 *
 * @param count The limit.
 * @returns The configurator.
 */
export function WithMaxFormFields(count: number): Configurator {
  return WithConfiguration({ MaxFormFields: count });
}

/**
 * Sets how many bytes the fields of one form may have (10 MiB by default); files do not count. A form with more fails
 * with status 413.
 *
 * @param bytes The limit.
 * @returns The configurator.
 */
export function WithMaxFormSize(bytes: number): Configurator {
  return WithConfiguration({ MaxFormSize: bytes });
}

/**
 * Sets the maximum size of a body that is read as JSON, in bytes. Defaults to 1 MiB; a larger body gets 413. Parsing
 * JSON blocks the process: 33 MB take over 4 seconds and 1.2 GB of memory. `fw.LimitJSONSize` limits a route.
 *
 * @param bytes The size.
 * @returns The configurator.
 */
export function WithMaxJSONSize(bytes: number): Configurator {
  return WithConfiguration({ MaxJSONSize: bytes });
}

/**
 * Sets how many bytes a request body may have (128 MiB by default), whatever reads it: a handler that reads one form
 * field could otherwise be made to store any number of bytes on the disk. A body with more fails with status 413.
 *
 * A route that takes larger bodies says so with `fw.LimitRequestBodySize`, which replaces this limit there.
 *
 * @param bytes The limit.
 * @returns The configurator.
 */
export function WithMaxRequestBodySize(bytes: number): Configurator {
  return WithConfiguration({ MaxRequestBodySize: bytes });
}

/**
 * Sets how long a client may take to send a body. By default 500 bytes per second must come on average once 10 seconds
 * have passed, and the whole body within 30 minutes. A slower one fails with status 408.
 *
 * Only the time counts in which fw waits for bytes, not what a handler takes. Deno gives no such limits for the head of
 * a request and for idle connections, and keeps the connection of a refused body until the client closes it: a proxy in
 * front must set those limits, such as nginx with `client_header_timeout`, `client_body_timeout` and
 * `keepalive_timeout`.
 *
 * @example A body that must come within a minute
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithBodyTimeout({ Total: 60_000 }));
 * app.Build();
 * app.Configuration().BodyTimeout.Total; // → 60_000
 * ```
 *
 * @param timeout The limits to change; the others stay.
 * @returns The configurator.
 */
export function WithBodyTimeout(timeout: Partial<BodyTimeout>): Configurator {
  return function (config) {
    config.BodyTimeout = { ...config.BodyTimeout, ...timeout };
  };
}

/**
 * Limits the time that handlers may take: after it the response is 503, `ctx.Signal()` is aborted and no further
 * handler runs. What a handler still does cannot be stopped, and what it writes is dropped. Off by default. A handler
 * that never waits for anything cannot be interrupted; a stream that has begun is not cut off.
 *
 * @example A response after a moment, whatever the handler does
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
 * @param milliseconds The time; 0 sets no limit.
 * @returns The configurator.
 */
export function WithHandlerTimeout(milliseconds: number): Configurator {
  return WithConfiguration({ HandlerTimeout: milliseconds });
}

/**
 * Sets the charset named in text responses (UTF-8 by default).
 *
 * @param charset The charset's name.
 * @returns The configurator.
 */
export function WithCharset(charset: string): Configurator {
  return WithConfiguration({ Charset: charset });
}

/**
 * Names the root domain, so that subdomains can be told from it where it has more than two labels.
 *
 * @param name The host name, such as `example.co.uk`.
 * @returns The configurator.
 */
export function WithVHost(name: string): Configurator {
  return WithConfiguration({ VHost: name });
}

/**
 * Sets the log level.
 *
 * @param level `disable`, `fatal`, `error`, `warn`, `info` or `debug`.
 * @returns The configurator.
 */
export function WithLogLevel(level: LevelName): Configurator {
  return WithConfiguration({ LogLevel: level });
}

/**
 * Calls a function once the server listens; with an address that ends in `:0` it tells the port.
 *
 * @param listen Receives the address.
 * @returns The configurator.
 */
export function WithOnListen(listen: (addr: Deno.Addr) => void): Configurator {
  return WithConfiguration({ OnListen: listen });
}

/**
 * Sets how long a shutdown may take in all (8 seconds by default, so that it is over when Docker kills after 10).
 *
 * Requests have seven eighths of it, or all but a second; those that still run then get a 503 and their connections are
 * closed. The rest is for the tasks of `RegisterOnShutdown`. After a signal the process has ended when the time is up.
 *
 * @param milliseconds The time; with `0` requests are cut off at once.
 * @returns The configurator.
 */
export function WithShutdownTimeout(milliseconds: number): Configurator {
  return WithConfiguration({ ShutdownTimeout: milliseconds });
}

/**
 * Sets how long a stop waits for load balancers to notice it. Defaults to 0.
 *
 * When a stop is requested, `/readyz` of `@fw/web/middleware/health` responds with 503, the tasks of
 * `RegisterOnInterrupt` run, and responses say `connection: close`, but the listener stays open for this time. Then the
 * graceful shutdown begins, with a time limit of its own. Choose a little more than the interval of the health checks
 * times the number of failures that take a server out. If the program runs on a terminal, Ctrl+C skips the delay.
 *
 * @param milliseconds The time.
 * @returns The configurator.
 */
export function WithDrainDelay(milliseconds: number): Configurator {
  return WithConfiguration({ DrainDelay: milliseconds });
}

/**
 * Sets several values at once.
 *
 * @param values The values to change; the others stay.
 * @returns The configurator.
 */
export function WithConfiguration(values: Partial<Configuration>): Configurator {
  return function (config) {
    Object.assign(config, values);
  };
}

/** Starts without the lines that tell the address. */
export const WithoutStartupLog: Configurator = WithConfiguration({ StartupLog: false });

/**
 * Has `Run` return the error of a server that could not start or go on, instead of reporting it and ending the process
 * with exit code 1: for programs that try another port, or that have a life beside the server.
 */
export const WithoutExit: Configurator = WithConfiguration({ Exit: false });

/** Leaves SIGINT and SIGTERM to the program. */
export const WithoutInterruptHandler: Configurator = WithConfiguration({ InterruptHandler: false });

/** Treats `/users/` as another path than `/users`. */
export const WithoutPathCorrection: Configurator = WithConfiguration({ PathCorrection: false });

/** Serves `/users/` by the handler of `/users` instead of redirecting. */
export const WithoutPathCorrectionRedirection: Configurator = WithConfiguration({
  PathCorrectionRedirection: false,
});

/** Responds 404 where another method would match, instead of 405. */
export const WithoutMethodNotAllowed: Configurator = WithConfiguration({ MethodNotAllowed: false });

/** Does not serve HEAD where only GET is registered. */
export const WithoutAutoHead: Configurator = WithConfiguration({ AutoHead: false });

/** Does not serve OPTIONS where only other methods are registered. */
export const WithoutAutoOptions: Configurator = WithConfiguration({ AutoOptions: false });

/** Compares the letters of paths without regard to case. */
export const WithLowercaseRouting: Configurator = WithConfiguration({ LowercaseRouting: true });

/**
 * Takes every `Host` header as it comes. Without it a malformed one is refused with 400, since it could move the path;
 * that costs 2 µs per request whose URL has more than one slash. For servers behind a proxy that checks it, as
 * nginx and Caddy do; HAProxy does not.
 */
export const WithoutHostCheck: Configurator = WithConfiguration({ HostCheck: false });

/** Lets several processes listen on one port, so that the kernel spreads the connections. */
export const WithSocketSharding: Configurator = WithConfiguration({ SocketSharding: true });

/**
 * Shows the developer readable pages: a 500 with its message, source and request, a 404 with the routes near it.
 * Reloads templates at every rendering. Never use it on a server that strangers can reach: the pages show source code
 * and headers.
 */
export const WithDevelopment: Configurator = WithConfiguration({ Development: true });
