/**
 * The parameters in the path of a request, read where they stand in it.
 *
 * @module
 */

import { bool, type Conversion, convert, convertOr, float64, int, int64, uint64 } from "../base/convert.ts";
import type { Parsed } from "../base/errors.ts";
import { restoreSlashes } from "../base/inner_slash.ts";
import type { PathPlace } from "../http/request_url.ts";

/**
 * Reads a path parameter by its position in the template.
 *
 * @param place Where each value begins and ends.
 * @param at The position.
 */
export function paramAt({ text, url, spans }: PathPlace, at: number): string {
  const value = text.slice(spans[2 * at], spans[2 * at + 1]);
  return text === url ? value : restoreSlashes(value);
}

/** The path parameters of one request: `ctx.Params()`. */
export class Params {
  readonly #names: readonly string[];
  readonly #place: PathPlace;

  /**
   * Created by the context.
   *
   * @param names The names of the parameters, in order.
   * @param place Where each value begins and ends, in the URL itself or in its decoded path.
   * @ignore
   */
  constructor(names: readonly string[], place: PathPlace) {
    this.#names = names;
    this.#place = place;
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
    return paramAt(this.#place, at);
  }

  #typed<T>(name: string, conversion: Conversion<T>): Parsed<T> {
    return convert(conversion, this.#read(name), { kind: "path parameter", name });
  }
}
