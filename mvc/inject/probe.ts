/**
 * Finds out, when the application is built, what a constructor or a call asks for, by trying.
 *
 * A constructor is run once with stand-ins for everything it asks for. Of a function or method only default values are
 * evaluated, one at a time, and only those that begin with a call of `Inject` or its kin, which throws: no body is
 * reached.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { isThenable } from "../../src/base/thenable.ts";
import { type Class, isClass } from "../reflect/class.ts";
import { originalOf, parametersOf } from "../reflect/function_signature.ts";
import type { Parameter } from "../reflect/signature.ts";
import { labelOf } from "../reflect/token.ts";
import { type Binding, type Need, Needs } from "./binding.ts";
import { type DefaultAsk, readDefaults } from "./default_value.ts";
import { enter, type Injector, suspended } from "./inject.ts";
import { newStandIn, StandInUsed } from "./stand_in.ts";

/** One thing that was asked for. */
export interface Asked {
  readonly token: unknown;
  /** Where, for error messages: a field, an argument, the constructor. */
  readonly where: string;
  /** The argument that it is; -1 where it is not an argument by itself. */
  readonly argument: number;
}

/** What a try of a constructor told. */
export interface ConstructorProbe {
  readonly asked: readonly Asked[];
  /** The instance, if the constructor came to its end. */
  readonly instance: object | undefined;
  /** What it threw of its own accord, and not for want of a dependency. */
  readonly failure: { readonly thrown: unknown } | undefined;
}

/**
 * Tries a constructor.
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
    // What went wrong with a stand-in need not go wrong with a value.
    if (injector.asked.length === 0 && !(thrown instanceof StandInUsed)) failure = { thrown };
  } finally {
    enter(outer);
  }
  const asked = injector.asked.map(({ token, standIn }) => ({
    token,
    where: fieldOf(instance, standIn) ?? "the constructor",
    argument: -1,
  }));
  return { asked, instance, failure };
}

/** What the default values of a function told. */
export interface DefaultsProbe {
  /** What is asked for before anything that is not known. */
  readonly ahead: readonly Asked[];
  /** What is asked for after that. */
  readonly behind: readonly Asked[];
  /** How often the default values may ask while the function runs, if some of them are not known; else none. */
  readonly patience: number;
}

const nothingAsked: DefaultsProbe = { ahead: [], behind: [], patience: 0 };

/**
 * Tries the default values of a function.
 *
 * @param call The function; `undefined` when only its parameters are known.
 * @param parameters Its parameters.
 * @param label What it is called in error messages.
 */
export function probeDefaults(
  call: ((...args: never[]) => unknown) | undefined,
  parameters: readonly Parameter[],
  label: string,
): DefaultsProbe {
  if (!parameters.some(({ fallback }) => fallback?.kind === "call" || fallback?.kind === "other")) return nothingAsked;
  const ahead: Asked[] = [];
  const behind: Asked[] = [];
  let unknown = 0;
  let isAhead = true;
  for (const [index, found] of readDefaults(parameters).entries()) {
    if (found === undefined) continue;
    const token = found.isKnown && call !== undefined ? probeDefault(call, parameters, index) : undefined;
    if (token === undefined) {
      isAhead = false;
      unknown += Math.max(found.others, found.isKnown ? 1 : 0);
    } else {
      (isAhead ? ahead : behind).push(toAsked(token.is, label, found, index));
      unknown += found.others;
      if (found.others > 0) isAhead = false;
    }
  }
  // What is an argument by itself is passed, and not asked for again.
  const evaluated = unknown + behind.length + ahead.filter((each) => each.argument < 0).length;
  return { ahead, behind, patience: unknown === 0 ? 0 : evaluated };
}

/**
 * Learns what a dependency asks for, where the check of the graph did not come upon it: behind a default value that
 * could not be recognised, or behind a body. What is registered for that is found when it is asked for.
 *
 * @param binding The dependency.
 */
export function learnNeeds(binding: Binding): void {
  const { source } = binding;
  if (isClass(source)) {
    binding.learn(new Needs(probeConstructor(source).asked.map((each) => toNeed(binding, each))));
  } else if (source !== undefined) {
    const { ahead, behind, patience } = probeDefaults(originalOf(source), parametersOf(source) ?? [], labelOf(source));
    const [first = [], rest = []] = [ahead, behind].map((asked) => asked.map((each) => toNeed(binding, each)));
    binding.learn(new Needs(first, rest, patience));
  }
}

function toNeed({ home }: Binding, { token, argument }: Asked): Need {
  home.declare(token);
  return { token, binding: undefined, argument };
}

function toAsked(token: unknown, label: string, found: DefaultAsk, index: number): Asked {
  return { token, where: `argument ${index + 1} of "${label}"`, argument: found.isWhole ? index : -1 };
}

/** Evaluates one default value up to what it asks for first, with something for every other argument. */
function probeDefault(
  call: (...args: never[]) => unknown,
  parameters: readonly Parameter[],
  index: number,
): { readonly is: unknown } | undefined {
  const injector = new ProbeInjector(1);
  const outer = enter(injector);
  try {
    // An empty list can be taken apart by every pattern.
    const args = parameters.map(({ form }, i) => i === index ? undefined : form === "plain" ? unusable : []);
    const result = Reflect.apply(call, unusable, args);
    // An asynchronous function rejects with what its default value throws.
    if (isThenable(result)) result.then(ignore, ignore);
  } catch (thrown) {
    // What the injector throws once it knows, or what an argument leads to that cannot be used yet.
    const isExpected = thrown === suspended || thrown instanceof StandInUsed || !(thrown instanceof FrameworkError);
    if (!isExpected) throw thrown;
  } finally {
    enter(outer);
  }
  const [first] = injector.asked;
  return first === undefined ? undefined : { is: first.token };
}

class ProbeInjector implements Injector {
  readonly asked: { readonly token: unknown; readonly standIn: object }[] = [];
  readonly #limit: number;

  constructor(limit = Infinity) {
    this.#limit = limit;
  }

  resolve(token: unknown): unknown {
    const standIn = newStandIn(token);
    this.asked.push({ token, standIn });
    if (this.asked.length >= this.#limit) throw suspended;
    return standIn;
  }
}

/** Takes the place of `this` and of the other arguments while a default value is tried. */
const unusable = newStandIn("an argument");

function fieldOf(instance: object | undefined, value: unknown): string | undefined {
  if (instance === undefined) return undefined;
  const names = Object.getOwnPropertyNames(instance);
  const name = names.find((each) => Object.getOwnPropertyDescriptor(instance, each)?.value === value);
  return name === undefined ? undefined : `field "${name}"`;
}

function ignore(): void {}
