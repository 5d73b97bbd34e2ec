/**
 * Creates dependencies: those of one unit of work in the order of a plan, and singletons once for all.
 *
 * {@linkcode Scope.prepare} walks a plan synchronously. From the first value that is a promise, one asynchronous
 * function finishes the same plan. Then the constructor or method runs, and `Inject` looks its dependencies up.
 *
 * @module
 */

import { isThenable } from "../../src/base/thenable.ts";
import type { Context } from "../../src/context/context.ts";
import type { Asker, Binding, Home, Step } from "./binding.ts";
import { stopped } from "./inject.ts";
import type { InputToken } from "./input_token.ts";
import { OwnedValues } from "./lifetimes.ts";

import { assurePlan } from "./plan.ts";
import { type Run, Runner, type Values } from "./runner.ts";
import type { Work } from "./work.ts";

/** A value that is awaited, has failed, or is `undefined`. */
class Slot {
  /** The dependency; `undefined` while it is not known which singleton is an instance of a class. */
  readonly binding: Binding | undefined;
  state: "pending" | "ready" | "failed" = "pending";
  promise: PromiseLike<unknown> | undefined = undefined;
  /** The value, or the error. */
  value: unknown = undefined;

  constructor(binding?: Binding) {
    this.binding = binding;
  }

  /** Notes that the value comes as a promise. */
  await(promise: PromiseLike<unknown>): this {
    this.promise = promise;
    return this;
  }

  /** Notes the value, or the error. */
  settle(state: "ready" | "failed", value: unknown): void {
    this.state = state;
    this.value = value;
  }
}

/** In the place of a value while it is being created: if it is injected then, it needs itself. */
const running: unique symbol = Symbol("running");

/** The values of one unit of work, each created once. A scope without work creates one singleton. */
export class Scope implements Values {
  readonly work: Work | undefined;
  /** By the place of the dependency: its value, unless there is more to know of it. */
  readonly #values: unknown[] = [];
  #slots: (Slot | undefined)[] | undefined = undefined;
  readonly #runner: Runner = new Runner(this);
  #owned: OwnedValues | undefined = undefined;
  /** The failures of classes that no singleton is known to be of. */
  #undecided: Map<unknown, Slot> | undefined = undefined;
  #toleratesStop = false;
  /** True once a dependency has stopped the work: no later one is created, and the method is not called. */
  isHalted = false;

  constructor(work?: Work) {
    this.work = work;
  }

  /** Begins a call: what stopped the work before has had its effect. */
  open(): void {
    this.isHalted = this.#toleratesStop = false;
  }

  /** Creates dependencies from now on although the work was stopped: for `HandleError` and `EndRequest`. */
  close(): void {
    this.isHalted = false;
    this.#toleratesStop = true;
  }

  /**
   * Creates the dependencies that a constructor, method or provider is known to need. A failure is kept, and thrown
   * where the dependency is injected.
   *
   * @param asker The constructor, method or provider.
   * @returns A promise only if one of them takes time. Throws `stopped` if one of them stops the work.
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

  /** The step after another one. After a failure that is the first that needs the value: it may be prepared for it. */
  #next(plan: readonly Step[], i: number): number {
    if (this.#slots === undefined && this.#undecided === undefined) return i + 1;
    const { binding, token, failsTo } = plan[i] as Step;
    const slot = binding === undefined ? this.#undecided?.get(token) : this.#slots?.[binding.place];
    return slot?.state === "failed" ? failsTo : i + 1;
  }

  /** Begins to create a value. Returns its slot if it takes time. */
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
    // From here on, since the work may be over when the value comes.
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

  /** Creates the singletons one of which may be of the class that is injected. */
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
   * Runs a constructor, method or provider whose dependencies are prepared.
   *
   * @param asker The constructor, method or provider.
   * @param fn Its function.
   * @param self The `this` of the function.
   * @param args The arguments, of which those that are dependencies are added; or a single argument.
   */
  run(asker: Asker, fn: Run, self: unknown, args: unknown): unknown {
    return this.#runner.run(asker, fn, self, args);
  }

  /** Returns the value of a dependency to what runs, and creates it now if no plan lists it and that takes no time. */
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
    // A method that has stopped the work itself may still inject what it needs to log that.
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
 * Creates the value that all requests share, unless it is there.
 *
 * @param binding The singleton.
 * @returns The value, or a promise of it. After a failure the next call tries anew.
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
    // Those who wait see the failure. If no one does, it must not end the process.
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
 * Creates the singletons whose class is not known before they are created.
 *
 * @param home Where they are registered.
 * @param token The class that one of them may be of.
 * @returns A promise only if one of them takes time.
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
