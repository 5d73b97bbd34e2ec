/**
 * The application's configuration: settings, defaults and validation.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import { isLevelName, type LevelName } from "../log/level.ts";
import { type AddressList, addressList } from "../text/addresses.ts";
import { parseBasePath } from "../text/base_path.ts";
import { isHeaderToken } from "../text/header_token.ts";
import {
  amount,
  bytes,
  count,
  flag,
  formerly,
  func,
  group,
  type Members,
  milliseconds,
  required,
  text,
  texts,
  where,
} from "./option_kinds.ts";
import { checkOptions, checkValue } from "./option_table.ts";

/** The configuration of an application. Configurators change it before the server starts. */
export interface Configuration {
  /**
   * The log level: `disable`, `fatal`, `error`, `warn`, `info` or `debug`. If `undefined`, the logger's level does not
   * change.
   */
  LogLevel: LevelName | undefined;
  /**
   * The charset in the content type of text responses.
   *
   * @default {"UTF-8"}
   */
  Charset: string;
  /**
   * The maximum size of uploaded files to hold in memory per request, in bytes. Larger uploads are stored in temporary
   * files.
   *
   * @default {33554432}
   */
  PostMaxMemory: number;
  /**
   * The maximum number of fields and files per form.
   *
   * @default {1000}
   */
  MaxFormFields: number;
  /**
   * The maximum total size of a form's fields, in bytes. Files are not included.
   *
   * @default {10485760}
   */
  MaxForm: number;
  /**
   * The maximum size, in bytes, of a request body that is parsed as a whole, such as JSON, XML, YAML or MessagePack.
   * Other requests are blocked while it is parsed.
   *
   * @default {1048576}
   */
  MaxDocument: number;
  /**
   * The maximum request body size, in bytes, for routes that do not set their own limit.
   *
   * @default {134217728}
   */
  MaxBody: number;
  /** The time limits for sending a request body. */
  BodyTimeout: BodyTimeout;
  /**
   * The path prefix under which clients reach the application, such as `/seats`. It is added to links and redirects,
   * and removed from request paths before routing.
   *
   * @default {""}
   */
  BasePath: string;
  /**
   * The URL of the site for `/sitemap.xml`, such as `https://example.com`. If empty, no sitemap is served.
   */
  Sitemap: string;
  /** The host name of the root domain, such as `example.co.uk`. Required only if it has more than two labels. */
  VHost: string;
  /**
   * The request headers that contain the client's address, in order of preference. They are used only if a trusted
   * proxy sent them.
   */
  RemoteAddrHeaders: readonly string[];
  /** The request headers that contain the requested host. They are used only if a trusted proxy sent them. */
  HostProxyHeaders: readonly string[];
  /** The request headers that contain the client's scheme. They are used only if a trusted proxy sent them. */
  SchemeProxyHeaders: readonly string[];
  /**
   * The request headers that contain the path prefix removed by a proxy. They are used only if a trusted proxy sent
   * them.
   */
  PrefixProxyHeaders: readonly string[];
  /** The addresses and networks of trusted proxies, such as `10.0.0.0/8` or `::1`. */
  TrustedProxies: readonly string[];
  /**
   * Whether only peers on Unix sockets are trusted proxies.
   *
   * @default {false}
   */
  TrustUnixPeersOnly: boolean;
  /**
   * The maximum duration of a graceful shutdown, in milliseconds. One eighth of it, up to one second, is reserved for
   * shutdown tasks.
   *
   * @default {8000}
   */
  ShutdownTimeout: number;
  /**
   * The time that the listener stays open after the application reports that it is not ready, in milliseconds.
   *
   * @default {0}
   */
  DrainDelay: number;
  /** Called with the address once the server is listening. */
  OnListen: ((addr: Deno.Addr) => void) | undefined;
  /**
   * Whether to log the addresses when the server starts.
   *
   * @default {true}
   */
  StartupLog: boolean;
  /**
   * Whether `Run` exits the process if the server fails. If `false`, `Run` returns the error.
   *
   * @default {true}
   */
  Exit: boolean;
  /**
   * Whether SIGINT and SIGTERM trigger a graceful shutdown.
   *
   * @default {true}
   */
  InterruptHandler: boolean;
  /**
   * Whether `/users/` matches the route for `/users`. If `false`, they are different paths.
   *
   * @default {true}
   */
  PathCorrection: boolean;
  /**
   * Whether `/users/` redirects to `/users`. If `false`, the handler for `/users` responds directly.
   *
   * @default {true}
   */
  PathCorrectionRedirection: boolean;
  /**
   * Whether to respond with 405 if the path matches only with another method. If `false`, the response is 404.
   *
   * @default {true}
   */
  MethodNotAllowed: boolean;
  /**
   * Whether GET routes also handle HEAD requests.
   *
   * @default {true}
   */
  AutoHead: boolean;
  /**
   * Whether to respond to OPTIONS requests with the allowed methods if there is no OPTIONS route.
   *
   * @default {true}
   */
  AutoOptions: boolean;
  /**
   * Whether to ignore case when matching paths.
   *
   * @default {false}
   */
  LowercaseRouting: boolean;
  /**
   * Whether to respond with 400 to a malformed `Host` header. Turn it off only behind a proxy that validates the
   * header.
   *
   * @default {true}
   */
  HostCheck: boolean;
  /**
   * The maximum time for handlers, in milliseconds, after which the response is 503. 0 means no limit.
   *
   * @default {0}
   */
  HandlerTimeout: number;
  /**
   * Whether several processes can listen on the same port.
   *
   * @default {false}
   */
  SocketSharding: boolean;
  /**
   * Whether to show detailed error pages with source code, and similar routes on 404 pages. Use it only during
   * development.
   *
   * @default {false}
   */
  Development: boolean;
}

