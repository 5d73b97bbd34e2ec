/**
 * A method or function to be called with dependencies.
 *
 * @module
 */

import { parametersOf } from "../reflect/function_signature.ts";
import type { Method } from "../reflect/controller.ts";
import type { Parameter } from "../reflect/signature.ts";
import { type Asker, type Needs, noNeeds } from "./binding.ts";
import type { Container } from "./container.ts";
import { callNeeds } from "./graph.ts";

/** A method or function, and what it asks for. */
export class Call implements Asker {
  readonly method: Method;
  readonly home: Container;
  readonly isRepeatable = false;
  needs: Needs = noNeeds;
  readonly #owner: string;
  readonly #name: string;
  readonly #parameters: readonly Parameter[];

  /**
   * Prepares a call.
   *
   * @param method The method or function.
   * @param of Where its dependencies are found, and what it and its owner are called.
   * @param parameters Its parameters, where they are known already.
   */
  constructor(
    method: Method,
    of: { readonly container: Container; readonly owner: string; readonly name: string },
    parameters: readonly Parameter[] = parametersOf(method) ?? [],
  ) {
    this.method = method;
    this.home = of.container;
    this.#owner = of.owner;
    this.#name = of.name;
    this.#parameters = parameters;
  }

  /** Makes sure, when the application is built, that everything it asks for is there. */
  check(): void {
    const checked = { owner: this.#owner, container: this.home };
    this.needs = callNeeds(checked, this.method as (...args: never[]) => unknown, this.#parameters, this.#name);
  }

  label(): string {
    return this.#owner === this.#name ? this.#name : `${this.#owner}.${this.#name}`;
  }
}

/** Calls a method, where an injector is in force. */
export function invoke(call: Call, instance: object, args: readonly unknown[]): unknown {
  return args.length === 0 ? call.method.call(instance) : call.method.apply(instance, args as unknown[]);
}

/**
 * Reports whether something has to be waited for before a constructor or a call runs.
 *
 * @param needs What it asks for.
 */
export function takesTime({ ahead }: Needs): boolean {
  for (let i = 0; i < ahead.length; i++) {
    const binding = ahead[i]?.binding;
    if (binding === undefined || (binding.isAsync && !binding.isReady)) return true;
  }
  return false;
}
