/**
 * A method or function to be called with dependencies.
 *
 * @module
 */

import type { RouteInput } from "../../src/app/route_description.ts";
import { originalOf, parametersOf } from "../reflect/function_signature.ts";
import type { Method } from "../reflect/controller.ts";
import type { Parameter } from "../reflect/signature.ts";
import { type Asker, type Needs, noNeeds } from "./binding.ts";
import type { Container } from "./container.ts";
import { callNeeds } from "./graph.ts";
import { InputToken } from "./input_token.ts";
import { type Asked, type DefaultsProbe, probeDefaults } from "./probe.ts";

/** A method or function, and what it asks for. */
export class Call implements Asker {
  readonly method: Method;
  readonly home: Container;
  readonly isRepeatable = false;
  needs: Needs = noNeeds;
  readonly #owner: string;
  readonly #name: string;
  readonly #probe: DefaultsProbe;

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
    this.#probe = probeDefaults(originalOf(method as (...args: never[]) => unknown), parameters, of.name);
  }

  /** The checked inputs among its arguments. */
  inputs(): RouteInput[] {
    return inputsOf([...this.#probe.ahead, ...this.#probe.behind]);
  }

  /** Makes sure, when the application is built, that everything it asks for is there. */
  check(): void {
    this.needs = callNeeds({ owner: this.#owner, container: this.home }, this.#probe);
  }

  label(): string {
    return this.#owner === this.#name ? this.#name : `${this.#owner}.${this.#name}`;
  }
}

/**
 * The checked inputs among what is asked for.
 *
 * @param asked What is asked for.
 */
export function inputsOf(asked: readonly Asked[]): RouteInput[] {
  return asked.flatMap(({ token }) => token instanceof InputToken ? [{ Kind: token.kind, Schema: token.schema }] : []);
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
