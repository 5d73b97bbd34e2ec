/**
 * The interface between fw and its extensions.
 *
 * All of its types are interfaces, so that an extension can be built with another version of fw than the application
 * that it is installed in.
 *
 * @module
 */

import type { Measured } from "../exchange/meter.ts";
import type { Key } from "../exchange/values.ts";

/**
 * A feature that can be added to applications with `party.Install(extension)`.
 *
 * @example Add a response header and a value for each request
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const planKey = fw.Key<string>("plan");
 * const plans: fw.Extension = {
 *   Name: "plans",
 *   Install(host) {
 *     host.Provide(planKey, (ctx) => ctx.GetHeader("x-plan") || "free");
 *     host.Label("plan", (ctx) => ctx.GetHeader("x-plan") || "free", { Log: true, Metric: ["free", "pro"] });
 *   },
 * };
 *
 * const app = fw.New();
 * app.Install(plans);
 * app.Get("/", (ctx) => ctx.WriteString(ctx.Values().Get(planKey) ?? ""));
 * await (await app.fetch(new Request("http://localhost/", { headers: { "x-plan": "pro" } }))).text(); // → "pro"
 * ```
 */
export interface Extension<T = void> {
  /** The name. It is unique among the extensions of a party and its ancestors, unless `Many` is `true`. */
  readonly Name: string;
  /** The names of extensions that must have been installed before, on the party or one of its ancestors. */
  readonly Needs?: readonly string[];
  /**
   * Whether it can be installed several times, such as for two queues.
   *
   * @default {false}
   */
  readonly Many?: boolean;
  /** The version of {@linkcode Host} that the extension requires. If omitted, any version is accepted. */
  readonly Seam?: number;
  /**
   * Records the contributions of the extension. It runs once, synchronously and before the application is built. If it
   * throws, everything that it has registered is removed.
   *
   * @param host The part of the application that extensions use.
   * @returns Any value. `party.Install` returns it.
   */
  Install(host: Host): T;
}

