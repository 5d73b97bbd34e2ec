/**
 * A method or function to be called with dependencies.
 *
 * @module
 */

import type { RouteInput } from "../../src/app/route_description.ts";
import type { Context } from "../../src/context/context.ts";
import type { Method } from "../reflect/controller.ts";
import { originalOf, parametersOf } from "../reflect/function_signature.ts";
import type { Parameter } from "../reflect/signature.ts";
import { type Asker, type Needs, noNeeds } from "./binding.ts";
import { callNeeds } from "./check_dependencies.ts";
import type { Container } from "./container.ts";
import { InputToken } from "./input_token.ts";
import { type Asked, type DefaultsProbe, probeDefaults } from "./probe.ts";

/** Reads the value of an argument from a request. */
export type ArgumentReader = (ctx: Context) => unknown;

/** What a call is prepared from. */
interface CallParts {
  /** Where its dependencies are found. */
  readonly container: Container;
  /** What its owner is called in error messages: the controller, or the function itself. */
  readonly owner: string;
  readonly name: string;
  /** Its parameters, where they are known already. */
  readonly parameters?: readonly Parameter[];
  /** Where its first arguments come from; what is left over is asked for. */
  readonly readers?: readonly ArgumentReader[];
}

const noInputs: readonly RouteInput[] = [];

/** A method or function, and what it asks for. */
export class Call implements Asker {
  readonly method: Method;
  readonly home: Container;
  readonly isRepeatable = false;
  needs: Needs = noNeeds;
  /** True when its default values ask for nothing, as far as that is known. */
  isBare = true;
  readonly #owner: string;
  readonly #name: string;
  readonly #probe: DefaultsProbe;
  readonly #readers: readonly ArgumentReader[];

  constructor(method: Method, parts: CallParts) {
    const parameters = parts.parameters ?? parametersOf(method) ?? [];
    this.method = method;
    this.home = parts.container;
    this.#owner = parts.owner;
    this.#name = parts.name;
    this.#readers = parts.readers ?? [];
    this.#probe = probeDefaults(originalOf(method as (...args: never[]) => unknown), parameters, parts.name);
  }

  /** Reads the arguments that a request has; those that are asked for are added to them. */
  argumentsOf(ctx: Context): unknown[] {
    const args: unknown[] = [];
    for (const read of this.#readers) args.push(read(ctx));
    return args;
  }

  /** Calls a method without dependencies, where an injector is in force. */
  callBare(instance: object, ctx: Context): unknown {
    const { method } = this;
    const readers = this.#readers;
    // By index: taking a list apart by a pattern runs its iterator, 60 ns per request.
    const first = readers[0];
    if (first === undefined) return method.call(instance);
    if (readers.length === 1) return method.call(instance, first(ctx));
    return method.apply(instance, this.argumentsOf(ctx));
  }

  /** The checked inputs among its arguments. */
  inputs(): readonly RouteInput[] {
    const { ahead, behind } = this.#probe;
    return ahead.length + behind.length === 0 ? noInputs : inputsOf([...ahead, ...behind]);
  }

  /** Makes sure, when the application is built, that everything it asks for is there. */
  check(): void {
    this.needs = callNeeds({ owner: this.#owner, container: this.home }, this.#probe);
    this.isBare = this.needs.ahead.length === 0 && this.needs.patience === 0;
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
export function inputsOf(asked: readonly Asked[]): readonly RouteInput[] {
  const tokens = asked.map(({ token }) => token).filter((token) => token instanceof InputToken);
  return tokens.length === 0 ? noInputs : tokens.map(({ kind, schema }) => ({ Kind: kind, Schema: schema }));
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
