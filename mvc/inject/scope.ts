/**
 * Creates dependencies: those of a unit of work in the order of a plan, and singletons once for all.
 *
 * {@linkcode Scope.prepare} walks a plan synchronously. From the first value that is a promise, an asynchronous
 * function finishes the same plan. Then the constructor or method runs, and `Inject` looks up its dependencies.
 *
 * @module
 */

import { isThenable } from "../../src/async/thenable.ts";
import type { Context } from "../../src/context/context.ts";
import type { Asker, Binding, Home, Step } from "./binding.ts";
import { stopped } from "./inject.ts";
import type { InputToken } from "../reflect/token.ts";
import { OwnedValues } from "./lifetimes.ts";

import { assurePlan } from "./plan.ts";
import { type Run, Runner, type Values } from "./runner.ts";
import type { Work } from "./work.ts";

/** A value that is pending, has failed, or is `undefined`. */
class Slot {
  /** The dependency, or `undefined` while it is not known which singleton is an instance of a class. */
  readonly binding: Binding | undefined;
  state: "pending" | "ready" | "failed" = "pending";
  promise: PromiseLike<unknown> | undefined = undefined;
  /** The value or the error. */
  value: unknown = undefined;

  constructor(binding?: Binding) {
    this.binding = binding;
  }

  /** Records that the value is a promise. */
  await(promise: PromiseLike<unknown>): this {
    this.promise = promise;
    return this;
  }

  /** Records the value or the error. */
  settle(state: "ready" | "failed", value: unknown): void {
    this.state = state;
    this.value = value;
  }
}

/** Replaces a value while it is being created. If it is injected then, the dependency is circular. */
const running: unique symbol = Symbol("running");

/** Holds the values of one unit of work. Each value is created once. A scope without work creates one singleton. */
export class Scope implements Values {
  readonly work: Work | undefined;
  /** The values, by index of the dependency, or their slots if there is more to record. */
  readonly #values: unknown[] = [];
  #slots: (Slot | undefined)[] | undefined = undefined;
  readonly #runner: Runner = new Runner(this);
  #owned: OwnedValues | undefined = undefined;
  /** The failures of classes that no singleton is known to be an instance of. */
  #undecided: Map<unknown, Slot> | undefined = undefined;
  #toleratesStop = false;
  /** Whether a dependency has stopped the work. No further dependencies are created, and the method is not called. */
  isHalted = false;

  constructor(work?: Work) {
    this.work = work;
  }

  /** Begins a call. An earlier stop has had its effect. */
  open(): void {
    this.isHalted = this.#toleratesStop = false;
  }

  /** Allows dependencies to be created although the work was stopped, for `HandleError` and `EndRequest`. */
  close(): void {
    this.isHalted = false;
    this.#toleratesStop = true;
  }

  /**
   * Creates the known dependencies of a constructor, method or provider. A failure is stored, and thrown when the
   * dependency is injected.
   *
   * @param asker The constructor, method or provider.
   * @returns A promise only if any dependency is asynchronous. Throws `stopped` if a dependency stops the work.
   */
  prepare({ plan }: Asker): Promise<void> | undefined {
    for (let i = 0; i < plan.length; i = this.#next(plan, i)) {
      const slot = this.#begin(plan[i] as Step);
      if (slot !== undefined) return this.#prepareLater(plan, i, slot);
      if (this.isHalted) throw stopped;
    }
    return undefined;
  }

