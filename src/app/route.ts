/**
 * A registered route, as `app.Routes()` lists it.
 *
 * @module
 */

import type { RouteInfo } from "../context/route_info.ts";

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
  #name: string;

  /**
   * Made by a party.
   *
   * @param info What is known of the route.
   */
  constructor(info: Omit<RouteInfo, "Name">) {
    this.Method = info.Method;
    this.Path = info.Path;
    this.Subdomain = info.Subdomain;
    this.Params = info.Params;
    this.Controller = info.Controller;
    this.Action = info.Action;
    this.#name = `${info.Method} ${info.Subdomain}${info.Path}`;
  }

  /** A name to tell it by: method, subdomain and path, unless it was renamed. */
  get Name(): string {
    return this.#name;
  }

  /**
   * Renames the route.
   *
   * @param name The new name.
   * @returns This route.
   */
  SetName(name: string): this {
    this.#name = name;
    return this;
  }
}
