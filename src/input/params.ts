/**
 * The parameters in a request's URL: those of its path, read where they stand in it, and those of its query.
 *
 * @module
 */

import {
  bool,
  type Conversion,
  convert,
  convertOr,
  float64,
  int,
  int64,
  lenientBool,
  uint64,
} from "../base/convert.ts";
import type { Parsed } from "../base/errors.ts";
import { restoreSlashes } from "../base/text.ts";
import type { PathPlace } from "../http/request_line.ts";
import { parseUrlencoded, type ValueMap, valueMap } from "../http/urlencoded.ts";

/** The path parameters of one request: `ctx.Params()`. */
export class Params {
  readonly #names: readonly string[];
  readonly #text: string;
  readonly #spans: readonly number[];
  readonly #isDecoded: boolean;

  /**
   * Created by the context.
   *
   * @param names The names of the parameters, in order.
   * @param place Where each value begins and ends, in the URL itself or in its decoded path.
   * @ignore
   */
  constructor(names: readonly string[], place: PathPlace) {
    this.#names = names;
    this.#text = place.text;
    this.#spans = place.spans;
    this.#isDecoded = place.text !== place.url;
  }

  /**
   * Reads a parameter as text, decoded.
   *
   * @param name The parameter's name.
   * @returns The value; empty when the route has no such parameter.
   */
  Get(name: string): string {
    return this.#read(name) ?? "";
  }

  /**
   * Reads a parameter as text, with another in its place when it is absent.
   *
   * @param name The parameter's name.
   * @param def What is returned when the route has no such parameter.
   * @returns The value or the default.
   */
  GetDefault(name: string, def: string): string {
    return this.#read(name) ?? def;
  }

  /**
   * Reads a parameter as an integer.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1` and an error.
   */
  GetInt(name: string): Parsed<number> {
    return this.#typed(name, int);
  }

  /**
   * Reads a parameter as an integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not an integer.
   * @returns The value or the default.
   */
  GetIntDefault(name: string, def: number): number {
    return convertOr(int, this.#read(name), def);
  }

  /**
   * Reads a parameter as a 64-bit integer.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1n` and an error.
   */
  GetInt64(name: string): Parsed<bigint> {
    return this.#typed(name, int64);
  }

  /**
   * Reads a parameter as a 64-bit integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not such an integer.
   * @returns The value or the default.
   */
  GetInt64Default(name: string, def: bigint): bigint {
    return convertOr(int64, this.#read(name), def);
  }

  /**
   * Reads a parameter as an unsigned 64-bit integer.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1n` and an error.
   */
  GetUint64(name: string): Parsed<bigint> {
    return this.#typed(name, uint64);
  }

  /**
   * Reads a parameter as an unsigned 64-bit integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not such an integer.
   * @returns The value or the default.
   */
  GetUint64Default(name: string, def: bigint): bigint {
    return convertOr(uint64, this.#read(name), def);
  }

  /**
   * Reads a parameter as a number.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1` and an error.
   */
  GetFloat64(name: string): Parsed<number> {
    return this.#typed(name, float64);
  }

  /**
   * Reads a parameter as a number.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not a number.
   * @returns The value or the default.
   */
  GetFloat64Default(name: string, def: number): number {
    return convertOr(float64, this.#read(name), def);
  }

  /**
   * Reads a parameter as a boolean, by the texts that `{x:bool}` accepts.
   *
   * @param name The parameter's name.
   * @returns The value, or `false` and an error.
   */
  GetBool(name: string): Parsed<boolean> {
    return this.#typed(name, bool);
  }

  /**
   * Reads a parameter as a boolean.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not a boolean.
   * @returns The value or the default.
   */
  GetBoolDefault(name: string, def: boolean): boolean {
    return convertOr(bool, this.#read(name), def);
  }

  /**
   * Reports whether the route has a parameter.
   *
   * @param name The parameter's name.
   * @returns True when it has one of that name.
   */
  Exists(name: string): boolean {
    return this.#names.includes(name);
  }

  /**
   * Counts the parameters.
   *
   * @returns How many the route has.
   */
  Len(): number {
    return this.#names.length;
  }

  /**
   * Lists the parameters in the order of the path.
   *
   * @returns Pairs of name and value.
   */
  Entries(): [string, string][] {
    return this.#names.map((name, at) => [name, this.#at(at)]);
  }

  #read(name: string): string | undefined {
    const names = this.#names;
    // The last of a name counts: a party's parameter may be named like the route's own.
    for (let at = names.length - 1; at >= 0; at--) if (names[at] === name) return this.#at(at);
    return undefined;
  }

  #at(at: number): string {
    const value = this.#text.slice(this.#spans[2 * at], this.#spans[2 * at + 1]);
    return this.#isDecoded ? restoreSlashes(value) : value;
  }

  #typed<T>(name: string, conversion: Conversion<T>): Parsed<T> {
    return convert(conversion, this.#read(name), { kind: "path parameter", name });
  }
}

/** The query parameters of one request. Creating it costs nothing: the text is read when a parameter is first asked for. */
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
