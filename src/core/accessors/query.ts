/**
 * The query string of a URL.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import type { Parsed } from "../../base/errors/errors.ts";
import { type Conversion, convert, convertOr, float64, int, int64, lenientBool } from "../../base/text/convert.ts";
import { parseUrlencoded, type ValueMap, valueMap } from "../../http/headers/urlencoded.ts";

/**
 * The query parameters of a request. The query string is parsed when a parameter is first read, so creating the object
 * is cheap.
 */
export class Query {
  readonly #url: string;
  readonly #start: number;
  #values: ValueMap | undefined = undefined;

  /**
   * Creates the query parameters of a URL.
   *
   * @param url The URL.
   * @param start The index after the question mark, or -1 if there is no query string.
   */
  constructor(url: string, start: number) {
    this.#url = url;
    this.#start = start;
  }

  /** Returns the parameters by name. */
  get values(): ValueMap {
    return this.#values ??= this.#parse();
  }

  #parse(): ValueMap {
    if (this.#start < 0) return valueMap();
    const hash = this.#url.indexOf("#", this.#start);
    return parseUrlencoded(this.#url, this.#start, hash < 0 ? this.#url.length : hash);
  }
}

/** Returns the first value of a parameter, or an empty string if it is missing. */
export function urlParam(query: Query, name: string): string {
  return first(query, name) ?? "";
}

/** Returns the first value of a parameter, or a default if it is missing. */
export function urlParamDefault(query: Query, name: string, def: string): string {
  return first(query, name) ?? def;
}

/** Reports whether a parameter is present, even if it is empty. */
export function urlParamExists(query: Query, name: string): boolean {
  return first(query, name) !== undefined;
}

/** Returns all parameters in a new map. */
export function urlParams(query: Query): ValueMap {
  const map = valueMap();
  for (const [name, list] of Object.entries(query.values)) map[name] = list.slice();
  return map;
}

/** Parses a parameter as an integer. Returns -1 and an error if it is missing or invalid. */
export function urlParamInt(query: Query, name: string): Parsed<number> {
  return read(int, query, name);
}

/** Parses a parameter as an integer, or returns a default if it is missing or invalid. */
export function urlParamIntDefault(query: Query, name: string, def: number): number {
  return convertOr(int, first(query, name), def);
}

/** Parses a parameter as a 64-bit integer. Returns -1 and an error if it is missing or invalid. */
export function urlParamInt64(query: Query, name: string): Parsed<bigint> {
  return read(int64, query, name);
}

/** Parses a parameter as a 64-bit integer, or returns a default if it is missing or invalid. */
export function urlParamInt64Default(query: Query, name: string, def: bigint): bigint {
  return convertOr(int64, first(query, name), def);
}

/** Parses a parameter as a number. Returns -1 and an error if it is missing or invalid. */
export function urlParamFloat64(query: Query, name: string): Parsed<number> {
  return read(float64, query, name);
}

/** Parses a parameter as a number, or returns a default if it is missing or invalid. */
export function urlParamFloat64Default(query: Query, name: string, def: number): number {
  return convertOr(float64, first(query, name), def);
}

/** Parses a parameter as a boolean. Returns `false` and an error if it is missing. */
export function urlParamBool(query: Query, name: string): Parsed<boolean> {
  return read(lenientBool, query, name);
}

/** Parses a parameter as a boolean, or returns a default if it is missing. */
export function urlParamBoolDefault(query: Query, name: string, def: boolean): boolean {
  return convertOr(lenientBool, first(query, name), def);
}

function read<T>(conversion: Conversion<T>, query: Query, name: string): Parsed<T> {
  return convert(conversion, first(query, name), { kind: "query parameter", name });
}

/** Returns the first value of a parameter. The names of all readers are checked here. */
function first(query: Query, name: string): string | undefined {
  return query.values[checkText(name, "name", "a query parameter")]?.[0];
}