  /** Finishes a plan from the step whose value is a promise. */
  async #prepareLater(plan: readonly Step[], from: number, first: Slot): Promise<void> {
    let slot: Slot | undefined = first;
    for (let i = from; i < plan.length; slot = this.#begin(plan[i])) {
      if (slot !== undefined) {
        for (let j = i + 1; isParallel(plan[i]) && isParallel(plan[j]); j++) this.#watch(this.#begin(plan[j]));
        try {
          this.#arrive(slot, await slot.promise);
        } catch (thrown) {
          this.#fail(slot, thrown);
        }
      }
      if (this.isHalted) throw stopped;
      i = this.#next(plan, i);
    }
  }

  /**
   * Returns the index of the next step. After a failure, this is the first step that needs the value and may handle the
   * failure.
   */
  #next(plan: readonly Step[], i: number): number {
    if (this.#slots === undefined && this.#undecided === undefined) return i + 1;
    const { binding, token, failsTo } = plan[i] as Step;
    const slot = binding === undefined ? this.#undecided?.get(token) : this.#slots?.[binding.place];
    return slot?.state === "failed" ? failsTo : i + 1;
  }

  /** Begins to create a value. Returns its slot if it is asynchronous. */
  #begin(step: Step | undefined): Slot | undefined {
    const binding = step === undefined ? undefined : step.binding ??= step.home.lookup(step.token);
    if (binding === undefined) return step === undefined ? undefined : this.#decide(step);
    if (this.#values[binding.place] !== undefined) return undefined;
    const slot = this.#slots?.[binding.place];
    if (slot === undefined) return this.#create(binding);
    return slot.state === "pending" ? slot : undefined;
  }

  #create(binding: Binding): Slot | undefined {
    this.#values[binding.place] = running;
    let made: unknown;
    try {
      made = binding.lifetime === "singleton" ? createSingleton(binding) : this.#provide(binding);
    } catch (thrown) {
      return void this.#fail(this.#newSlot(binding), thrown);
    }
    this.#checkStop();
    if (!isThenable(made)) return void this.#keep(binding, made);
    binding.isAsync = true;
    // Must happen now, because the work may have ended when the value arrives.
    if (binding.isOwned) this.#ownedValues();
    return this.#newSlot(binding).await(made);
  }

  #newSlot(binding: Binding): Slot {
    this.#values[binding.place] = undefined;
    return (this.#slots ??= [])[binding.place] = new Slot(binding);
  }

  #provide(binding: Binding): unknown {
    if (binding.isInput) return (this.work as Work).read(binding.token as InputToken);
    const ctx = binding.takesContext ? this.work?.context ?? this.#runner.context(binding) : undefined;
    return this.#runner.run(binding, binding.provide, undefined, binding.asks.length === 0 ? ctx : listOf(ctx));
  }

  /** Creates the singletons, one of which may be an instance of the injected class. */
  #decide(step: Step): Slot | undefined {
    const slot = new Slot();
    (this.#undecided ??= new Map()).set(step.token, slot);
    let deciding: Promise<void> | undefined;
    try {
      deciding = decide(step.home, step.token);
    } catch (thrown) {
      return void this.#fail(slot, thrown);
    }
    return deciding === undefined ? undefined : slot.await(deciding.then(() => void this.#begin(step)));
  }

  #keep(binding: Binding, value: unknown): void {
    if (value === undefined) this.#newSlot(binding).settle("ready", undefined);
    else this.#values[binding.place] = value;
    if (binding.isOwned) this.#ownedValues().add(value);
  }

  #arrive(slot: Slot, value: unknown): void {
    if (slot.state === "pending") {
      slot.settle("ready", value);
      if (slot.binding?.isOwned) this.#ownedValues().add(value);
    }
    this.#checkStop();
  }

  #fail(slot: Slot, thrown: unknown): void {
    if (slot.state !== "failed") slot.settle("failed", thrown);
    this.#checkStop();
  }

  #checkStop(): void {
    if (!this.#toleratesStop && this.work !== undefined && this.work.isStopped) this.isHalted = true;
  }

  /** Waits for a value that nothing else waits for yet. */
  async #watch(slot: Slot | undefined): Promise<void> {
    if (slot === undefined) return;
    try {
      this.#arrive(slot, await slot.promise);
    } catch (thrown) {
      this.#fail(slot, thrown);
    }
  }

  #ownedValues(): OwnedValues {
    return this.#owned ??= new OwnedValues(this.work as Work);
  }

  /**
   * Runs a constructor, method or provider whose dependencies have been created.
   *
   * @param asker The constructor, method or provider.
   * @param fn The function.
   * @param self The `this` of the function.
   * @param args The arguments, to which the dependencies are added, or a single argument.
   */
  run(asker: Asker, fn: Run, self: unknown, args: unknown): unknown {
    return this.#runner.run(asker, fn, self, args);
  }

  /**
   * Returns the value of a dependency to the running code. Creates it now if no plan contains it and it is synchronous.
   */
  take(binding: Binding): unknown {
    const value = this.#values[binding.place];
    if (value === running) throw this.#runner.circular(binding);
    if (value !== undefined) return value;
    const slot = this.#slots?.[binding.place];
    if (slot === undefined) return this.#createNow(binding);
    if (slot.state === "failed") throw slot.value;
    return slot.state === "ready" ? slot.value : this.#runner.refuse(binding);
  }

  decide(home: Home, token: unknown): Promise<void> | undefined {
    const slot = this.#undecided?.get(token);
    if (slot?.state === "failed") throw slot.value;
    return decide(home, token);
  }

  #createNow(binding: Binding): unknown {
    const runner = this.#runner;
    if (binding.isRunning) throw runner.circular(binding);
    if (binding.lifetime === "singleton") {
      const made = binding.isAsync ? undefined : createSingleton(binding);
      return binding.isAsync ? runner.refuse(binding) : made;
    }
    if (this.work === undefined) throw runner.captive(binding);
    assurePlan(binding);
    // A method that has stopped the work itself may still inject dependencies, for example to log that.
    const toleratesStop = this.#toleratesStop;
    this.#toleratesStop ||= this.work.isStopped;
    try {
      const waiting = this.prepare(binding);
      const slot = waiting === undefined ? this.#create(binding) : undefined;
      waiting?.catch(ignore);
      void this.#watch(slot);
      if (this.isHalted) throw stopped;
      return waiting === undefined && slot === undefined ? this.take(binding) : runner.refuse(binding);
    } finally {
      this.#toleratesStop = toleratesStop;
    }
  }
}

