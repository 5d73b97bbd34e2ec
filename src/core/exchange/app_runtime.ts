/**
 * The state shared by all requests of a built application.
 *
 * @module
 */

import type { BodyLimits } from "../../http/body/source/body_limits.ts";
import type { Configuration } from "../../base/config/config.ts";
import type { RunningApplication } from "../../base/config/running_application.ts";
import type { PathPlace } from "../../http/headers/request_url.ts";
import type { Draft } from "../../http/response/draft.ts";
import type { Format } from "../../pages/formats/format.ts";
import type { Locale } from "../../pages/i18n/locale.ts";
import type { AddressList } from "../../base/text/addresses.ts";
import type { PathValue, ReversedPath } from "../../base/text/path_value.ts";
import type { Languages } from "./languages.ts";
import type { RouteInfo } from "./compiled_route.ts";
import type { StoppingApp } from "./peer/outer_call.ts";

/** The part of a built application that requests read. */
export interface AppRuntime extends StoppingApp {
  readonly host: RunningApplication;
  readonly config: Readonly<Configuration>;
  readonly proxies: AddressList;
  /** The configured base path, URL-encoded and without a trailing slash. Usually empty. */
  readonly basePath: string;
  readonly limits: BodyLimits;
  /**
   * The body limits without timeouts, for in-process callers. They do not need timeouts, and each deadline costs a few
   * microseconds.
   */
  readonly localLimits: BodyLimits;
  /** The content type for plain text, or an empty string if the platform's default is correct. */
  readonly textType: string;
  readonly htmlType: string;
  /**
   * Whether `Run` or `deno serve` serves the application and none of its servers uses TLS. Otherwise, the scheme is
   * taken from the URL.
   */
  isCleartext: boolean;
  /** Returns a value that an extension provides for a call. Set during the build. */
  readonly provide: (exchange: object, key: object) => unknown;
  /** The formats that the application has registered. */
  readonly formats: Format[];
  /** The warnings and pages for developers. Set during the build, and only with `Development`. */
  development: DevelopmentAids | undefined;
  /**
   * Notifies the `app.OnError` observers of a failure, given the request context. `undefined` if there are no
   * observers.
   */
  onError: ((context: unknown, error: Error) => void) | undefined;
  /** Builds a path from a route name. Set during the build. */
  reverse: ((name: string, values: readonly PathValue[]) => ReversedPath) | undefined;
  /** Finds the paths of a host that are similar to a path. Set during the build. */
  closestPaths: ((host: string, path: string, most: number) => readonly string[]) | undefined;
  /** Runs another route inside a handler, given its context. Set during the build. */
  exec: ((context: unknown, method: string, path: string) => Promise<void> | undefined) | undefined;
  /** The translations. Set during the build if any are loaded. */
  languages: Languages | undefined;
}

/** The warnings and pages that developers see. */
export interface DevelopmentAids {
  /** Records requests for the development pages, unless they could not be loaded. */
  readonly recorder: RequestRecorder | undefined;
  /** Returns additional members for the problem details: the error's message and stack trace. */
  problemMembers(error: Error): { readonly detail: string; readonly stack: readonly string[] };
  /** Warns of a path parameter that the route does not have. */
  warnOfParam(route: RouteInfo, name: string): void;
  /** Warns of form fields that are read from a body of another type. */
  warnOfForm(route: RouteInfo, type: string): void;
  /** Warns of a form field that is not shown again, because its name is that of a secret. */
  warnOfSecret(route: RouteInfo, name: string): void;
  /** Warns of a chain that ended without a response. */
  warnOfEmpty(ending: EmptyEnding): void;
  /** Warns, once per request, of a document that replaces another one. */
  warnOfReplaced(exchange: FailedExchange, logger: { Warn(text: string): void }): void;
  /** Warns of a key that could not be translated. */
  warnOfTranslation(missing: MissingTranslation): void;
}

/** The part of the development pages that records requests. */
export interface RequestRecorder {
  /** Returns the handlers of a chain, each of which is recorded when it runs. */
  timed(chain: readonly unknown[]): readonly unknown[];
  /** Renders the error page, and sets the Content-Security-Policy of its response. */
  page(failed: FailedExchange): string;
}

/** A key that could not be translated. */
export interface MissingTranslation {
  readonly key: string;
  readonly languages: Languages;
  /** The locale of the request's language. */
  readonly locale: Locale;
  /** The template that contains the key. `undefined` if a handler has translated it. */
  readonly template: string | undefined;
  readonly route: RouteInfo | undefined;
}

/** A chain that ended without a response. */
export interface EmptyEnding {
  readonly route: RouteInfo;
  /** The handlers of the chain, in order. */
  readonly chain: readonly { readonly name: string }[];
  /** The position of the last handler that ran. */
  readonly at: number;
}

/** A failed request, for the error page. */
export interface FailedExchange {
  readonly draft: Draft;
  readonly error: Error | undefined;
  readonly request: Request;
  readonly method: string;
  readonly place: PathPlace;
  readonly route: {
    readonly info: RouteInfo | undefined;
    /** The handlers, in order. */
    readonly chain: readonly { readonly name: string }[];
  };
  /** The values that handlers have read. */
  readonly params: { Entries(): [string, string][] } | undefined;
  readonly query: { readonly values: Readonly<Record<string, readonly string[] | undefined>> } | undefined;
}
