/**
 * Methods and functions that are called with dependencies.
 *
 * @module
 */

import type { Parameter } from "../../src/base/signature/parameter_list.ts";
import { originalOf, parametersOf } from "../../src/base/signature/signature.ts";
import type { RouteInput } from "../../src/core/app/record/route_description.ts";
import type { Method } from "../reflect/controller.ts";
import { InputToken } from "../reflect/token.ts";
import { type Ask, type Asker, noSteps, type Step } from "./binding.ts";
import { checkAsks } from "./check.ts";
import type { Container } from "./container.ts";
import { planOf } from "./plan.ts";
import { probeDefaults } from "./probe.ts";
import type { Run } from "./runner.ts";
import type { Scope } from "./scope.ts";

/**
 * Reads the value of an argument from the source of a call, such as a request context, a message, or the data of a job.
 */
export type ArgumentReader<S> = (source: S) => unknown;

/** The properties of a call. */
export interface CallParts<S> {
  /** The container with the dependencies. */
  readonly container: Container;
  /** The owner for error messages, which is the controller or the function itself. */
  readonly owner: string;
  readonly name: string;
  /** The parameters, if they are already known. */
  readonly parameters?: readonly Parameter[];
  /** The readers of the first arguments. All other arguments have default values. */
  readonly readers?: readonly ArgumentReader<S>[];
}

/** A method or function with the sources of its arguments and its dependencies. */
export class Call<S = unknown> implements Asker {
  readonly method: Method;
  readonly home: Container;
  readonly asks: readonly Ask[];
  plan: readonly Step[] = noSteps;
  readonly #owner: string;
  readonly #name: string;
  readonly #readers: readonly ArgumentReader<S>[];

  constructor(method: Method, { container, owner, name, parameters, readers = [] }: CallParts<S>) {
    this.method = method;
    this.home = container;
    this.#owner = owner;
    this.#name = name;
    this.#readers = readers;
    const original = originalOf(method as (...args: never[]) => unknown);
    this.asks = probeDefaults(original, parameters ?? parametersOf(method) ?? [], name);
  }

  /** Checks that every dependency is registered and creates the plan. Called when the application is built. */
  check(): void {
    if (this.asks.length === 0) return;
    checkAsks(this.#owner, this);
    this.plan = planOf(this);
  }

  /**
   * Reads the arguments that are not dependencies.
   *
   * @returns An array to which the dependencies are added, or the only argument if it is not an array itself.
   */
  argumentsOf(source: S): unknown {
    const readers = this.#readers;
    const first = readers[0];
    if (first === undefined) return [];
    if (readers.length > 1) return readers.map((read) => read(source));
    const only = first(source);
    return this.asks.length === 0 && !Array.isArray(only) ? only : [only];
  }

  label(): string {
    return this.#owner === this.#name ? this.#name : `${this.#owner}.${this.#name}`;
  }
}

/**
 * Calls a method or function with its dependencies.
 *
 * @param scope The values of the unit of work.
 * @param call The method or function.
 * @param self The instance.
 * @param args The arguments that are not dependencies: an array, or a single argument that is not an array.
 * @returns The return value, or a promise for it. Throws `stopped` if a dependency stops the work.
 */
export function invoke<S>(scope: Scope, call: Call<S>, self: object, args: unknown): unknown {
  const waiting = scope.prepare(call);
  return waiting === undefined
    ? scope.run(call, call.method as Run, self, args)
    : invokeAfter(waiting, scope, call, self, args);
}

async function invokeAfter<S>(
  waiting: Promise<void>,
  scope: Scope,
  call: Call<S>,
  self: object,
  args: unknown,
): Promise<unknown> {
  await waiting;
  return scope.run(call, call.method as Run, self, args);
}

const noInputs: readonly RouteInput[] = [];

/**
 * Returns the typed inputs among dependencies.
 *
 * @param asks The dependencies.
 */
export function inputsOf(asks: readonly Ask[]): readonly RouteInput[] {
  if (asks.length === 0) return noInputs;
  return asks.flatMap(({ token }) => token instanceof InputToken ? [{ Kind: token.kind, Schema: token.schema }] : []);
}
