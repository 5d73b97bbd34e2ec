/**
 * Tokens that identify dependencies: classes, named tokens, provider functions and typed inputs.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import { type FormOptions, readFormOptions } from "../../src/core/accessors/form_options.ts";
import type { StandardSchema } from "../../src/core/accessors/schema.ts";
import type { Context } from "../../src/core/context/context.ts";
import type { Key } from "../../src/core/exchange/values.ts";
import type { InputKind, TypedInput } from "../../src/core/context/format/input_reader.ts";

/** A class, as a token. */
export type Class<T> = abstract new (...args: never[]) => T;

/** A class with a private constructor, as a token. The compiler recognizes such a class by its prototype. */
export interface ClosedClass<T> {
  /** The prototype of the instances. */
  readonly prototype: T;
}

/**
 * Prevents functions from being accepted as classes. It is `never` for a function, whose `prototype` may be anything,
 * and `unknown` for a class.
 */
export type NotAFunction<C extends ClosedClass<unknown>> = 0 extends 1 & C["prototype"] ? never : unknown;

/** A typed name for a dependency that has no class. Created by the function of the same name. */
export interface Token<T> {
  /** The name, for error messages. */
  readonly Name: string;
  /** The type of the dependency. Used only by the compiler. */
  readonly "~type"?: T;
  /** A marker that lets the compiler distinguish a token from an `fw.Key`. */
  readonly IsToken: true;
}

/**
 * Creates a token, which is a typed name for a dependency that has no class. Each token is unique, even if several have
 * the same name.
 *
 * @param name The name, for error messages.
 * @returns The token.
 *
 * @example Inject a setting
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * const greeting = mvc.Token<string>("greeting");
 * class HelloController {
 *   greeting = mvc.Inject(greeting);
 *   Get() {
 *     return this.greeting;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Register(mvc.Provide(greeting, "Hello")).Handle(HelloController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "Hello"
 * ```
 */
export function Token<T>(name: string): Token<T> {
  return Object.freeze(new NamedToken(name));
}

/**
 * A function that creates a dependency. It is called once if it has no argument, or once per request if it takes the
 * context.
 */
export type Provider<T> = (() => T | Promise<T>) | ((ctx: Context) => T | Promise<T>);

/** A token that identifies a dependency: a class, a named token or a provider function. */
export type AnyToken<T> = Class<T> | Token<T> | Provider<T>;

/** The implementation of {@linkcode Token}. */
class NamedToken {
  readonly Name: string;

  constructor(name: string) {
    this.Name = name;
  }

  get IsToken(): true {
    return true;
  }
}

/**
 * The current status code of the response, for example in `HandleHTTPError`.
 *
 * @example Respond to errors of a controller's party
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class TeaController {
 *   Get() {
 *     return "Assam";
 *   }
 *   HandleHTTPError(code = mvc.Inject(mvc.Code)) {
 *     return `Status ${code}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/teas")).Handle(TeaController);
 *
 * await (await app.fetch(new Request("http://localhost/teas/none"))).text(); // → "Status 404"
 * ```
 */
export const Code: Token<number> = Token<number>("mvc.Code");

/** The error of the request, or `null` if there is none, for example in `HandleHTTPError`. */
export const Err: Token<Error | null> = Token<Error | null>("mvc.Err");

/** Reports whether a value was created by {@linkcode Token}. */
export function isToken(value: unknown): value is Token<unknown> {
  return value instanceof NamedToken;
}

/** Reports whether a value is a key of `ctx.Values()`. */
export function isKey(value: unknown): value is Key<unknown> {
  return Object(value).IsKey === true;
}

/** Reports whether a value is a provider function. */
export function isProvider(value: unknown): value is Provider<unknown> {
  return typeof value === "function" && !isClass(value);
}

/** Returns the name of a token, for error messages. */
export function labelOf(token: unknown): string {
  if (isToken(token) || isKey(token)) return token.Name;
  if (typeof token === "function") return token.name === "" ? "an anonymous function" : token.name;
  if (typeof token === "object" && token !== null) return token.constructor?.name ?? "an object";
  return String(token);
}

/**
 * Reports whether a value is a class rather than a plain function.
 *
 * @param value The value.
 */
export function isClass(value: unknown): value is Class<object> {
  // Only classes have a read-only prototype property. Methods and arrow functions have none, which is quicker to check.
  return typeof value === "function" && Object.hasOwn(value, "prototype") &&
    Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

/** Returns a value if it is a class. */
export function classOf(value: unknown): Class<object> | undefined {
  return isClass(value) ? value : undefined;
}

/** Reports whether a class is the same as another class or extends it, directly or indirectly. */
export function isSubclass(type: Class<object>, of: Class<object>): boolean {
  return type === of || Object.prototype.isPrototypeOf.call(of.prototype, type.prototype);
}

/** Reports whether a value is an instance of a class, ignoring `Symbol.hasInstance`. */
export function isInstance(value: unknown, of: Class<object>): boolean {
  return typeof value === "object" && value !== null && Object.prototype.isPrototypeOf.call(of.prototype, value);
}

/** The functions in `mvc` that return typed inputs, by name. */
type InputName = InputKind | "FormResult";

/** A part of the request and its schema. */
export class InputToken extends NamedToken implements TypedInput {
  readonly kind: InputKind;
  readonly schema: StandardSchema;
  readonly isOutcome: boolean;
  /** Whether the input needs the request body, which may not have arrived yet. */
  readonly isLate: boolean;

  readonly formOptions: FormOptions | undefined;

  constructor(name: InputName, schema: StandardSchema, formOptions?: FormOptions) {
    super(`mvc.${name}`);
    this.kind = name === "FormResult" ? "Form" : name;
    this.schema = schema;
    this.isOutcome = name === "FormResult";
    this.isLate = this.kind === "Body" || this.kind === "Form";
    this.formOptions = formOptions;
  }
}

const tokens = new WeakMap<StandardSchema, Map<string, InputToken>>();

/**
 * Returns the token for a part of the request, a schema and its options. Equal arguments have the same token, because
 * default values are evaluated for each call.
 *
 * @param name The part of the request.
 * @param schema The schema.
 * @param options The options of a form that is shown again.
 */
export function inputToken(name: InputName, schema: StandardSchema, options?: FormOptions): InputToken {
  if (typeof schema?.["~standard"]?.validate !== "function") {
    throw new FrameworkError("FW_DEPENDENCY", `Cannot use "mvc.${name}": its argument is not a Standard Schema`);
  }
  let known = tokens.get(schema);
  if (known === undefined) tokens.set(schema, known = new Map());
  const key = options === undefined ? name : name + JSON.stringify(options);
  let token = known.get(key);
  if (token === undefined) {
    if (options !== undefined) readFormOptions(options);
    known.set(key, token = new InputToken(name, schema, options));
  }
  return token;
}
