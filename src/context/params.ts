/**
 * The path parameters of a request, read where they stand in the path.
 *
 * @module
 */

import { FrameworkError, type Result } from "../base/errors.ts";
import type { ParamType } from "../macro/param_type.ts";
import { restoreSlashes } from "../base/slash.ts";
import { BUILTIN_TYPES } from "../macro/types.ts";
import type { PathPlace } from "./path_place.ts";

const types: ReadonlyMap<string, ParamType> = new Map(BUILTIN_TYPES.map((type) => [type.Name, type]));
const float = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

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
  GetInt(name: string): Result<number> {
    return this.#typed(name, "int", -1);
  }

  /**
   * Reads a parameter as an integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not an integer.
   * @returns The value or the default.
   */
  GetIntDefault(name: string, def: number): number {
    return this.#typedDefault(name, "int", def);
  }

  /**
   * Reads a parameter as a 64-bit integer.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1n` and an error.
   */
  GetInt64(name: string): Result<bigint> {
    return this.#typed(name, "int64", -1n);
  }

  /**
   * Reads a parameter as a 64-bit integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not such an integer.
   * @returns The value or the default.
   */
  GetInt64Default(name: string, def: bigint): bigint {
    return this.#typedDefault(name, "int64", def);
  }

  /**
   * Reads a parameter as an unsigned 64-bit integer.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1n` and an error.
   */
  GetUint64(name: string): Result<bigint> {
    return this.#typed(name, "uint64", -1n);
  }

  /**
   * Reads a parameter as an unsigned 64-bit integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not such an integer.
   * @returns The value or the default.
   */
  GetUint64Default(name: string, def: bigint): bigint {
    return this.#typedDefault(name, "uint64", def);
  }

  /**
   * Reads a parameter as a number.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1` and an error.
   */
  GetFloat64(name: string): Result<number> {
    return this.#typed(name, "float64", -1);
  }

  /**
   * Reads a parameter as a number.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not a number.
   * @returns The value or the default.
   */
  GetFloat64Default(name: string, def: number): number {
    return this.#typedDefault(name, "float64", def);
  }

  /**
   * Reads a parameter as a truth value, by the texts that `{x:bool}` accepts.
   *
   * @param name The parameter's name.
   * @returns The value, or `false` and an error.
   */
  GetBool(name: string): Result<boolean> {
    return this.#typed(name, "bool", false);
  }

  /**
   * Reads a parameter as a truth value.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not a truth value.
   * @returns The value or the default.
   */
  GetBoolDefault(name: string, def: boolean): boolean {
    return this.#typedDefault(name, "bool", def);
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

  #typed<T>(name: string, type: string, failed: T): Result<T> {
    const text = this.#read(name);
    const value = text === undefined ? undefined : convert<T>(text, type);
    if (value !== undefined) return [value, null];
    const state = text === undefined ? "the route has no such parameter" : `current value is "${text}"`;
    return [failed, new FrameworkError("FW_PARAM", `Cannot read path parameter "${name}" as ${type}: ${state}`)];
  }

  #typedDefault<T>(name: string, type: string, def: T): T {
    const text = this.#read(name);
    return (text === undefined ? undefined : convert<T>(text, type)) ?? def;
  }
}

/** Reads a text by one of the built-in parameter types: a parameter means the same in a template and here. */
function convert<T>(text: string, type: string): T | undefined {
  if (type === "float64") return float.test(text) && Number.isFinite(Number(text)) ? Number(text) as T : undefined;
  const row = types.get(type);
  return row?.Test(text, 0, text.length) ? row.Convert?.(text) as T : undefined;
}
