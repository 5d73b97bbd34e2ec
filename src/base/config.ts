/**
 * The configuration of an application: its settings, their defaults, and the check of them.
 *
 * @module
 */

import type { LevelName } from "../log/level.ts";
import { type AddressList, addressList } from "./addresses.ts";
import { FrameworkError } from "./errors.ts";
import { isHeaderToken } from "./header_token.ts";

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
  /** How many bytes a body may have that is read as JSON. Parsing blocks all other requests. */
  MaxJSONSize: number;
  /** The maximum size of a request body, in bytes, for routes that set no limit of their own. */
  MaxRequestBodySize: number;
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
  /** Whether peers on unix sockets are the only trusted proxies. */
  TrustUnixPeersOnly: boolean;
  /** How long a shutdown may take in all, in milliseconds; requests leave its last eighth to the tasks after them. */
  ShutdownTimeout: number;
  /** How long the listener stays open after a stop was requested and readiness turned off, in milliseconds. */
  DrainDelay: number;
  /** Called with the address once the server listens. */
  OnListen: ((addr: Deno.Addr) => void) | undefined;
  /** Whether the addresses are logged when the server starts. */
  StartupLog: boolean;
  /** Whether `Run` ends the process if the server cannot start or fails later; if not, it returns the error. */
  Exit: boolean;
  /** Whether SIGINT and SIGTERM shut the server down gracefully. */
  InterruptHandler: boolean;
  /** Whether `/users/` leads to the route of `/users`; if not, they are different paths. */
  PathCorrection: boolean;
  /** Whether `/users/` redirects to `/users`; if not, the handler of `/users` serves it. */
  PathCorrectionRedirection: boolean;
  /** Whether the response is 405 if the path matches under another method; if not, it is 404. */
  MethodNotAllowed: boolean;
  /** Whether routes for GET serve HEAD requests too. */
  AutoHead: boolean;
  /** Whether OPTIONS requests get the allowed methods if no route is registered for them. */
  AutoOptions: boolean;
  /** Whether paths are matched regardless of case. */
  LowercaseRouting: boolean;
  /** Whether a malformed `Host` header gets 400; turn it off only behind a proxy that checks the header. */
  HostCheck: boolean;
  /** How long handlers may take, in milliseconds, before the response is 503; 0 sets no limit. */
  HandlerTimeout: number;
  /** Lets several processes listen on one port. */
  SocketSharding: boolean;
  /** Shows errors with their sources, and near routes where there is none: for the developer's own screen only. */
  Development: boolean;
}

/**
 * How long a client may take to send a body. Only the time counts in which fw waits for bytes, not what a handler
 * takes.
 */
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
    MaxJSONSize: 1 << 20,
    MaxRequestBodySize: 128 << 20,
    BodyTimeout: { MinRate: 500, Grace: 10_000, Total: 30 * 60_000 },
    VHost: "",
    RemoteAddrHeaders: [],
    HostProxyHeaders: [],
    SchemeProxyHeaders: [],
    TrustedProxies: [],
    TrustUnixPeersOnly: false,
    ShutdownTimeout: 8_000,
    DrainDelay: 0,
    OnListen: undefined,
    StartupLog: true,
    Exit: true,
    InterruptHandler: true,
    PathCorrection: true,
    PathCorrectionRedirection: true,
    MethodNotAllowed: true,
    AutoHead: true,
    AutoOptions: true,
    LowercaseRouting: false,
    HostCheck: true,
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
  const misnamed = forwarded.find((name) => !isHeaderToken(name));
  if (misnamed !== undefined) {
    throw new FrameworkError("FW_CONFIG", `Cannot trust the header "${misnamed}": it is not a valid header name`);
  }
  if (forwarded.length > 0 && config.TrustedProxies.length === 0 && !config.TrustUnixPeersOnly) {
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
  "MaxJSONSize",
  "MaxRequestBodySize",
  "ShutdownTimeout",
  "DrainDelay",
  "HandlerTimeout",
] as const;

function assertAmount(name: string, value: number): void {
  if (!Number.isFinite(value) || value < 0) {
    throw new FrameworkError("FW_CONFIG", `Cannot set "${name}": "${value}" is not a number from 0 up`);
  }
}