/** The part of an application that an extension uses. Its methods throw `FW_STATE` after the application was built. */
export interface Host {
  /** The version of this interface. */
  readonly Seam: 1;
  /** The application. */
  readonly App: HostApp;
  /** The party that the extension is installed on, which may be the application. */
  readonly Party: HostParty;
  /**
   * Checks options as fw checks its own, and applies the defaults.
   *
   * @param given The options as the program has passed them.
   * @param rules One rule for each option.
   * @returns The options with their defaults.
   * @throws {FrameworkError} If there is no such option, if a required option is missing, or if a value is invalid.
   */
  Options<R extends OptionRules>(given: unknown, rules: R): OptionsOf<R>;
  /**
   * Declares the error codes of the extension. `jsr:@fw/web/explain CODE module.ts` explains them.
   *
   * @param codes The explanations, by code. A code consists of capital letters, digits and underscores, and does not
   * begin with `FW_`.
   * @returns A function that creates an error with one of the codes.
   * @throws {FrameworkError} If a code is not valid, or if another extension has declared it.
   */
  Errors<C extends string>(codes: Readonly<Record<C, ErrorText>>): ErrorFactory<C>;
  /**
   * Provides a value for each call. It is created when `ctx.Values().Get(key)` reads it for the first time, and
   * disposed of with the call if it is disposable. Mounted applications, socket events and tool calls see it as well.
   *
   * @param key The key. For an asynchronous value, the key of a promise.
   * @param of Creates the value. If it throws, the error is thrown where the value is read.
   * @param carry Converts the value for jobs that the call adds, and for those that they add. They read it from
   * `ctx.Values()` of the job. All values with `carry` are created when a job is added. If one cannot be created or
   * encoded, or if a promise takes more than five seconds, the job is not added. A value that is `undefined` is not
   * carried.
   */
  Provide<T>(key: Key<T>, of: CallFunc<T>, carry?: Carry<Awaited<T>>): void;
  /**
   * Declares a fact about calls once for logs, metrics, caches and rate limits. It applies to the party and to the
   * applications that are mounted below it. The logs and metrics around a mount do not have the labels inside.
   *
   * @param name The name, in lower case and with underscores. Each party can have it once. `request_id`, `le` and names
   * that begin with `http_` are those of fw.
   * @param of Returns the value of a call, or `undefined` if it is not known (yet). A failure is logged once, and the
   * value is not known.
   * @param use The parts that distinguish the values.
   */
  Label(name: string, of: CallFunc<string | undefined>, use: LabelUse): void;
  /**
   * Adds a function to the templates of the party, to those of mails, and to those of applications that are mounted
   * below the party. A function of a mounted application with the same name takes precedence there. A mounted
   * application that also runs alone, such as in its tests, installs the extension itself, or its templates check
   * `typeof name === "function"` before the call. Otherwise, building it alone fails with `FW_VIEW`.
   *
   * @param name The name of the function in templates. Each party can have it once.
   * @param fn The function. It receives the context of the call before the arguments of the template.
   */
  ViewFunc(name: string, fn: CallFunc<unknown, readonly never[]>): void;
  /**
   * Registers a page of the extension. OpenAPI documents, tools, sitemaps and clients do not include it.
   *
   * @param path The path template, relative to the party. It may begin with another method than GET: `POST /pause`.
   * @param handlers The handlers.
   * @returns The route.
   */
  Page(path: string, ...handlers: readonly CallHandler[]): HostRoute;
  /**
   * Adds a panel to the development pages.
   *
   * @param title The title. Each panel of the extension has its own.
   * @param read Returns the content: a string, a list of records for a table, or a record. Values can be of type
   * {@linkcode PanelElement}. It may be asynchronous. If it fails or takes more than five seconds, the panel shows the
   * reason.
   */
  Panel(title: string, read: (call: PanelCall) => unknown): void;
  /**
   * Adds a check. A check fails if it throws, rejects, returns `false` or takes too long.
   *
   * @param name The name, for messages. Each readiness check of the extension has its own.
   * @param check The check. It receives a signal that is aborted when its time is over.
   * @param when With `start`, the check runs when the application is built, which fails if the check fails. With
   * `ready`, the readiness endpoint of `@fw/web/middleware/health` runs it.
   */
  Check(name: string, check: (signal: AbortSignal) => unknown, when: "start" | "ready"): void;
  /**
   * Adds numbers to the metrics of `@fw/web/middleware/metrics` and to the monitor.
   *
   * @param read Reads the numbers. A failure is logged once, and the numbers are left out. Numbers with the same name
   * and labels, such as those of two applications with the extension, are added in the metrics.
   */
  Meter(read: () => readonly Measured[]): void;
  /**
   * Runs work in the background while the application runs. It starts once, when a server of the application or of an
   * application around it listens, and ends with the last of them.
   *
   * @param work The work. Its signal is aborted when a shutdown begins. If it rejects, the error is logged, the
   * application is not ready, and the work starts again after a delay.
   * @param options Callbacks for a shutdown.
   */
  Run(work: (signal: AbortSignal) => unknown, options?: RunOptions): void;
}

/** A function that receives the context of a call. `fw.Context` can be declared as its first parameter. */
export type CallFunc<T, A extends readonly unknown[] = []> = {
  // Method parameters are compared in both directions, so that a function may require the whole context.
  call(ctx: Call, ...args: A): T;
}["call"];

/** A handler. `fw.Context` can be declared as its parameter. */
export type CallHandler = CallFunc<void | Response | Promise<void | Response>>;

/** The part of a request's context that extensions can rely on in all versions of fw. */
export interface Call {
  /** Returns the HTTP method. */
  Method(): string;
  /** Returns the decoded path. */
  Path(): string;
  /** Returns the host, with its port if there is one. */
  Host(): string;
  /** Returns the client's IP address. */
  RemoteAddr(): string;
  /** Returns a request header, or an empty string. */
  GetHeader(name: string): string;
  /** Returns a query parameter, or an empty string. */
  URLParam(name: string): string;
  /** Returns the native request. */
  Request(): Request;
  /** Returns the request ID, or an empty string. */
  GetID(): string;
  /** Returns the route, or `undefined` if there is none. It is the same object as the one that `Page` has returned. */
  GetCurrentRoute(): CallRoute | undefined;
  /** Returns the values that handlers share with each other. */
  Values(): CallValues;
  /** Continues with the next handler. */
  Next(): Promise<void> | undefined;
  /** Runs no further handlers. */
  StopExecution(): void;
  /** Ends the request with a status. */
  StopWithStatus(status: number): void;
  /** Sets the status. */
  StatusCode(status: number): void;
  /** Returns the status. */
  GetStatusCode(): number;
  /** Sets a response header. */
  Header(name: string, value: string): void;
  /** Writes text. */
  WriteString(text: string): void;
  /** Writes an HTML document. */
  HTML(html: string): void;
  /** Writes JSON. */
  JSON(value: unknown): void;
  /** Runs a function when the response has been sent. */
  OnClose(task: () => unknown): void;
}

