/**
 * Removes the base path and the language from request paths before routing, so that routes, guards, caches and logs see
 * the application's own paths.
 *
 * @module
 */

import type { RouterWrapper, RouteTarget } from "../../context/router_wrapper.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import { outerCallOf } from "../../exchange/peer/outer_call.ts";
import { leadingLanguage } from "../../exchange/languages.ts";
import { decodePath, lowerASCII } from "../../../http/headers/path.ts";
import { hostEnd } from "../../../http/headers/request_url.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { baseSegments } from "../../../base/text/base_path.ts";

/** The base path and the languages that paths can start with. */
export class PathPrefixes {
  readonly #runtime: AppRuntime;
  readonly #hasLanguages: boolean;
  readonly #fold: (text: string) => string;
  /** The decoded segments of the base path. */
  readonly #base: readonly string[];

  /**
   * Prepares the prefixes of an application.
   *
   * @param runtime The state of the application.
   * @param hasLanguages Whether the first segment, after the base path, can be a language.
   */
  constructor(runtime: AppRuntime, hasLanguages: boolean) {
    this.#runtime = runtime;
    this.#hasLanguages = hasLanguages;
    this.#fold = runtime.config.LowercaseRouting ? lowerASCII : (text) => text;
    this.#base = baseSegments(runtime.basePath).map(this.#fold);
  }

  /** Returns the URL without the prefixes of its path, or `undefined` if there are none. */
  remove(url: string): RouteTarget | undefined {
    const start = hostEnd(url);
    const based = this.#baseEnd(url, start);
    const catalog = this.#hasLanguages ? this.#runtime.languages?.catalog : undefined;
    const found = catalog === undefined ? undefined : leadingLanguage(url.slice(based), catalog);
    const end = based + (found?.length ?? 0);
    if (end === start) return undefined;
    const URL = `${url.slice(0, start)}${url[end] === "/" ? "" : "/"}${url.slice(end)}`;
    return found === undefined ? { URL } : { URL, Language: found.language };
  }

  /**
   * Creates the wrapper that removes prefixes. It runs before all other wrappers, and again after them if one of them
   * has passed on another request.
   */
  wrapper(): RouterWrapper {
    return (request, next, connection, target) => {
      const bound = outerCallOf(connection)?.route;
      // The path of a call that is bound to a route consists of the route's own path and arguments, which are data.
      if (bound !== undefined && (bound.app ?? this.#runtime) === this.#runtime) {
        return next(request, { URL: request.url, Language: bound.entry === this.#runtime ? bound.language : "" });
      }
      const meant = target?.URL === undefined ? this.remove(request.url) : undefined;
      return meant === undefined ? next(request) : next(request, meant);
    };
  }

  /** Returns the index after the base path, or the start of the path if the path does not begin with it. */
  #baseEnd(url: string, start: number): number {
    let at = start;
    for (const segment of this.#base) {
      const [sent = "", name = ""] = /^\/+([^/?#]+)/.exec(url.slice(at)) ?? [];
      // Decode the segment, so that two spellings of a path cannot lead to two different routes.
      const decoded = name.includes("%") ? decodePath(name) : name;
      if (decoded === undefined || this.#fold(decoded) !== segment) return start;
      at += sent.length;
    }
    return at;
  }
}

/** Warns of routes that clients cannot reach, because the start of their path is removed as the base path. */
export function warnOfHidden(paths: readonly string[], base: string, logger: Logger): void {
  const hidden = paths.find((path) => base !== "" && `${path}/`.startsWith(`${base}/`));
  if (hidden === undefined) return;
  logger.Warn(
    `The route "${hidden}" starts with the base path "${base}", which is removed from request paths: clients reach it ` +
      `only at "${base}${hidden}"`,
  );
}
