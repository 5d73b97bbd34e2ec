/**
 * The query of a URL.
 *
 * @module
 */

import { type Conversion, convert, convertOr, float64, int, int64, lenientBool } from "../base/convert.ts";
import type { Parsed } from "../base/errors.ts";
import { parseUrlencoded, type ValueMap, valueMap } from "../http/urlencoded.ts";

/**
 * The query parameters of one request. Creating it costs nothing: the text is read when a parameter is first asked for.
 */
export class Query {
  readonly #url: string;
  readonly #start: number;
  #values: ValueMap | undefined = undefined;

  /**
   * Takes the query of a URL.
   *
   * @param url The URL.
   * @param start The index after its question mark; -1 when it has none.
   */
  constructor(url: string, start: number) {
    this.#url = url;
    this.#start = start;
  }

  /** The parameters by name. */
  get values(): ValueMap {
    return this.#values ??= this.#parse();
  }

  #parse(): ValueMap {
    if (this.#start < 0) return valueMap();
    const hash = this.#url.indexOf("#", this.#start);
    return parseUrlencoded(this.#url, this.#start, hash < 0 ? this.#url.length : hash);
  }
}

/** The first value of a parameter; empty when it is absent. */
export function urlParam(query: Query, name: string): string {
  return query.values[name]?.[0] ?? "";
}

/** The first value of a parameter, or another text when it is absent. */
export function urlParamDefault(query: Query, name: string, def: string): string {
  return query.values[name]?.[0] ?? def;
}

/** Reports whether a parameter is present, even if it is empty. */
export function urlParamExists(query: Query, name: string): boolean {
  return query.values[name] !== undefined;
}

/** All parameters, in a map of its own. */
export function urlParams(query: Query): ValueMap {
  const map = valueMap();
  for (const [name, list] of Object.entries(query.values)) map[name] = list.slice();
  return map;
}

/** A parameter as an integer; -1 and an error when it is absent or none. */
export function urlParamInt(query: Query, name: string): Parsed<number> {
  return read(int, query, name);
}

/** A parameter as an integer, or another one. */
export function urlParamIntDefault(query: Query, name: string, def: number): number {
  return convertOr(int, query.values[name]?.[0], def);
}

/** A parameter as an integer of 64 bits; -1 and an error when it is absent or none. */
export function urlParamInt64(query: Query, name: string): Parsed<bigint> {
  return read(int64, query, name);
}

/** A parameter as an integer of 64 bits, or another one. */
export function urlParamInt64Default(query: Query, name: string, def: bigint): bigint {
  return convertOr(int64, query.values[name]?.[0], def);
}

/** A parameter as a number; -1 and an error when it is absent or none. */
export function urlParamFloat64(query: Query, name: string): Parsed<number> {
  return read(float64, query, name);
}

/** A parameter as a number, or another one. */
export function urlParamFloat64Default(query: Query, name: string, def: number): number {
  return convertOr(float64, query.values[name]?.[0], def);
}

/** A parameter as a boolean; false and an error when it is absent. */
export function urlParamBool(query: Query, name: string): Parsed<boolean> {
  return read(lenientBool, query, name);
}

/** A parameter as a boolean, or another one when it is absent. */
export function urlParamBoolDefault(query: Query, name: string, def: boolean): boolean {
  return convertOr(lenientBool, query.values[name]?.[0], def);
}

function read<T>(conversion: Conversion<T>, query: Query, name: string): Parsed<T> {
  return convert(conversion, query.values[name]?.[0], { kind: "query parameter", name });
}