/**
 * The time limits for sending a request body. The limits apply only while fw waits for bytes, not while a handler runs.
 */
export interface BodyTimeout {
  /** The minimum average number of bytes per second. 0 means no limit. */
  readonly MinRate: number;
  /** The time before the minimum rate applies, in milliseconds. */
  readonly Grace: number;
  /** The maximum time for the whole body, in milliseconds. 0 means no limit. */
  readonly Total: number;
}

/** A function that changes an application's configuration, to be passed to `Run` or `Configure`. */
export type Configurator = (config: Configuration) => void;

/**
 * Creates a configuration with the default values.
 *
 * @returns A new configuration object.
 */
export function defaultConfiguration(): Configuration {
  return {
    LogLevel: undefined,
    Charset: "UTF-8",
    PostMaxMemory: 32 << 20,
    MaxFormFields: 1000,
    MaxForm: 10 << 20,
    MaxDocument: 1 << 20,
    MaxBody: 128 << 20,
    BodyTimeout: { MinRate: 500, Grace: 10_000, Total: 30 * 60_000 },
    BasePath: "",
    Sitemap: "",
    VHost: "",
    RemoteAddrHeaders: [],
    HostProxyHeaders: [],
    SchemeProxyHeaders: [],
    PrefixProxyHeaders: [],
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

/** The rules for settings of the same kind as their default. */
const rulesByType: Members = {
  number: amount(),
  boolean: flag(),
  string: text(),
  object: texts(),
};

/** The rules for the time limits of bodies. */
const limits = { MinRate: amount(), Grace: milliseconds(), Total: milliseconds() };

/** The rules for all settings. */
const rules: Members = {
  ...Object.fromEntries(
    Object.entries(defaultConfiguration()).map(([name, value]) => [name, rulesByType[typeof value] ?? func()]),
  ),
  LogLevel: where(text(), 'a log level such as "info"', isLevelName),
  Charset: where(text(), "a valid charset name", (name) => /^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(name)),
  MaxForm: formerly("MaxFormSize", bytes()),
  MaxDocument: formerly("MaxJSONSize", bytes()),
  MaxBody: formerly("MaxRequestBodySize", bytes()),
  BasePath: where(text(), 'a path such as "/seats"', (path) => parseBasePath(path) !== undefined),
  Sitemap: where(
    text(),
    'a URL such as "https://example.com"',
    (url) => url === "" || URL.parse(url)?.protocol.startsWith("http") === true,
  ),
  MaxFormFields: count(undefined, { from: 0 }),
  BodyTimeout: group<BodyTimeout>({
    MinRate: required(limits.MinRate),
    Grace: required(limits.Grace),
    Total: required(limits.Total),
  }),
};

/**
 * Checks the value of a setting.
 *
 * @param name The setting.
 * @param value The value.
 * @throws {FrameworkError} If the value is invalid.
 */
export function checkSetting(name: keyof Configuration, value: unknown): void {
  checkValue(value, rules[name] as Members[string], name, "the configuration");
}

/**
 * Checks some time limits of bodies.
 *
 * @param timeout The limits.
 * @throws {FrameworkError} If a limit does not exist or is invalid.
 */
export function checkLimits(timeout: Partial<BodyTimeout>): void {
  checkOptions(timeout, limits, "WithBodyTimeout");
}

/**
 * Checks the values of settings.
 *
 * @param settings The settings. Those that are missing or `undefined` are not checked.
 * @throws {FrameworkError} If a setting does not exist or is invalid.
 */
export function checkSettings(settings: Partial<Configuration>): void {
  checkOptions(settings, rules, "the configuration");
}

/**
 * Validates a configuration, so that invalid values are reported at start-up rather than during a request.
 *
 * @param config The configuration to validate.
 * @returns The list of trusted proxies.
 * @throws {FrameworkError} If a value is invalid.
 */
export function checkConfiguration(config: Readonly<Configuration>): AddressList {
  checkSettings(config);
  const unset = Object.entries(defaultConfiguration()).find(([name, value]) =>
    value !== undefined && Reflect.get(config, name) === undefined
  );
  if (unset !== undefined) {
    throw invalid(`Cannot use the configuration: "${unset[0]}" is missing; it must be ${rules[unset[0]]?.noun}`);
  }
  const forwarded = [
    ...config.RemoteAddrHeaders,
    ...config.HostProxyHeaders,
    ...config.SchemeProxyHeaders,
    ...config.PrefixProxyHeaders,
  ];
  const misnamed = forwarded.find((name) => !isHeaderToken(name));
  if (misnamed !== undefined) {
    throw invalid(`Cannot trust the header "${misnamed}": it is not a valid header name`);
  }
  if (forwarded.length > 0 && config.TrustedProxies.length === 0 && !config.TrustUnixPeersOnly) {
    throw invalid(`Cannot trust the header "${forwarded[0]}": no trusted proxy is configured`);
  }
  return addressList(config.TrustedProxies);
}

function invalid(message: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", message);
}

/**
 * A plain object, as accepted by `ctx.JSON`: `const body: fw.Map = { message: "Hello" }`.
 *
 * The type has the same name as the global `Map`. Import the module as a namespace (`import * as fw from "@fw/web"`)
 * and write `fw.Map`. Importing the type by name would shadow the global type in that file.
 */
export type Map = Record<string, unknown>;