/** The values that handlers share with each other. */
export interface CallValues {
  /** Returns a value, or `undefined` if it is not set. */
  Get<T>(key: Key<T>): T | undefined;
  /** Stores a value for the rest of the request. */
  Set<T>(key: Key<T>, value: T): void;
}

/** The part of a party that extensions can rely on in all versions of fw. */
export interface HostParty {
  /** Returns the path prefix. */
  Prefix(): string;
  /** Creates a party inside this one. */
  Party(path: string, ...handlers: CallHandler[]): HostParty;
  /** Registers handlers for a method and a path. */
  Handle(method: string, path: string, ...handlers: CallHandler[]): HostRoute;
  /** Adds middleware to the following routes. */
  Use(...handlers: CallHandler[]): unknown;
  /** Adds middleware to all requests below the prefix. */
  UseRouter(...handlers: CallHandler[]): unknown;
  /** Adds middleware to all routes of the application. */
  UseGlobal(...handlers: CallHandler[]): unknown;
  /** Adds middleware to error pages. */
  UseError(...handlers: CallHandler[]): unknown;
  /** Adds handlers that run after those of the following routes. */
  Done(...handlers: CallHandler[]): unknown;
  /** Registers the error page for a status code. */
  OnErrorCode(status: number, ...handlers: CallHandler[]): unknown;
  /** Installs another extension. */
  Install<T>(extension: Extension<T>): T;
}

/** The part of an application that extensions can rely on in all versions of fw. */
export interface HostApp extends HostParty {
  /** Returns the logger. */
  Logger(): HostLogger;
  /** Returns the configuration. */
  Configuration(): HostConfiguration;
  /** Builds the path of a named route. */
  Reverse(name: string, ...values: (string | number | bigint | boolean)[]): string;
  /** Registers an observer for failed requests. */
  OnError(observer: CallFunc<unknown, [error: Error]>): unknown;
  /** Reports a failure that no request has caused to the observers of errors. */
  Report(error: Error, source: Request): void;
  /** Serves a request in process. */
  fetch(request: Request): Response | Promise<Response>;
  /** Returns the installed extensions, including those of mounted applications. */
  Extensions(): readonly Installed[];
}

/** The part of the configuration that extensions can rely on in all versions of fw. */
export interface HostConfiguration {
  /** The base path below which the application is served. */
  readonly BasePath: string;
  /** Whether the application runs in development mode. */
  readonly Development: boolean;
  /** The maximum duration of a graceful shutdown, in milliseconds. */
  readonly ShutdownTimeout: number;
}

/** The part of a logger that extensions can rely on in all versions of fw. */
export interface HostLogger {
  /** Logs details for debugging. */
  Debug(...args: unknown[]): void;
  /** Logs an event. */
  Info(...args: unknown[]): void;
  /** Logs a warning. */
  Warn(...args: unknown[]): void;
  /** Logs an error. */
  Error(...args: unknown[]): void;
}

/** The part of a call's route that extensions can rely on in all versions of fw. */
export interface CallRoute {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template, including the prefixes of its parties. */
  readonly Path: string;
}

/** The part of a registered route that extensions can rely on in all versions of fw. */
export interface HostRoute extends CallRoute {
  /** Sets the name of the route. */
  SetName(name: string): unknown;
}

/** The conversion of a value for jobs. */
export interface Carry<T> {
  /**
   * Converts the value to data of the kinds that jobs can store. If it throws, or if it returns a promise or data that
   * cannot be stored, the job is not added.
   */
  Encode(value: T): unknown;
  /**
   * Converts the data to the value, when the job reads it. If it throws or returns a promise, the error is thrown where
   * the value is read.
   */
  Decode(data: unknown): T;
}

/** A request for a panel of the development pages. */
export interface PanelCall {
  /** The query parameters, such as those of a link in the panel. */
  readonly Query: Readonly<Record<string, string>>;
  /** The fields of the form whose button was pressed. They only exist for a click on the page itself. */
  readonly Form: Readonly<Record<string, string>> | undefined;
}

