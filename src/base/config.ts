/**
 * The configuration of an application, and the configurators that `Run` takes to change it: one without an argument is a
 * value, one with an argument returns it.
 *
 * @module
 */

import type { LevelName } from "../log/line.ts";
import { type AddressList, addressList } from "./addresses.ts";
import { FrameworkError } from "./errors.ts";
import { isToken } from "./text.ts";

/** The settings of an application; a configurator changes them before the server starts. */
export interface Configuration {
  /** The log level: `disable`, `fatal`, `error`, `warn`, `info` or `debug`; `undefined` leaves the logger as it is. */
  LogLevel: LevelName | undefined;
  /** The charset named in the content type of text responses. */
  Charset: string;
  /** How many bytes of uploaded files one request may hold in memory; what is over lives in temporary files. */
  PostMaxMemory: number;
  /** How many fields and files one form may have. */
  MaxFormFields: number;
  /** How many bytes the fields of one form may have; files do not count. */
  MaxFormSize: number;
  /** How many bytes a request body may have where its route sets no limit of its own. */
  MaxRequestBody: number;
  /** How long a client may take to send a body. */
  BodyTimeout: BodyTimeout;
  /** The host name of the root domain, such as `example.co.uk`; needed only where it has more than two labels. */
  VHost: string;
  /** The request headers that name the client, in order of trust: trusted only when a trusted proxy sent them. */
  RemoteAddrHeaders: readonly string[];
  /** The request headers that name the host the client asked for: trusted only when a trusted proxy sent them. */
  HostProxyHeaders: readonly string[];
  /** The request headers that name the scheme the client uses: trusted only when a trusted proxy sent them. */
  SchemeProxyHeaders: readonly string[];
  /** Addresses and networks of the proxies whose forwarding headers count: `10.0.0.0/8`, `::1`. */
  TrustedProxies: readonly string[];
  /** How long a shutdown may take in all, in milliseconds; requests leave its last eighth to the tasks after them. */
  ShutdownTimeout: number;
  /** Called with the address once the server listens. */
  OnListen: ((addr: Deno.Addr) => void) | undefined;
  /** Starts without the lines that tell the address. */
  DisableStartupLog: boolean;
  /** Leaves SIGINT and SIGTERM alone. */
  DisableInterruptHandler: boolean;
  /** Treats `/users/` as another path than `/users`. */
  DisablePathCorrection: boolean;
  /** Serves `/users/` by the handler of `/users` instead of redirecting. */
  DisablePathCorrectionRedirection: boolean;
  /** Responds 404 where another method would match, instead of 405. */
  DisableMethodNotAllowed: boolean;
  /** Does not serve HEAD where only GET is registered. */
  DisableAutoHead: boolean;
  /** Does not serve OPTIONS where only other methods are registered. */
  DisableAutoOptions: boolean;
  /** Compares the letters of paths without regard to case. */
  ForceLowercaseRouting: boolean;
  /** Takes every `Host` header as it comes; for servers behind a proxy that refuses malformed ones. */
  DisableHostCheck: boolean;
  /** How long handlers may take, in milliseconds, before the response is 503; 0 sets no limit. */
  HandlerTimeout: number;
  /** Lets several processes listen on one port. */
  SocketSharding: boolean;
  /** Shows errors with their sources, and near routes where there is none: for the developer's own screen only. */
  Development: boolean;
}

/** How long a client may take to send a body. Only the time counts in which fw waits for bytes, not what a handler takes. */
export interface BodyTimeout {
  /** How many bytes must come per second, on average; 0 lets a client send as slowly as it likes. */
  readonly MinRate: number;
  /** For how many milliseconds the rate does not count yet. */
  readonly Grace: number;
  /** How many milliseconds the whole body may take; 0 sets no limit. */
  readonly Total: number;
}

/** Changes the configuration of an application; what `Run` and `Configure` take. */
export type Configurator = (config: Configuration) => void;

/**
 * Creates a configuration with every default.
 *
 * @returns A new record, free to change.
 */
export function defaultConfiguration(): Configuration {
  return {
    LogLevel: undefined,
    Charset: "UTF-8",
    PostMaxMemory: 32 << 20,
    MaxFormFields: 1000,
    MaxFormSize: 10 << 20,
    MaxRequestBody: 128 << 20,
    BodyTimeout: { MinRate: 500, Grace: 10_000, Total: 30 * 60_000 },
    VHost: "",
    RemoteAddrHeaders: [],
    HostProxyHeaders: [],
    SchemeProxyHeaders: [],
    TrustedProxies: [],
    ShutdownTimeout: 8_000,
    OnListen: undefined,
    DisableStartupLog: false,
    DisableInterruptHandler: false,
    DisablePathCorrection: false,
    DisablePathCorrectionRedirection: false,
    DisableMethodNotAllowed: false,
    DisableAutoHead: false,
    DisableAutoOptions: false,
    ForceLowercaseRouting: false,
    DisableHostCheck: false,
    HandlerTimeout: 0,
    SocketSharding: false,
    Development: false,
  };
}

