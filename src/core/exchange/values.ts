/**
 * Values that the handlers of a request share with each other.
 *
 * @module
 */

import { text } from "../../base/config/option_kinds.ts";
import { checkArgument } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { ViewSource } from "./compiled_route.ts";

/** A typed key for {@linkcode Values}. Each key is unique, even if several have the same name. */
export interface Key<T> {
  /** The name, for debugging. */
  readonly Name: string;
  /** The type of the value. Used only by the compiler. */
  readonly "~type"?: T;
  /** A marker that lets the compiler distinguish a key from an `mvc.Token`. */
  readonly IsKey: true;
}

/**
 * Creates a key for `ctx.Values()`.
 *
 * @param name The name, for debugging.
 * @returns The key.
 *
 * @example Share a user between middleware and handlers
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const user = fw.Key<{ name: string }>("user");
 * const app = fw.New();
 * app.Use((ctx) => {
 *   ctx.Values().Set(user, { name: "kataras" });
 *   return ctx.Next();
 * });
 * app.Get("/", (ctx) => ctx.WriteString(ctx.Values().Get(user)?.name ?? "unknown"));
 * const response = await app.fetch(new Request("http://localhost/"));
 * await response.text(); // → "kataras"
 * ```
 */
export function Key<T>(name: string): Key<T> {
  checkArgument(name, text(), "name", "Key");
  return Object.freeze({ Name: name, IsKey: true });
}

/** Copies the values of one request to another. */
export let copyValues: (from: Values, to: Values) => void;
/** Returns the same values with another function that provides missing ones. */
export let shareValues: (values: Values, provide: (key: object) => unknown) => Values;
/** Returns the values that extensions have provided for a request, by the slots of their providers. */
export let createdIn: (values: Values) => unknown[];

/** The values that fw itself stores in requests. They take less memory than the entries of a map. */
export interface OwnValues {
  /** The source of data for templates, which is the session manager that was used last. */
  viewSource: ViewSource | undefined;
  /** The sessions. Their type is only known to the session layer. */
  sessions: object | undefined;
}

/** Returns fw's own values of a request. */
export let ownValuesIn: (values: Values) => OwnValues;
/** Returns fw's own values of a request, if there are any. */
export let existingOwnValues: (values: Values | undefined) => OwnValues | undefined;

/** The values of a request, by typed key or by name. */
export class Values {
  #entries: Map<object | string, unknown> | undefined = undefined;
  readonly #provide: ((key: object) => unknown) | undefined;
  #created: unknown[] | undefined = undefined;
  #own: OwnValues | undefined = undefined;

  /**
   * Created by `ctx.Values()`.
   *
   * @param provide Returns the values that extensions provide, if there are any.
   * @ignore
   */
  constructor(provide?: (key: object) => unknown) {
    this.#provide = provide;
  }

  static {
    copyValues = (from, to) => {
      for (const [key, value] of from.#entries ?? []) to.#store(key, value);
      to.#own = from.#own && { ...from.#own };
    };
    createdIn = (values) => values.#created ??= [];
    ownValuesIn = (values) => values.#own ??= { viewSource: undefined, sessions: undefined };
    existingOwnValues = (values) => values === undefined ? undefined : values.#own;
    shareValues = (values, provide) => {
      const shared = new Values(provide);
      shared.#entries = values.#entries ??= new Map();
      shared.#created = createdIn(values);
      shared.#own = ownValuesIn(values);
      return shared;
    };
  }

  /**
   * Returns a value.
   *
   * @param key The typed key.
   * @returns The value, or `undefined` if it is not set.
   */
  Get<T>(key: Key<T>): T | undefined;
  /**
   * Returns a value by name.
   *
   * @param key The name.
   * @returns The value, or `undefined` if it is not set.
   */
  Get(key: string): unknown;
  Get(key: object | string): unknown {
    const value = this.#entries?.get(key);
    if (value !== undefined || this.#provide === undefined || typeof key === "string") return value;
    return this.#entries?.has(key) === true ? value : this.#provide(key);
  }

  /**
   * Returns a value, or a default value if it is not set.
   *
   * @param key The typed key.
   * @param def The default value.
   * @returns The value, or the default value.
   */
  GetDefault<T>(key: Key<T>, def: T): T {
    return this.Has(key) ? this.Get(key) as T : def;
  }

  /**
   * Returns a value that a handler depends on, such as a transaction that middleware has opened.
   *
   * @param key The typed key.
   * @returns The value.
   * @throws {FrameworkError} If the value is not set, because the route does not run that middleware.
   */
  MustGet<T>(key: Key<T>): T {
    if (this.Has(key)) return this.Get(key) as T;
    const message =
      `Cannot read the value "${key?.Name}": it is not set; does the route run the middleware that sets it?`;
    throw new FrameworkError("FW_STATE", message);
  }

  /**
   * Stores a value for the rest of the request.
   *
   * @param key The typed key.
   * @param value The value.
   */
  Set<T>(key: Key<T>, value: T): void;
  /**
   * Stores a value by name for the rest of the request.
   *
   * @param key The name.
   * @param value The value.
   */
  Set(key: string, value: unknown): void;
  Set(key: object | string, value: unknown): void {
    this.#store(key, value);
  }

  /**
   * Reports whether a value is set.
   *
   * @param key The typed key or name.
   * @returns `true` if the value is set.
   */
  Has(key: Key<unknown> | string): boolean {
    return this.#entries?.has(key) === true || (typeof key !== "string" && this.#provide?.(key) !== undefined);
  }

  /**
   * Removes a value.
   *
   * @param key The typed key or name.
   * @returns `true` if the value was set.
   */
  Remove(key: Key<unknown> | string): boolean {
    return this.#entries?.delete(key) === true;
  }

  /**
   * Returns the number of values.
   *
   * @returns The number of values.
   */
  Len(): number {
    return this.#entries?.size ?? 0;
  }

  /** Stores a value. Most requests with values only read those of extensions, and create no map. */
  #store(key: object | string, value: unknown): void {
    (this.#entries ??= new Map()).set(key, value);
  }
}
