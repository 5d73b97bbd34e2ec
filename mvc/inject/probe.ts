/**
 * Discovers the dependencies of a constructor or a call when the application is built.
 *
 * A constructor runs once with stand-ins for its dependencies. A singleton without dependencies is not constructed
 * again. One with dependencies is, because nothing else shows its calls to `mvc.Inject`, and real dependencies must not
 * receive the stand-in of one that does not exist yet, such as an asynchronous one. For functions and methods, only
 * default values are evaluated, one at a time, and only those that start with a call to `mvc.Inject` or a similar
 * function. That call throws, so the body never runs.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { Parameter } from "../../src/base/signature/parameter_list.ts";
import { originalOf, parametersOf } from "../../src/base/signature/signature.ts";
import { type Class, isClass, labelOf } from "../reflect/token.ts";
import { type Ask, type Binding, newAsk, noAsks } from "./binding.ts";
import { readDefaults } from "./default_value.ts";
import { enter, type Injector, stopped } from "./inject.ts";

/** The result of a trial run of a constructor. */
export interface ConstructorProbe {
  readonly asks: readonly Ask[];
  /** The instance, if the constructor completed. */
  readonly instance: object | undefined;
  /** The value that the constructor threw although it only stored its dependencies. */
  readonly failure: { readonly thrown: unknown } | undefined;
}

/**
 * Runs a constructor with stand-ins.
 *
 * @param type The class.
 */
export function probeConstructor(type: Class<object>): ConstructorProbe {
  const injector = new ProbeInjector();
  const outer = enter(injector);
  let instance: object | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  try {
    instance = Reflect.construct(type, []);
  } catch (thrown) {
    // An error caused by a stand-in does not indicate a problem with the constructor.
    if (injector.asked.length === 0 && !(thrown instanceof StandInUsed)) failure = { thrown };
  } finally {
    enter(outer);
  }
  const fields = fieldsOf(instance);
  const asks = injector.asked.map(({ token, isOptional, standIn }) => ({
    ...newAsk(token),
    isOptional,
    where: fields.get(standIn) ?? "the constructor",
  }));
  return { asks, instance, failure };
}

/**
 * Evaluates the injecting default values of a function.
 *
 * @param call The function, or `undefined` if only its parameters are known.
 * @param parameters The parameters.
 * @param label The name for error messages.
 * @returns The dependencies, in source order.
 */
export function probeDefaults(
  call: ((...args: never[]) => unknown) | undefined,
  parameters: readonly Parameter[],
  label: string,
): readonly Ask[] {
  if (!parameters.some(({ fallback }) => fallback?.kind === "call" || fallback?.kind === "other")) return noAsks;
  const asks: Ask[] = [];
  let isPlanned = true;
  for (const [index, found] of readDefaults(parameters).entries()) {
    if (found === undefined) continue;
    const asked = found.isKnown && call !== undefined ? probeDefault(call, parameters, index) : undefined;
    if (asked !== undefined) {
      asks.push({
        ...newAsk(asked.token),
        isOptional: asked.isOptional,
        where: `argument ${index + 1} of "${label}"`,
        argument: found.isWhole && isPlanned ? index : -1,
        isPlanned,
      });
    }
    if (asked === undefined ? found.isKnown || found.mayInject : found.mayInject) isPlanned = false;
  }
  return asks;
}

/**
 * Discovers the dependencies of a dependency, unless they are already known.
 *
 * @param binding The dependency.
 */
export function discover(binding: Binding): ConstructorProbe["failure"] {
  const { source } = binding;
  if (binding.isDiscovered || source === undefined) return undefined;
  binding.isDiscovered = true;
  if (!isClass(source)) {
    binding.asks = probeDefaults(originalOf(source), parametersOf(source) ?? [], labelOf(source));
    return undefined;
  }
  const { asks, instance, failure } = probeConstructor(source);
  // Without dependencies, the trial run has already created the singleton.
  if (binding.lifetime === "singleton" && asks.length === 0) binding.tried = instance;
  binding.asks = asks.map((ask) => ({ ...ask, where: `${ask.where} of "${source.name}"` }));
  return failure;
}

/** Evaluates a default value up to its first injection, with stand-ins for all other arguments. */
function probeDefault(
  call: (...args: never[]) => unknown,
  parameters: readonly Parameter[],
  index: number,
): Asked | undefined {
  const injector = new ProbeInjector(1);
  const outer = enter(injector);
  // It is also used as `this`.
  const unusable = newStandIn("an argument");
  try {
    // An empty array can be destructured with any pattern.
    const args = parameters.map(({ form }, i) => i === index ? undefined : form === "plain" ? unusable : []);
    const result = Reflect.apply(call, unusable, args);
    // An async function rejects with the error that its default value throws.
    Promise.resolve(result).catch(ignore);
  } catch (thrown) {
    const isExpected = thrown === stopped || thrown instanceof StandInUsed || !(thrown instanceof FrameworkError);
    if (!isExpected) throw thrown;
  } finally {
    enter(outer);
  }
  return injector.asked[0];
}

interface Asked {
  readonly token: unknown;
  readonly isOptional: boolean;
  readonly standIn: object;
}

class ProbeInjector implements Injector {
  readonly asked: Asked[] = [];
  readonly #limit: number;

  constructor(limit = Infinity) {
    this.#limit = limit;
  }

  resolve(token: unknown, isOptional: boolean): unknown {
    const standIn = newStandIn(token);
    this.asked.push({ token, isOptional, standIn });
    if (this.asked.length >= this.#limit) throw stopped;
    return standIn;
  }
}

/** Returns the fields of an instance by value, as they are named in error messages. */
function fieldsOf(instance: object = {}): ReadonlyMap<unknown, string> {
  const fields = Object.entries(Object.getOwnPropertyDescriptors(instance));
  // The first of several fields with the same value is named.
  return new Map(fields.map(([name, { value }]) => [value, `field "${name}"`] as const).reverse());
}

/** Thrown when a stand-in is used. In that case, the rest of the constructor is unknown until a request arrives. */
export class StandInUsed extends FrameworkError {
  constructor(token: unknown) {
    super(
      "FW_DEPENDENCY",
      `Cannot use "${labelOf(token)}" yet: this is a trial run of the constructor while the application is built; ` +
        "use it in a method",
    );
  }
}

/** Creates a stand-in for a dependency. It can be stored but not used. */
export function newStandIn(token: unknown): object {
  watchRejections();
  const refuse = (): never => {
    throw new StandInUsed(token);
  };
  // Every operation on the outer proxy looks up its trap in the inner one, which throws.
  return new Proxy({}, new Proxy({}, { get: refuse }));
}

let isWatching = false;

/**
 * Ignores the rejections of asynchronous work that a constructor starts with a stand-in. Otherwise, they would end the
 * process.
 */
function watchRejections(): void {
  if (isWatching) return;
  isWatching = true;
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (!isFromStandIn(event.reason)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
}

function isFromStandIn(reason: unknown): boolean {
  for (let error = reason; error instanceof Error; error = error.cause) {
    if (error instanceof StandInUsed) return true;
  }
  return false;
}

function ignore(): void {}