/**
 * Checks a configuration whole, so that a wrong value stops the start and not a request.
 *
 * @param config The configuration to check.
 * @returns The trusted proxies, ready to be asked.
 */
export function checkConfiguration(config: Readonly<Configuration>): AddressList {
  for (const name of amounts) assertAmount(name, config[name]);
  for (const [name, value] of Object.entries(config.BodyTimeout)) assertAmount(`BodyTimeout.${name}`, value);
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(config.Charset)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the charset "${config.Charset}": it is not a charset name`);
  }
  const forwarded = [...config.RemoteAddrHeaders, ...config.HostProxyHeaders, ...config.SchemeProxyHeaders];
  const misnamed = forwarded.find((name) => !isToken(name));
  if (misnamed !== undefined) {
    throw new FrameworkError("FW_CONFIG", `Cannot trust the header "${misnamed}": it is not a valid header name`);
  }
  if (forwarded.length > 0 && config.TrustedProxies.length === 0) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot trust the header "${forwarded[0]}": no trusted proxy is configured that may set it`,
    );
  }
  return addressList(config.TrustedProxies);
}

/** The settings that are a number from 0 up. */
const amounts = [
  "PostMaxMemory",
  "MaxFormFields",
  "MaxFormSize",
  "MaxRequestBody",
  "ShutdownTimeout",
  "HandlerTimeout",
] as const;

function assertAmount(name: string, value: number): void {
  if (!Number.isFinite(value) || value < 0) {
    throw new FrameworkError("FW_CONFIG", `Cannot set "${name}": "${value}" is not a number from 0 up`);
  }
}

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
 * Sets how many bytes a request body may have (128 MiB by default), whatever reads it: a handler that reads one form
 * field could otherwise be made to store any number of bytes on the disk. A body with more fails with status 413.
 *
 * A route that takes larger bodies says so with `fw.LimitRequestBodySize`, which replaces this limit there.
 *
 * @param bytes The limit.
 * @returns The configurator.
 */
export function WithMaxRequestBody(bytes: number): Configurator {
  return WithConfiguration({ MaxRequestBody: bytes });
}

/**
 * Sets how long a client may take to send a body. By default 500 bytes per second must come on average once 10 seconds
 * have passed, and the whole body within 30 minutes. A slower one fails with status 408.
 *
 * Only the time counts in which fw waits for bytes, not what a handler takes. Deno gives no such limits for the head of a
 * request and for idle connections, and keeps the connection of a refused body until the client closes it: a proxy in
 * front must set those limits, such as nginx with `client_header_timeout`, `client_body_timeout` and
 * `keepalive_timeout`.
 *
 * @example A body that must come within a minute
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithBodyTimeout({ Total: 60_000 }));
 * app.Build();
 * app.ConfigurationReadOnly().BodyTimeout.Total; // → 60_000
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
 * Limits the time that handlers may take: after it the response is 503, `ctx.Signal()` is aborted and no further handler
 * runs. What a handler still does cannot be stopped, and what it writes is dropped. Off by default. A handler that never
 * waits for anything cannot be interrupted; a stream that has begun is not cut off.
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
 * Takes the client's address from a header, when one of the named proxies sent the request.
 *
 * @param header The header, such as `X-Forwarded-For`.
 * @param proxies Addresses and networks of the proxies that may set it.
 * @returns The configurator.
 */
export function WithRemoteAddrHeader(header: string, ...proxies: string[]): Configurator {
  return function (config) {
    config.RemoteAddrHeaders = [...config.RemoteAddrHeaders, header];
    config.TrustedProxies = [...config.TrustedProxies, ...proxies];
  };
}

/**
 * Takes the host that the client asked for from a header, when one of the named proxies sent the request.
 *
 * @param header The header, such as `X-Forwarded-Host`.
 * @param proxies Addresses and networks of the proxies that may set it.
 * @returns The configurator.
 */