/** A value of a panel that is more than text. */
export interface PanelElement {
  /**
   * The kind: a `link` to the same panel, a `document`, which is HTML that is shown in a sandbox without scripts, or a
   * `form` with a button.
   */
  readonly Element: "link" | "document" | "form";
  /** The text of the link or button, or the HTML of the document. */
  readonly Text: string;
  /** The query parameters of the link, or the hidden fields of the form. */
  readonly Values?: Readonly<Record<string, string>>;
  /** The fields of the form that can be edited, with their initial values. */
  readonly Inputs?: Readonly<Record<string, string>>;
}

/** The parts that distinguish the values of a label. */
export interface LabelUse {
  /**
   * Whether log lines of the request contain the label. If the call carries values for jobs, the log lines of the jobs
   * contain it as well, with the value at the time when they were added.
   *
   * @default {false}
   */
  readonly Log?: boolean;
  /** The values that metrics distinguish. Others are counted as `other`, so that there are only a few. */
  readonly Metric?: readonly string[];
  /**
   * Whether cached responses and rate limits are separate for each value. If the value is not known when a cache is
   * asked, the response is not stored. This includes responses of mounted applications with such a label, in a cache
   * around the mount. A string is the request header that the value depends on, which is added to the `Vary` header of
   * cached responses.
   *
   * @default {false}
   */
  readonly Vary?: boolean | string;
}

/** Options for {@linkcode Host.Run}. */
export interface RunOptions {
  /**
   * Finishes the work that has been taken, while requests and jobs are drained. If omitted, the shutdown waits for the
   * promise of the work itself. Both are given up at the deadline.
   *
   * @param until The deadline, as measured by `performance.now()`.
   */
  readonly Drain?: (until: number) => unknown;
  /**
   * Releases resources at the end of a shutdown, also if the work was never started. No request and no job runs any
   * more, so an error tracker can send the last errors here.
   */
  readonly Dispose?: () => unknown;
}

/** The explanation of an error code. */
export interface ErrorText {
  /** The meaning of the code, in a sentence without a final period. */
  readonly Meaning: string;
  /** The remedy. */
  readonly Remedy: string;
}

/** Creates an error with a code. */
export type ErrorFactory<C extends string> = (
  code: C,
  message: string,
  options?: ErrorOptions,
) => Error & { readonly Code: C };

/** A rule for an option. */
export interface OptionRule {
  /** The kind of values. */
  readonly Kind: "string" | "boolean" | "number" | "function" | "array" | "object";
  /** The default. */
  readonly Default?: unknown;
  /** Whether the option has to be set. */
  readonly Required?: boolean;
  /** The minimum of a number. Defaults to 0. */
  readonly Min?: number;
  /** The maximum of a number. */
  readonly Max?: number;
  /** The values that a string can have. */
  readonly OneOf?: readonly string[];
}

/** The rules for the options of an extension, by name. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

/** The types of options, by kind. */
export interface KindTypes {
  /** Text. */
  readonly string: string;
  /** A flag. */
  readonly boolean: boolean;
  /** A number. */
  readonly number: number;
  /** A callback. */
  // deno-lint-ignore no-explicit-any
  readonly function: (...args: any[]) => any;
  /** A list. */
  readonly array: readonly unknown[];
  /** An object with further members. */
  readonly object: Record<string, unknown>;
}

/** The checked options: those with a default or a `Required` rule are set. */
export type OptionsOf<R extends OptionRules> = {
  readonly [N in keyof R]:
    | KindTypes[R[N]["Kind"]]
    | (R[N] extends { readonly Default: unknown } | { readonly Required: true } ? never : undefined);
};

/** An installed extension and its contributions. */
export interface Installed {
  /** The name of the extension. */
  readonly Name: string;
  /** The path of its party, including the mount of its application. */
  readonly Prefix: string;
  /** Its readiness checks, by name. They include one for each failed background work. */
  readonly Checks: Readonly<Record<string, (signal: AbortSignal) => unknown>>;
  /** Reads its numbers. Never throws. */
  readonly Measure: () => readonly Measured[];
  /** Its panels for the development pages, by title. */
  readonly Panels: Readonly<Record<string, (call: PanelCall) => unknown>>;
  /** Its error codes. */
  readonly Errors: Readonly<Record<string, ErrorText>>;
}
