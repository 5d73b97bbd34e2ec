/**
 * The parameters of a function: read from its own text, or from what it was given with `mvc.Signature`.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { Tokenizer } from "./js_tokenizer.ts";
import { type Parameter, readSignature } from "./signature.ts";

/** A function of any kind, of which only the text matters. */
// deno-lint-ignore ban-types -- every function has a text, whatever it takes.
type AnyFunction = Function;

/** What was given to functions. */
const declared = new WeakMap<AnyFunction, readonly Parameter[]>();

/** What functions with a declared signature stand for; `undefined` where only the text of the parameters is known. */
const originals = new WeakMap<AnyFunction, ((...args: never[]) => unknown) | undefined>();

const anyNumber: Parameter = { name: "arguments", form: "rest", fallback: undefined };

/**
 * Names the parameters of a method whose own text does not tell them: one that a decorator wrapped in `(...args) =>`,
 * or one whose argument names must outlast a minifier.
 *
 * @example A decorator that keeps the signature of what it wraps
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
 *
 * @param method The method, as the controller has it.
 * @param original The function that it stands for, or its parameter list as text: `"(owner = 0n, id = 0n)"`.
 * @returns The method.
 */
export function Signature<M extends (...args: never[]) => unknown>(
  method: M,
  original: ((...args: never[]) => unknown) | string,
): M {
  const parameters = typeof original === "string" ? readText(original) : parametersOf(original);
  if (parameters === undefined) {
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot name the arguments of "${method.name}": ` +
        (typeof original === "string"
          ? `"${original}" is not a parameter list in round brackets`
          : `those of "${original.name}" are not known, since it is a bound or native function`),
    );
  }
  declared.set(method, parameters);
  originals.set(method, typeof original === "string" ? undefined : originalOf(original));
  return method;
}

/**
 * The parameters of a function.
 *
 * @param fn The function.
 * @returns The parameters, or `undefined` when they cannot be known: those of a bound or native function or of a class.
 * A function that uses `arguments` takes any number of values, as one with a rest parameter does.
 */
export function parametersOf(fn: AnyFunction): readonly Parameter[] | undefined {
  const given = declared.get(fn);
  if (given !== undefined) return given;
  const text = Function.prototype.toString.call(fn);
  const own = readSignature(text);
  return own?.length === 0 && usesArguments(text) ? [anyNumber] : own;
}

/**
 * The function whose default values can be evaluated without running what wraps it.
 *
 * @param fn The function.
 * @returns The function itself, or what it was given with {@linkcode Signature}; `undefined` where that is only a text.
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

/** Finds `arguments` in the code of a function, where it is not the name of a member. */
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
