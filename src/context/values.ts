/**
 * What the handlers of one request leave for one another: values by their keys.
 *
 * @module
 */

/** A key of {@linkcode Values} that knows the type of its value. Two keys of one name are two keys. */
export interface Key<T> {
  /** The name, for people. */
  readonly Name: string;
  /** The type of the value; exists for the compiler only. */
  readonly "~type"?: T;
  /** The mark by which the compiler tells a key from an `mvc.Token`. */
  readonly IsKey: true;
}

/**
 * Creates a key for `ctx.Values()`.
 *
 * @example A user that one middleware finds and every handler reads
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
 *
 * @param name The name, for people.
 * @returns The key.
 */
export function Key<T>(name: string): Key<T> {
  return Object.freeze({ Name: name, IsKey: true });
}

/** The values of one request, by typed key or by plain name. */
export class Values {
  readonly #entries = new Map<object | string, unknown>();

  /**
   * Reads a value.
   *
   * @param key The typed key, or a name.
   * @returns The value, or `undefined`.
   */
  Get<T>(key: Key<T>): T | undefined;
  /**
   * Reads a value by a plain name.
   *
   * @param key The name.
   * @returns The value, or `undefined`.
   */
  Get(key: string): unknown;
  Get(key: object | string): unknown {
    return this.#entries.get(key);
  }

  /**
   * Reads a value, with another in its place when it is absent.
   *
   * @param key The typed key.
   * @param def What is returned when the key is absent.
   * @returns The value or the default.
   */
  GetDefault<T>(key: Key<T>, def: T): T {
    return this.#entries.has(key) ? this.#entries.get(key) as T : def;
  }

  /**
   * Keeps a value for the rest of the request.
   *
   * @param key The typed key, or a name.
   * @param value The value.
   */
  Set<T>(key: Key<T>, value: T): void;
  /**
   * Keeps a value under a plain name.
   *
   * @param key The name.
   * @param value The value.
   */
  Set(key: string, value: unknown): void;
  Set(key: object | string, value: unknown): void {
    this.#entries.set(key, value);
  }

  /**
   * Reports whether a key has a value.
   *
   * @param key The typed key, or a name.
   * @returns True when it was set.
   */
  Has(key: Key<unknown> | string): boolean {
    return this.#entries.has(key);
  }

  /**
   * Forgets a value.
   *
   * @param key The typed key, or a name.
   * @returns True when there was one.
   */
  Remove(key: Key<unknown> | string): boolean {
    return this.#entries.delete(key);
  }

  /**
   * Counts the values.
   *
   * @returns How many there are.
   */
  Len(): number {
    return this.#entries.size;
  }
}
