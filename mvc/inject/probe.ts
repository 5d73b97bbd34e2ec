/**
 * Finds out before the server listens which dependencies a controller asks for, by trying.
 *
 * A class is constructed once when the application is built. What all requests share is there already; what belongs to a
 * request is not, so a stand-in takes its place that lets everything be done with it.
 *
 * @module
 */

import { isThenable } from "../../src/base/thenable.ts";
import { FrameworkError } from "../../src/base/errors.ts";
import type { Binding } from "./binding.ts";
import type { Container } from "./container.ts";
import type { Method } from "../reflect/controller.ts";
import { onceSlot } from "./resolve.ts";
import { enter, type Injector, Suspension } from "./inject.ts";
import type { Parameter } from "../reflect/signature.ts";
import type { Class } from "../reflect/class.ts";
import { labelOf } from "./token.ts";

/** One call of `Inject`. */
interface Asked {
  readonly token: unknown;
  /** What answers it; `undefined` when nothing does. */
  readonly binding: Binding | undefined;
  readonly isMissing: boolean;
  readonly answer: unknown;
}

/**
 * Tries a controller's constructor.
 *
 * @param type The class.
 * @param container Where its dependencies are found.
 * @returns The dependencies that take time, and whether an instance has a place for its Context.
 */
export function probeConstructor(
  type: Class<object>,
  container: Container,
): { readonly waitedFor: Binding[]; readonly takesContext: boolean } {
  const scope = new ProbeInjector(container);
  let instance: object | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  const outer = enter(scope);
  try {
    instance = Reflect.construct(type, []);
  } catch (thrown) {
    failure = { thrown };
  } finally {
    enter(outer);
  }
  const missing = scope.asked.find((each) => each.isMissing);
  if (missing !== undefined) {
    const field = fieldOf(instance, missing.answer);
    const where = field === undefined ? "its constructor" : `field "${field}"`;
    throw refusal(container, `${where} needs the dependency "${labelOf(missing.token)}"`);
  }
  // What went wrong with a stand-in need not go wrong with a real value.
  if (failure !== undefined && !scope.hasStandIns) {
    if (failure.thrown instanceof FrameworkError) throw failure.thrown;
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot make an instance of "${container.owner}": its constructor throws`,
      {
        cause: failure.thrown,
      },
    );
  }
  const takesContext = instance === undefined || "Ctx" in instance || Object.isExtensible(instance);
  return { waitedFor: waitedFor(scope.asked), takesContext };
}

/** A default value that is nothing but a call of `Inject`, as long as no minifier renamed it. */
const plainInject = /^(?:[\p{ID_Continue}$]+\s*\.\s*)*Inject\s*\(/u;

/**
 * Tries the default values of a method's arguments, if all of them that are no literals are calls of `Inject`: then the
 * last of these calls throws, and the method's body is never reached.
 *
 * @param method The method.
 * @param parameters Its parameters.
 * @param container Where its dependencies are found.
 * @param name The method's name, for errors.
 * @returns The dependencies that it asked for and that belong to a request or may have to be waited for.
 */
export function probeMethod(
  method: Method,
  parameters: readonly Parameter[],
  container: Container,
  name: string,
): Binding[] {
  const injected = parameters.filter(({ fallback }) => fallback?.kind === "call" || fallback?.kind === "other");
  const isPlain = injected.every(({ fallback }) => fallback?.kind === "call" && plainInject.test(fallback.source));
  if (injected.length === 0 || !isPlain) return [];
  const scope = new ProbeInjector(container, injected.length);
  const outer = enter(scope);
  try {
    const args = parameters.map(({ fallback }) => fallback === undefined ? refusing : undefined);
    const result = method.apply(refusing, args);
    // A default value that fails in an asynchronous method rejects.
    if (isThenable(result)) result.then(ignore, ignore);
  } catch {
    // The stop after the last call, or whatever a call with a missing value led to.
  } finally {
    enter(outer);
  }
  const missing = scope.asked.findIndex((each) => each.isMissing);
  if (missing !== -1) {
    const index = parameters.findIndex((each) => each === injected[missing]);
    const token = labelOf(scope.asked[missing]?.token);
    throw refusal(container, `argument ${index + 1} of "${name}" needs the dependency "${token}"`);
  }
  const bindings = scope.asked.flatMap(({ binding }) => binding === undefined ? [] : [binding]);
  return bindings.filter((binding) => !binding.isReady && !binding.isTransient);
}

class ProbeInjector implements Injector {
  readonly asked: Asked[] = [];
  hasStandIns = false;
  readonly #container: Container;
  readonly #limit: number;

  constructor(container: Container, limit = Infinity) {
    this.#container = container;
    this.#limit = limit;
  }

  resolve(token: unknown): unknown {
    const asked = this.#ask(token);
    this.asked.push(asked);
    if (this.asked.length >= this.#limit) throw new Suspension(this, Promise.resolve());
    return asked.answer;
  }

  #ask(token: unknown): Asked {
    const isMissing = this.#container.find(token) === undefined && this.#isMissing(token);
    if (isMissing) return { token, binding: undefined, isMissing, answer: this.#standIn() };
    const binding = this.#container.lookup(token);
    const isReady = binding !== undefined && !binding.isPerRequest && makeNow(binding);
    return { token, binding, isMissing, answer: isReady ? binding.value : this.#standIn() };
  }

  #isMissing(token: unknown): boolean {
    try {
      this.#container.lookup(token);
      return false;
    } catch {
      return true;
    }
  }

  #standIn(): object {
    this.hasStandIns = true;
    return newStandIn();
  }
}

/** Makes a value for all requests, unless it is known to take time. */
function makeNow(binding: Binding): boolean {
  if (binding.isReady) return true;
  if (binding.isAsync) return false;
  try {
    return onceSlot(binding).isReady;
  } catch (thrown) {
    if (thrown instanceof Suspension) return false;
    throw thrown;
  }
}

/** A value of which every part and every result is such a value again. */
function newStandIn(): object {
  const standIn: object = new Proxy(ignore, {
    get(_target, key) {
      if (key === Symbol.toPrimitive) return () => "";
      return key === "then" ? undefined : standIn;
    },
    set: () => true,
    apply: () => standIn,
    construct: () => standIn,
  });
  return standIn;
}

/** Takes the place of `this` and of every argument while a method's default values are tried. */
const refusing: object = new Proxy(ignore, { get: refuse, set: refuse, has: refuse, apply: refuse, construct: refuse });

function refuse(): never {
  throw new Suspension(refusing, Promise.resolve());
}

function waitedFor(asked: readonly Asked[]): Binding[] {
  return asked.flatMap(({ binding }) => binding?.isAsync && !binding.isReady ? [binding] : []);
}

function fieldOf(instance: object | undefined, value: unknown): string | undefined {
  if (instance === undefined) return undefined;
  return Object.entries(Object.getOwnPropertyDescriptors(instance)).find(([, field]) => field.value === value)?.[0];
}

function refusal(container: Container, needs: string): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot serve "${container.owner}": ${needs}, which is missing; ${container.describe()}`,
  );
}

function ignore(): void {}
