/**
 * A registered route, as `app.Routes()` lists it.
 *
 * @module
 */

import type { RouteInfo } from "../context/route_info.ts";
import type { RouteDescription, RouteInput } from "./route_description.ts";

/** Reports whether a route was given a name of its own. */
export let isNamed: (route: Route) => boolean;

const undescribed: RouteDescription = {};

/** A registered route. */
export class Route implements RouteInfo {
  /** The HTTP method. */
  readonly Method: string;
  /** The path template with the prefixes of all its parties. */
  readonly Path: string;
  /** The subdomain of its party, such as `admin.`; empty for the root domain. */
  readonly Subdomain: string;
  /** The names of its path parameters, in order. */
  readonly Params: readonly string[];
  /** The name of the controller class, when a controller serves it. */
  readonly Controller: string | undefined;
  /** The name of the controller's method, when a controller serves it. */
  readonly Action: string | undefined;
  /** The checked inputs of the route, in the order of its arguments. */
  readonly Inputs: readonly RouteInput[];
  #name: string | undefined = undefined;
  #description: RouteDescription = undescribed;

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

  /** A name to tell it by: method, subdomain and path, unless it was renamed. */
  get Name(): string {
    return this.#name ?? `${this.Method} ${this.Subdomain}${this.Path}`;
  }

  /**
   * Gives the route a name, by which `app.Reverse` and the views find it. No two routes may have the same.
   *
   * @param name The new name.
   * @returns This route.
   *
   * @example A path by the name of its route
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
    this.#name = name;
    return this;
  }

  /** What is said of the route for its readers. */
  get Description(): Readonly<RouteDescription> {
    return this.#description;
  }

  /**
   * Says what the route is for, in documents, pages and tools. Later words replace earlier ones, member by member.
   *
   * @param description What there is to say.
   * @returns This route.
   */
  Describe(description: RouteDescription): this {
    this.#description = { ...this.#description, ...description };
    return this;
  }

  static {
    isNamed = (route) => route.#name !== undefined;
  }
}