/**
 * Creates the value that all requests share, unless it exists.
 *
 * @param binding The singleton.
 * @returns The value, or a promise of it. After a failure, the next call tries again.
 */
export function createSingleton(binding: Binding): unknown {
  if (binding.isReady) return binding.value;
  if (binding.pending !== undefined) return binding.pending;
  assurePlan(binding);
  const scope = new Scope();
  binding.isRunning = true;
  try {
    const waiting = scope.prepare(binding);
    const made = waiting === undefined
      ? provideShared(scope, binding)
      : waiting.then(() => provideShared(scope, binding));
    if (!isThenable(made)) return keepSingleton(binding, made);
    binding.isAsync = true;
    binding.pending = finishSingleton(binding, made);
    // Waiting callers see the failure. If there are none, it must not end the process.
    binding.pending.then(ignore, ignore);
    return binding.pending;
  } finally {
    binding.isRunning = false;
  }
}

function provideShared(scope: Scope, binding: Binding): unknown {
  return scope.run(binding, binding.provide, undefined, binding.asks.length === 0 ? undefined : []);
}

async function finishSingleton(binding: Binding, made: PromiseLike<unknown>): Promise<unknown> {
  try {
    return keepSingleton(binding, await made);
  } finally {
    binding.pending = undefined;
  }
}

function keepSingleton(binding: Binding, value: unknown): unknown {
  binding.value = value;
  binding.isReady = true;
  binding.home.lifetimes.keep(value);
  return value;
}

/**
 * Creates the singletons whose class is not known in advance.
 *
 * @param home The place where they are registered.
 * @param token The class that one of them may be an instance of.
 * @returns A promise only if any of them is asynchronous.
 */
function decide(home: Home, token: unknown): Promise<void> | undefined {
  for (const binding of home.undecided(token)) {
    if (binding.isRunning || binding.isReady) continue;
    const made = createSingleton(binding);
    if (isThenable(made)) return made.then(() => decide(home, token));
  }
  return undefined;
}

function listOf(ctx: Context | undefined): unknown[] {
  return ctx === undefined ? [] : [ctx];
}

function isParallel(step: Step | undefined): boolean {
  return step?.binding?.isParallel === true;
}

function ignore(): void {}
