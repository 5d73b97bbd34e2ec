/**
 * Creates the values that all requests share.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { isThenable } from "../../src/base/thenable.ts";
import { labelOf } from "../reflect/token.ts";
import { type Binding, type Home, Slot } from "./binding.ts";
import { assertNoCircle, Circle } from "./circle.ts";
import { enter, type Injector, suspended } from "./inject.ts";
import { learnNeeds } from "./probe.ts";
import { assertSuspended, inBody, isExpected } from "./waiting.ts";

/**
 * The value of a dependency that all requests share, created now if it was not before.
 *
 * @param binding The dependency.
 * @param outer What it is created for, if that is shared too.
 * @returns The value, or its slot as long as it takes time.
 */
export function obtainShared(binding: Binding, outer?: SharedInjector): unknown {
  if (binding.isReady) return binding.value;
  if (binding.isRunning) throw new Circle(binding);
  if (binding.slot !== undefined) {
    assertNoCircle(binding.slot);
    return binding.slot;
  }
  if (!binding.isChecked) learnNeeds(binding);
  const injector = new SharedInjector(binding, outer);
  const made = injector.attempt();
  if (injector.waitsFor === undefined && !isThenable(made)) return keep(binding, made);
  binding.isAsync = true;
  const slot = new Slot(binding);
  binding.slot = slot;
  const settled = injector.waitsFor === undefined ? made : repeat(injector, slot, made);
  slot.promise = settle(binding, settled);
  // Those who wait see the failure; where none does, it must not end the process.
  slot.promise.then(ignore, ignore);
  return slot;
}

/** The dependencies whose class is not known before they are created, the first of them that takes time. */
export function decide(home: Home, outer?: SharedInjector): Slot | undefined {
  for (const binding of home.undecided()) {
    if (binding.isRunning) continue;
    const got = obtainShared(binding, outer);
    if (got instanceof Slot) return got;
  }
  return undefined;
}

async function settle(binding: Binding, value: unknown): Promise<unknown> {
  try {
    return keep(binding, await value);
  } finally {
    // After a failure the next request tries anew.
    binding.slot = undefined;
  }
}

/** Waits for what an attempt asked for and tries again, until nothing has to be waited for. */
async function repeat(injector: SharedInjector, slot: Slot, first: unknown): Promise<unknown> {
  let made = first;
  for (let { waitsFor } = injector; waitsFor !== undefined; { waitsFor } = injector) {
    slot.waitsFor = waitsFor;
    if (made !== undefined) await assertSuspended(slot.owner, waitsFor, made);
    await injector.wait(waitsFor);
    slot.waitsFor = undefined;
    slot.isRunning = true;
    try {
      made = injector.attempt();
    } finally {
      slot.isRunning = false;
    }
  }
  return await made;
}

function keep(binding: Binding, value: unknown): unknown {
  binding.value = value;
  binding.isReady = true;
  binding.home.lifetimes.keep(value);
  return value;
}

/** What a dependency sees of the others while the value is created that all requests share: nothing of one request. */
class SharedInjector implements Injector {
  readonly #binding: Binding;
  readonly #outer: SharedInjector | undefined;
  /** What the last attempt has to wait for. */
  waitsFor: Slot | undefined = undefined;
  #patience = 0;
  /** What was waited for and failed: the next attempt meets it where it asks for it. */
  readonly #failures = new Map<unknown, { readonly thrown: unknown }>();

  constructor(binding: Binding, outer: SharedInjector | undefined) {
    this.#binding = binding;
    this.#outer = outer;
  }

  /** Creates the value, unless something has to be waited for. */
  attempt(): unknown {
    const binding = this.#binding;
    this.waitsFor = undefined;
    this.#patience = binding.needs.patience;
    binding.isRunning = true;
    const outer = enter(this);
    try {
      const args: unknown[] = [];
      this.#collect(args);
      return this.waitsFor === undefined ? binding.provide(...args) : undefined;
    } catch (thrown) {
      if (thrown instanceof Circle) thrown.pass(binding);
      // Of a function, only its own suspension repeats it: what else it throws, a body may have thrown.
      if (this.waitsFor === undefined || (thrown !== suspended && !binding.isRepeatable)) throw thrown;
      return undefined;
    } finally {
      enter(outer);
      binding.isRunning = false;
    }
  }

  resolve(token: unknown): unknown {
    if (this.waitsFor !== undefined) throw suspended;
    const isInBody = --this.#patience < 0 && !this.#binding.isRepeatable;
    const target = this.#find(token);
    if (target === undefined) {
      if (!isInBody || this.waitsFor === undefined) throw suspended;
      const { owner } = this.waitsFor;
      this.waitsFor = undefined;
      throw inBody(this.#binding, owner);
    }
    const got = this.#obtain(token, target);
    if (isInBody && (got instanceof Slot || target.isAsync) && !isExpected(this.#binding, target)) {
      throw inBody(this.#binding, target);
    }
    if (!(got instanceof Slot)) return got;
    this.waitsFor = got;
    throw suspended;
  }

  /** This dependency and those that it is created for, the last first. */
  askers(): Binding[] {
    return [this.#binding, ...this.#outer?.askers() ?? []];
  }

  /** Waits for what the last attempt asked for, however that ends. */
  async wait(slot: Slot): Promise<void> {
    try {
      await slot.promise;
    } catch (thrown) {
      this.#failures.set(slot.owner, { thrown });
    }
  }

  /** Gathers what is known to be asked for, in order, up to what has to be waited for. */
  #collect(args: unknown[]): void {
    for (const need of this.#binding.needs.ahead) {
      const { token, argument } = need;
      const target = need.binding ??= this.#find(token);
      // A constructor meets a failure where it asks: it may be prepared for it.
      if (target === undefined || (this.#binding.isRepeatable && this.#failures.has(target))) return;
      const got = this.#obtain(token, target);
      if (got instanceof Slot) return void (this.waitsFor = got);
      if (argument >= 0) args[argument] = got;
    }
  }

  #find(token: unknown): Binding | undefined {
    const { home } = this.#binding;
    const found = home.lookup(token);
    if (found !== undefined) return found;
    this.waitsFor = decide(home, this);
    return this.waitsFor === undefined ? home.lookup(token) ?? this.#missing(token) : undefined;
  }

  /** Every dependency that could be of a class waits for the one that asks for the class. */
  #missing(token: unknown): never {
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot find the dependency "${
        labelOf(token)
      }" of "${this.#binding.label()}": nothing that is registered creates it`,
    );
  }

  #obtain(token: unknown, target: Binding): unknown {
    const failure = this.#failures.get(target);
    if (failure !== undefined) throw failure.thrown;
    if (!target.isPerRequest) return obtainShared(target, this);
    throw new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot create "${this.#binding.label()}" for all requests: it asks for "${labelOf(token)}", of which each has ` +
        `its own (${this.askers().toReversed().map((each) => each.label()).join(" → ")} → ${target.label()})`,
    );
  }
}

function ignore(): void {}
