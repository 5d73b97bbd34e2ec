/**
 * A registered route, as listed by `app.Routes()`.
 *
 * @module
 */

import type { RouteInfo } from "../../exchange/compiled_route.ts";
import {
  count,
  date,
  either,
  filled,
  flag,
  group,
  kind,
  listOf,
  oneOf,
  record,
  required,
  text,
  texts,
} from "../../../base/config/option_kinds.ts";
import { assertOptions, checkArgument, checkText, optionTable } from "../../../base/config/option_table.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import type { ChangeFreq, RouteDescription, RouteInput, SitemapEntry } from "./route_description.ts";

const descriptionTable = optionTable<RouteDescription>("RouteDescription", "Describe")({
  Summary: text(),
  Description: text(),
  Tags: texts(),
  Returns: kind("a schema", (value) => value !== null, undefined),
  Status: either(undefined, count(undefined, { from: 100, to: 599 }), oneOf(undefined, "2XX")),
  ContentType: filled(),
  Responses: record(),
  Errors: record(),
  Examples: record(),
  Security: listOf(either(undefined, text(), record()), "strings or objects"),
  ExternalDocs: group({ URL: required(filled()), Description: text() }),
  Callbacks: record(),
  OperationID: filled(),
  Deprecated: flag(),
  Hidden: flag(),
});

const frequencies = oneOf(undefined, "always", "hourly", "daily", "weekly", "monthly", "yearly", "never");

/** Reports whether a route was given a name. */
export let isNamed: (route: Route) => boolean;

const undescribed: RouteDescription & SitemapEntry = {};

/** A registered route. */
export class Route implements RouteInfo {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template, including the prefixes of all its parties. */
  readonly Path: string;
  /** The subdomain of its party, such as `admin.`, or an empty string for the root domain. */
  readonly Subdomain: string;
  /** The names of the path parameters, in order. */
  readonly Params: readonly string[];
  /** The name of the controller class, or `undefined` if no controller serves the route. */
  readonly Controller: string | undefined;
  /** The name of the controller method, or `undefined` if no controller serves the route. */
  readonly Action: string | undefined;
  /** The validated inputs of the route, in argument order. */
  readonly Inputs: readonly RouteInput[];
  #name: string | undefined = undefined;
  #description: RouteDescription = undescribed;
  #sitemap: SitemapEntry = undescribed;

  /**
   * Created by a party.
   *
   * @ignore
   */
  constructor(info: Omit<RouteInfo, "Name"> & { readonly Inputs?: readonly RouteInput[] }) {
    this.Method = info.Method;
    this.Path = info.Path;
    this.Subdomain = info.Subdomain;
    this.Params = info.Params;
    this.Controller = info.Controller;
    this.Action = info.Action;
    this.Inputs = info.Inputs ?? [];
  }

  /** Returns the route name. Defaults to the method, subdomain and path. */
  get Name(): string {
    return this.#name ?? `${this.Method} ${this.Subdomain}${this.Path}`;
  }

  /**
   * Sets the route name, which `app.Reverse` and templates use to build paths. Names must be unique.
   *
   * @param name The name.
   * @returns This route, for chaining.
   *
   * @example Build a path from a route name
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/users/{id:int}", (ctx) => ctx.JSON({})).SetName("user");
   *
   * app.Reverse("user", 5); // → "/users/5"
   * ```
   */
  SetName(name: string): this {
    checkText(name, "name", "SetName");
    this.#name = name;
    return this;
  }

  /**
   * Reports whether the route has a single path and serves GET requests.
   *
   * @returns `true` if the path has no parameters and the method is GET.
   */
  IsStatic(): boolean {
    return this.Method === "GET" && this.StaticPath() === this.Path;
  }

  /**
   * Returns the part of the path before its first parameter, such as `/users` for `/users/{id:int}/notes`.
   *
   * @returns The path without a trailing slash, or `/`.
   */
  StaticPath(): string {
    // Folders and mounted applications end with an unnamed parameter.
    const [before = ""] = this.Path.split(/\/(?:[^/]*\{.*|\*$)/s, 1);
    return before || "/";
  }

  /** Returns the settings of the route for the sitemap of `fw.WithSitemap`. */
  get Sitemap(): Readonly<SitemapEntry> {
    return this.#sitemap;
  }

  /**
   * Sets the time of the last change of the page, for the sitemap.
   *
   * @param time The time.
   * @returns This route, for chaining.
   */
  SetLastMod(time: Date): this {
    checkArgument(time, date(), "time", "SetLastMod");
    return this.#list({ LastMod: time });
  }

  /**
   * Sets the expected frequency of changes to the page, for the sitemap.
   *
   * @param frequency The frequency.
   * @returns This route, for chaining.
   */
  SetChangeFreq(frequency: ChangeFreq): this {
    checkArgument(frequency, frequencies, "frequency", "SetChangeFreq");
    return this.#list({ ChangeFreq: frequency });
  }

  /**
   * Sets the priority of the page among those of the site, for the sitemap.
   *
   * @param priority A number from 0 to 1.
   * @returns This route, for chaining.
   * @throws {FrameworkError} If the priority is not between 0 and 1.
   */
  SetPriority(priority: number): this {
    if (typeof priority !== "number" || !(priority >= 0 && priority <= 1)) {
      throw new FrameworkError(
        "FW_ROUTE",
        `Cannot set the priority to "${String(priority)}": it must be between 0 and 1`,
      );
    }
    return this.#list({ Priority: priority });
  }

  /**
   * Excludes the page from the sitemap.
   *
   * @returns This route, for chaining.
   */
  ExcludeSitemap(): this {
    return this.#list({ IsExcluded: true });
  }

  /** Returns the description of the route. */
  get Description(): Readonly<RouteDescription> {
    return this.#description;
  }

  /**
   * Describes the route for API documents and tools. Members set in later calls replace those set before.
   *
   * @param description The description.
   * @returns This route, for chaining.
   */
  Describe(description: RouteDescription): this {
    assertOptions(descriptionTable, description);
    this.#description = { ...this.#description, ...description };
    return this;
  }

  #list(entry: SitemapEntry): this {
    this.#sitemap = { ...this.#sitemap, ...entry };
    return this;
  }

  static {
    isNamed = (route) => route.#name !== undefined;
  }
}
