/**
 * The registry of parameter types and functions for path templates, both built-in and custom.
 *
 * @module
 */

import { ignoreRejection } from "../../base/async/callback.ts";
import { isThenable } from "../../base/async/thenable.ts";
import { texts } from "../../base/config/option_kinds.ts";
import { checkValue } from "../../base/config/option_table.ts";
import { returnedBoolean } from "../../base/config/returned.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { restoreSlashes } from "../../base/text/path_value.ts";
import { type Argument, BUILTIN_FUNCTIONS, type ParamFunction } from "./functions.ts";
import { BUILTIN_TYPES, type ParamType, type ValueKind } from "./types.ts";

/**
 * Builds a check from a function's arguments, which are passed as strings. It may throw if the arguments are invalid.
 */
export type ParamFuncBuilder = (...args: string[]) => (value: string) => boolean;

/**
 * Builds a check from a function's arguments, some of which are lists. An argument in brackets, such as `[a,b]`, is
 * passed as an array of strings.
 */
export type ListFuncBuilder = (...args: never[]) => (value: string) => boolean;

/**
 * Responds to a request whose path was rejected by a parameter type. The status code is that of `else`, or 404.
 * `ctx.Params()` returns the values as strings. `C` is the type of the context.
 *
 * @param ctx The request context.
 * @param index The position of the rejected parameter in the path.
 * @param error The error, whose message contains the name of the parameter and its value.
 */
export type ParamErrorHandler<C> = (ctx: C, index: number, error: Error) => void | Response | Promise<void | Response>;

/** A parameter type of an application, as returned by {@linkcode Macros.Get}. */
export interface RegisteredType<C> extends ParamType {
  /**
   * Sets a handler for requests that no route matches only because a parameter of this type, or one of its functions,
   * rejects the value. It runs instead of the error page, after the `UseRouter` middleware.
   *
   * @param handler The handler.
   * @returns This type.
   */
  HandleError(handler: ParamErrorHandler<C>): this;
}

/**
 * A copy of a registered type with all defaults filled in and all methods bound. Later changes to the original do not
 * affect it.
 */
interface TypeEntry {
  readonly type: ParamType;
  readonly kind: ValueKind;
}

/** Finds a type by its name or an alias. */
export let typeOf: (macros: Macros, name: string) => ParamType | undefined;
/** Returns the names and aliases of all types. */
export let typeNames: (macros: Macros) => string[];
/** Returns the error handler of a type. */
export let errorHandlerOf: <C>(macros: Macros<C>, typeName: string) => ParamErrorHandler<C> | undefined;
/** Returns the kind of a type's values. */
export let kindOf: (macros: Macros, typeName: string) => ValueKind;
/** Finds a type's function by name. */
export let findFunction: (macros: Macros, typeName: string, name: string) => ParamFunction | undefined;
/** Reports whether any type has a function with the name. */
export let hasFunction: (macros: Macros, name: string) => boolean;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const BAD_NAME = "a name consists of letters, digits and underscores and does not start with a digit";
const ALL_KINDS: readonly ValueKind[] = ["number", "bigint", "text", "other"];
const ANY_TYPE = "*";
let builtinEntries: ReadonlyMap<string, TypeEntry> | undefined = undefined;

