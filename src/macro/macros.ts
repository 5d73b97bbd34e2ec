/**
 * The types and functions that path templates can name: those that fw brings along and those that are registered.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { restoreSlashes } from "../base/inner_slash.ts";
import { BUILTIN_FUNCTIONS, type ParamFunction } from "./functions.ts";
import type { ParamType } from "./param_type.ts";
import { BUILTIN_TYPES, type ValueKind } from "./types.ts";

/** Builds one check from a function's arguments, which are given as strings; it may throw when they make no sense. */
export type ParamFuncBuilder = (...args: string[]) => (value: string) => boolean;

/** A type as the registry keeps it: nothing left out, methods bound, safe from later changes to the original. */
interface TypeEntry {
  readonly type: ParamType;
  readonly kind: ValueKind;
}

/** The kind of a type's values. */
export let kindOf: (macros: Macros, typeName: string) => ValueKind;
/** Finds the function of that name for a type, if it has one. */
export let findFunction: (macros: Macros, typeName: string, name: string) => ParamFunction | undefined;
/** Reports whether any type has a function of that name. */
export let knowsFunction: (macros: Macros, name: string) => boolean;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const BAD_NAME = "a name is one or more letters, digits and underscores and does not begin with a digit";
const ALL_KINDS: readonly ValueKind[] = ["number", "bigint", "text", "other"];
const ANY_TYPE = "*";
let builtinEntries: ReadonlyMap<string, TypeEntry> | undefined = undefined;

/**
 * The registry of one application's parameter types and functions, which `app.Macros()` returns.
 *
 * @example A custom type and a custom function
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Macros()
 *   .Register({ Name: "shout", Test: (text, start, end) => /^[A-Z]+$/.test(text.slice(start, end)) })
 *   .RegisterFunc("string", "without", (part = "") => (value) => !value.includes(part));
 * app.Get("/{word:shout}", (ctx) => ctx.WriteString("loud"));
 * app.Get("/{s:string without(x)}", (ctx) => ctx.WriteString("no x"));
 *
 * await (await app.fetch(new Request("http://localhost/HEY"))).text(); // → "loud"
 * await (await app.fetch(new Request("http://localhost/abc"))).text(); // → "no x"
 * (await app.fetch(new Request("http://localhost/xyz"))).status; // → 404
 * ```
 */
export class Macros {
  #types = new Map<string, TypeEntry>();
  #functions = new Map<string, ParamFunction>();

  /**
   * Adds a parameter type.
   *
   * @param type The type; its name and aliases must be new.
   * @returns This registry.
   */
  Register(type: ParamType): this {
    const name: unknown = type?.Name;
    if (typeof name !== "string" || !NAME.test(name)) throw refusal("type", name, BAD_NAME);
    if (typeof type.Test !== "function") throw refusal("type", name, "it has no Test function");
    if (type.Convert !== undefined && typeof type.Convert !== "function") {
      throw refusal("type", name, "its Convert is not a function");
    }
    if (type.Rank !== undefined && !Number.isFinite(type.Rank)) {
      throw refusal("type", name, `its Rank "${type.Rank}" is not a number`);
    }
    const names = [name, ...(type.Aliases ?? [])];
    for (const [index, each] of names.entries()) {
      if (typeof each !== "string" || !NAME.test(each)) throw refusal("type", each, BAD_NAME);
      if (this.#find(each) || names.indexOf(each) !== index) throw refusal("type", each, "the name is taken");
    }
    const entry = { type: fixed(type), kind: type.Convert ? "other" : "text" } as const;
    for (const each of names) this.#types.set(each, entry);
    return this;
  }

  /**
   * Adds a function that parameters of one type, or of every type, may carry.
   *
   * @param typeName The type, or `*` for every type.
   * @param name The name of the function in templates.
   * @param build Called once for each use in a template, with the arguments as strings; what it returns checks values.
   * @returns This registry.
   */
  RegisterFunc(typeName: string, name: string, build: ParamFuncBuilder): this {
    if (typeof name !== "string" || !NAME.test(name) || name === "else") throw refusal("function", name, BAD_NAME);
    if (typeof build !== "function") throw refusal("function", name, "its builder is not a function");
    const owner = typeName === ANY_TYPE ? ANY_TYPE : this.#find(typeName)?.type.Name;
    if (owner === undefined) throw refusal("function", name, `there is no parameter type "${typeName}"`);
    const taken = owner === ANY_TYPE ? knowsFunction(this, name) : findFunction(this, owner, name) !== undefined;
    if (taken) throw refusal("function", name, "the name is taken");
    this.#functions.set(`${owner} ${name}`, custom(name, build));
    return this;
  }

  /**
   * Finds a type by its name or an alias.
   *
   * @param name The name, as in templates.
   * @returns The type, or undefined when there is none.
   */
  Get(name: string): ParamType | undefined {
    return this.#find(name)?.type;
  }

  static {
    kindOf = (macros, typeName) => macros.#find(typeName)?.kind ?? "other";
    findFunction = (macros, typeName, name) => {
      const kind = kindOf(macros, typeName);
      return macros.#functions.get(`${typeName} ${name}`) ??
        macros.#functions.get(`${ANY_TYPE} ${name}`) ??
        BUILTIN_FUNCTIONS.find((each) => each.name === name && each.kinds.includes(kind));
    };
    knowsFunction = (macros, name) =>
      BUILTIN_FUNCTIONS.some((each) => each.name === name) ||
      macros.#functions.values().some((each) => each.name === name);
  }

  #find(name: string): TypeEntry | undefined {
    return this.#types.get(name) ?? (builtinEntries ??= readBuiltinTypes()).get(name);
  }
}

function refusal(what: "type" | "function", name: unknown, reason: string): FrameworkError {
  return new FrameworkError("FW_MACRO", `Cannot register parameter ${what} "${String(name)}": ${reason}`);
}

/** A custom function: any number of arguments, but not fewer than its builder names. */
function custom(name: string, build: ParamFuncBuilder): ParamFunction {
  return {
    name,
    kinds: ALL_KINDS,
    count: [build.length, Infinity],
    takes: build.length === 1 ? "one argument or more" : `${build.length} arguments or more`,
    reading: "items",
    build(args) {
      const test: unknown = build(...args);
      if (typeof test !== "function") throw new TypeError("The builder did not return a function");
      const key = `${name}(${args.map((argument) => JSON.stringify(argument)).join(",")})`;
      return { test: test as (value: string) => boolean, key, width: 0.5 };
    },
  };
}

/** A copy that needs no `this`, so that the router calls `Test` straight; it sees an escaped slash as a slash. */
function fixed(type: ParamType): ParamType {
  const trailing = type.Trailing === true;
  const test = type.Test.bind(type);
  return Object.freeze({
    Name: type.Name,
    Aliases: Object.freeze([...(type.Aliases ?? [])]),
    Rank: type.Rank ?? (trailing ? 950 : 500),
    Trailing: trailing,
    Test: (text: string, start: number, end: number) => test(restoreSlashes(text), start, end),
    ...(type.Convert ? { Convert: type.Convert.bind(type) } : {}),
    ...(type.Schema ? { Schema: Object.freeze({ ...type.Schema }) } : {}),
  });
}

function readBuiltinTypes(): Map<string, TypeEntry> {
  const entries = new Map<string, TypeEntry>();
  for (const row of BUILTIN_TYPES) {
    const entry = { type: row, kind: row.kind };
    for (const name of [row.Name, ...(row.Aliases ?? [])]) entries.set(name, entry);
  }
  return entries;
}
