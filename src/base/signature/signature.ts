/**
 * The parameters of a function, read from its source text or set with `mvc.Signature`.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import { Tokenizer } from "./js_tokenizer.ts";
import { type Parameter, readSignature } from "./parameter_list.ts";

/** Any kind of function. Only its source text is used. */
// deno-lint-ignore ban-types -- every function has a source text, regardless of its parameters.
type AnyFunction = Function;

/** The declared parameters of functions. */
const declared = new WeakMap<AnyFunction, readonly Parameter[]>();

/** The originals of functions with a declared signature, or `undefined` if only the parameter list is known. */
const originals = new WeakMap<AnyFunction, ((...args: never[]) => unknown) | undefined>();

const anyNumber: Parameter = { name: "arguments", form: "rest", fallback: undefined };

/**
 * Declares the parameters of a method whose source text does not contain them, because a decorator has wrapped the
 * method in `(...args) =>` or because a minifier will rename its arguments.
 *
 * @param method The method in the controller.
 * @param original The original function, or its parameter list as a string, such as `"(owner = 0n, id = 0n)"`.
 * @returns The method.
 *
 * @example Keep the signature in a decorator
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * const calls: string[] = [];
 * function traced<A extends unknown[], R>(method: (this: unknown, ...args: A) => R) {
 *   function wrapper(this: unknown, ...args: A): R {
 *     calls.push(method.name);
 *     return method.apply(this, args);
 *   }
 *   return mvc.Signature(wrapper, method);
 * }
 * class UserController {
 *   GetBy(id = 0) {
 *     return { id };
 *   }
 *   static {
 *     this.prototype.GetBy = traced(this.prototype.GetBy);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(UserController);
 *
 * await (await app.fetch(new Request("http://localhost/7"))).json(); // → { id: 7 }
 * calls; // → ["GetBy"]
 * ```
 */
export function Signature<M extends (...args: never[]) => unknown>(
  method: M,
  original: ((...args: never[]) => unknown) | string,
): M {
  const isFunction = typeof original === "function";
  const parameters = isFunction ? parametersOf(original) : readText(String(original));
  if (typeof method !== "function" || parameters === undefined) {
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot declare the parameters of "${Object(method).name}": ` +
        (typeof method !== "function"
          ? "it is not a function"
          : isFunction
          ? `those of "${original.name}" are not known because it is a bound or native function`
          : `"${String(original)}" is not a parameter list in parentheses`),
    );
  }
  declared.set(method, parameters);
  originals.set(method, isFunction ? originalOf(original) : undefined);
  return method;
}

/**
 * Returns the parameters of a function.
 *
 * @param fn The function.
 * @returns The parameters, or `undefined` for bound and native functions and classes, whose parameters are unknown. A
 * function that uses `arguments` is treated like one with a rest parameter.
 */
export function parametersOf(fn: AnyFunction): readonly Parameter[] | undefined {
  const given = declared.get(fn);
  if (given !== undefined) return given;
  const text = Function.prototype.toString.call(fn);
  const own = readSignature(text);
  return own?.length === 0 && usesArguments(text) ? [anyNumber] : own;
}

/**
 * Returns the function whose default values can be evaluated without running its wrapper.
 *
 * @param fn The function.
 * @returns The function itself or the original passed to {@linkcode Signature}, or `undefined` if the original is a
 * string.
 */
export function originalOf<F extends (...args: never[]) => unknown>(
  fn: F,
): ((...args: never[]) => unknown) | undefined {
  return originals.has(fn) ? originals.get(fn) : fn;
}

function readText(text: string): readonly Parameter[] | undefined {
  const list = text.trim();
  return list.startsWith("(") && list.endsWith(")") ? readSignature(`${list} => 0`) : undefined;
}

/** Reports whether the code of a function uses `arguments`, other than as a member name. */
function usesArguments(text: string): boolean {
  if (!text.includes("arguments")) return false;
  const tokens = new Tokenizer(text);
  let last = "";
  for (let token = tokens.next(); token.kind !== "end"; token = tokens.next()) {
    if (token.kind === "name" && token.text === "arguments" && last !== "." && last !== "?.") return true;
    last = token.text;
  }
  return false;
}