/**
 * The registry of an application's parameter types and functions, as returned by `app.Macros()`.
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
export class Macros<C = unknown> {
  readonly #errorHandlers = new Map<string, ParamErrorHandler<never>>();
  #types = new Map<string, TypeEntry>();
  #functions = new Map<string, ParamFunction>();

  /**
   * Registers a parameter type.
   *
   * @param type The type. Its name and aliases must not be in use.
   * @returns This registry.
   * @throws {FrameworkError} If the type is invalid or its name is already in use.
   */
  Register(type: ParamType): this {
    const { Name: name, Aliases = [], Test, Convert = Test, Rank = 0 } = Object(type) as Partial<ParamType>;
    checkValue(Aliases, texts(), "Aliases", "a parameter type");
    const names = [name, ...Aliases];
    for (const [index, each] of names.entries()) {
      if (typeof each !== "string" || !NAME.test(each)) throw refusal("type", each, BAD_NAME);
      if (this.#find(each) || names.indexOf(each) !== index) throw refusal("type", each, "the name is already in use");
    }
    if (typeof Test !== "function") throw refusal("type", name, "it has no Test function");
    if (typeof Convert !== "function") throw refusal("type", name, "its Convert is not a function");
    if (!Number.isFinite(Rank)) {
      throw refusal("type", name, `its Rank must be a number, not "${Rank}"`);
    }
    const entry = { type: fixed(type), kind: type.Convert ? "other" : "text" } as const;
    for (const each of names) this.#types.set(each as string, entry);
    return this;
  }

  /**
   * Registers a function for parameters of one type or of all types.
   *
   * @param typeName The type's name, or `*` for all types.
   * @param name The function's name in templates.
   * @param build Called once for each use in a template, with the arguments as strings. It must return a function that
   * checks values.
   * @returns This registry.
   * @throws {FrameworkError} If the type is unknown or the name is already in use.
   */
  RegisterFunc(typeName: string, name: string, build: ParamFuncBuilder): this;
  /**
   * Registers a function with lists as arguments, as in `{name:string has([ada,bob])}`.
   *
   * @param typeName The type's name, or `*` for all types.
   * @param name The function's name in templates.
   * @param build Called once for each use in a template. Arguments in brackets are arrays of strings, and others are
   * strings. It must return a function that checks values.
   * @returns This registry.
   * @throws {FrameworkError} If the type is unknown or the name is already in use.
   */
  RegisterFunc(typeName: string, name: string, build: ListFuncBuilder): this;
  RegisterFunc(typeName: string, name: string, build: ListFuncBuilder): this {
    if (typeof name !== "string" || !NAME.test(name) || name === "else") throw refusal("function", name, BAD_NAME);
    if (typeof build !== "function") throw refusal("function", name, "its builder is not a function");
    const owner = typeName === ANY_TYPE ? ANY_TYPE : this.#find(typeName)?.type.Name;
    if (owner === undefined) throw refusal("function", name, `there is no parameter type "${typeName}"`);
    const taken = owner === ANY_TYPE ? hasFunction(this, name) : findFunction(this, owner, name) !== undefined;
    if (taken) throw refusal("function", name, "the name is already in use");
    this.#functions.set(`${owner} ${name}`, custom(name, build));
    return this;
  }

  /**
   * Finds a type by its name or an alias.
   *
   * @param name The name used in templates.
   * @returns The type, or `undefined` if it does not exist.
   */
  Get(name: string): RegisteredType<C> | undefined {
    const type = this.#find(name)?.type;
    if (type === undefined) return undefined;
    const handlers = this.#errorHandlers;
    return {
      ...type,
      HandleError(handler) {
        if (typeof handler !== "function") throw refusal("type", name, "its error handler is not a function");
        handlers.set(type.Name, handler);
        return this;
      },
    };
  }

  static {
    typeOf = (macros, name) => macros.#find(name)?.type;
    typeNames = (macros) => [...macros.#types.keys(), ...builtinEntries?.keys() ?? []];
    errorHandlerOf = <C>(macros: Macros<C>, typeName: string) =>
      macros.#errorHandlers.get(typeName) as ParamErrorHandler<C> | undefined;
    kindOf = (macros, typeName) => macros.#find(typeName)?.kind ?? "other";
    findFunction = (macros, typeName, name) => {
      const kind = kindOf(macros, typeName);
      return macros.#functions.get(`${typeName} ${name}`) ??
        macros.#functions.get(`${ANY_TYPE} ${name}`) ??
        BUILTIN_FUNCTIONS.find((each) => each.name === name && each.kinds.includes(kind));
    };
    hasFunction = (macros, name) =>
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

/**
 * Creates the entry for a custom function. It accepts at least as many arguments as its builder declares.
 */
function custom(name: string, build: ListFuncBuilder): ParamFunction<Argument> {
  return {
    name,
    kinds: ALL_KINDS,
    count: [build.length, Infinity],
    takes: build.length === 1 ? "one or more arguments" : `${build.length} or more arguments`,
    reading: "values",
    build(args) {
      const test: unknown = build(...args as never[]);
      if (typeof test !== "function") {
        ignoreRejection(test);
        throw new TypeError("The builder did not return a function");
      }
      const key = `${name}(${args.map((argument) => JSON.stringify(argument)).join(",")})`;
      return { test: (value) => returnedBoolean(test(value), `the parameter function "${name}"`), key, width: 0.5 };
    },
  };
}

/**
 * Copies a type so that its methods do not depend on `this` and the router can call `Test` directly. Escaped slashes
 * are passed to the copy as slashes.
 */
function fixed(type: ParamType): ParamType {
  const trailing = type.Trailing === true;
  const test = type.Test.bind(type);
  return Object.freeze({
    Name: type.Name,
    Aliases: Object.freeze([...(type.Aliases ?? [])]),
    Rank: type.Rank ?? (trailing ? 950 : 500),
    Trailing: trailing,
    Test: (text: string, start: number, end: number) =>
      returnedBoolean(test(restoreSlashes(text), start, end), `Test of the parameter type "${type.Name}"`),
    ...(type.Convert ? { Convert: synchronous(type.Convert.bind(type), type.Name) } : {}),
    ...(type.Schema ? { Schema: Object.freeze({ ...type.Schema }) } : {}),
  });
}

/** Refuses promises, which nothing would wait for. */
function synchronous(convert: (text: string) => unknown, name: string): (text: string) => unknown {
  return (text) => {
    const value = convert(text);
    if (!isThenable(value)) return value;
    ignoreRejection(value);
    throw new FrameworkError("FW_MACRO", `Cannot use the parameter type "${name}": its Convert returned a promise`);
  };
}

function readBuiltinTypes(): Map<string, TypeEntry> {
  const entries = new Map<string, TypeEntry>();
  for (const row of BUILTIN_TYPES) {
    const entry = { type: row, kind: row.kind };
    for (const name of [row.Name, ...(row.Aliases ?? [])]) entries.set(name, entry);
  }
  return entries;
}