export function WithHostProxyHeader(header: string, ...proxies: string[]): Configurator {
  return function (config) {
    config.HostProxyHeaders = [...config.HostProxyHeaders, header];
    config.TrustedProxies = [...config.TrustedProxies, ...proxies];
  };
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
export const WithoutStartupLog: Configurator = WithConfiguration({ DisableStartupLog: true });

/** Leaves SIGINT and SIGTERM to the program. */
export const WithoutInterruptHandler: Configurator = WithConfiguration({ DisableInterruptHandler: true });

/** Treats `/users/` as another path than `/users`. */
export const WithoutPathCorrection: Configurator = WithConfiguration({ DisablePathCorrection: true });

/** Serves `/users/` by the handler of `/users` instead of redirecting. */
export const WithoutPathCorrectionRedirection: Configurator = WithConfiguration({
  DisablePathCorrectionRedirection: true,
});

/** Responds 404 where another method would match, instead of 405. */
export const WithoutMethodNotAllowed: Configurator = WithConfiguration({ DisableMethodNotAllowed: true });

/** Does not serve HEAD where only GET is registered. */
export const WithoutAutoHead: Configurator = WithConfiguration({ DisableAutoHead: true });

/** Does not serve OPTIONS where only other methods are registered. */
export const WithoutAutoOptions: Configurator = WithConfiguration({ DisableAutoOptions: true });

/** Compares the letters of paths without regard to case. */
export const WithLowercaseRouting: Configurator = WithConfiguration({ ForceLowercaseRouting: true });

/**
 * Takes every `Host` header as it comes. Without it a malformed one is refused with 400, since it could move the path; that
 * costs 3 to 5 µs per request whose URL has more than one slash. For servers behind a proxy that checks it, as nginx and Caddy
 * do; HAProxy does not.
 */
export const WithoutHostCheck: Configurator = WithConfiguration({ DisableHostCheck: true });

/** Lets several processes listen on one port, so that the kernel spreads the connections. */
export const WithSocketSharding: Configurator = WithConfiguration({ SocketSharding: true });

/**
 * Shows the developer readable pages: a 500 with its message, source and request, a 404 with the routes near it. Never
 * for a server that strangers reach: the pages show sources and headers.
 */
export const WithDevelopment: Configurator = WithConfiguration({ Development: true });

/** A header by which proxies tell of the client. */
export type ForwardingHeader = "X-Forwarded-For" | "X-Forwarded-Proto" | "X-Forwarded-Host" | "Forwarded";

/** Which proxies stand in front of the application, and what they say. */
export interface ProxyOptions {
  /**
   * Addresses and networks of the proxies: `"10.0.0.5"`, `"10.0.0.0/8"`, `"::1"`; `"loopback"` for this machine,
   * `"private"` for all networks that are not on the internet.
   */
  Trust: readonly string[];
  /**
   * The headers that these proxies write themselves, whatever the client sent; the three that begin with `X-Forwarded-`
   * when left out. Name only those: one that a proxy passes on untouched is the client's word.
   */
  Take?: readonly ForwardingHeader[];
}

/** The list of the configuration that each header belongs to. */
const listsOfHeaders = {
  "X-Forwarded-For": ["RemoteAddrHeaders"],
  "X-Forwarded-Proto": ["SchemeProxyHeaders"],
  "X-Forwarded-Host": ["HostProxyHeaders"],
  "Forwarded": ["RemoteAddrHeaders", "SchemeProxyHeaders", "HostProxyHeaders"],
} as const;

/** Networks that have a name. */
const namedNetworks: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  loopback: ["127.0.0.0/8", "::1"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"],
});

/**
 * Trusts proxies: the client's address, its scheme and the host it asked for are then what they say, so that
 * `ctx.RemoteAddr()`, `ctx.Scheme()`, `ctx.Host()`, links and Secure cookies are right.
 *
 * @example Behind a proxy on the same machine
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New().Configure(fw.WithProxy({ Trust: ["loopback"] }));
 * app.Get("/", (ctx) => ctx.WriteString(`${ctx.RemoteAddr()} ${ctx.AbsoluteURI("/login")}`));
 *
 * const headers = {
 *   "x-forwarded-for": "203.0.113.7",
 *   "x-forwarded-proto": "https",
 *   "x-forwarded-host": "example.com",
 * };
 * const proxy = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50000 } } as const;
 * const response = await app.fetch(new Request("http://localhost/", { headers }), proxy);
 * await response.text(); // → "203.0.113.7 https://example.com/login"
 * ```
 *
 * @param options The proxies and their headers.
 * @returns The configurator.
 */
export function WithProxy(options: ProxyOptions): Configurator {
  const headers = options.Take ?? ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"];
  if (headers.includes("Forwarded") && headers.length > 1) {
    // Of two accounts of the same hop, one is mostly passed on as the client wrote it.
    throw new FrameworkError(
      "FW_CONFIG",
      'Cannot take "Forwarded" together with others: a proxy writes one or the other',
    );
  }
  return function (config) {
    for (const header of headers) {
      for (const list of listsOfHeaders[header]) config[list] = [...config[list], header];
    }
    const trusted = options.Trust.flatMap((entry) => namedNetworks[entry] ?? [entry]);
    config.TrustedProxies = [...config.TrustedProxies, ...trusted];
  };
}
