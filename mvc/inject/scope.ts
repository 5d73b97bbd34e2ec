/**
 * Creates dependencies. Those of a unit of work are created in the order of a plan, and singletons are created once.
 *
 * {@linkcode Scope.prepare} walks a plan synchronously. If a value is a promise, an asynchronous function finishes the
 * rest of the plan. Then the constructor or method runs, and `Inject` looks up its dependencies.
 *
 * @module
 */

import { runShared } from "../../src/base/async/async_context.ts";
import { isThenable } from "../../src/base/async/thenable.ts";
import { InputToken, isKey } from "../reflect/token.ts";
import type { Asker, Binding, Step } from "./binding.ts";
import { enter, stopped } from "./inject.ts";
import { OwnedValues } from "./lifetimes.ts";
import { assurePlan } from "./plan.ts";
import {
  captiveOf,
  circularAt,
  contextFor,
  fail,
  fill,
  findLate,
  ignore,
  lateError,
  readLate,
  type Run,
  type Runner,
} from "./runner.ts";
import type { Work } from "./work.ts";

/** Replaces a value that is pending, has failed, is `undefined`, or is being created. */
class Slot {
  readonly state: "running" | "pending" | "failed" | "nothing";
  /** The promise or the error. */
  readonly content: unknown;

  constructor(state: Slot["state"], content?: unknown) {
    this.state = state;
    this.content = content;
  }
}

/** Marks a value that is being created. If it is injected, the dependency is circular. */
const running = new Slot("running");
const nothing = new Slot("nothing");

/** The values of a scope in which none has been created. It is never written to. */
const noValues: unknown[] = [];

/** Continues when dependencies have been created. */
type Next<A> = (argument: A) => Promise<void> | undefined;

/**
 * The values of one unit of work, and the function that is running for it. Each value is created once. A scope without
 * a unit of work creates one singleton.
 */
// A single object is used for all functions, whose calls can be nested. With ten providers, separate objects would take
// 80 ns per request. A subclass would take 60 ns.
export class Scope implements Runner {
  // Declared rather than defined, as in `Exchange`.
  declare readonly work: Work | undefined;
  /**
   * Whether a dependency has stopped the work. If so, no further dependencies are created, and the method is not
   * called.
   */
  isHalted = false;
  asker: Asker | undefined = undefined;
  /** The number of dependencies injected so far. Usually, the next known dependency is injected next. */
  #cursor = 0;
  /** The error for an asynchronous dependency. It is stored because the program may have caught it. */
  #refusal: Error | undefined = undefined;
  /** The values or their slots, by index of the dependency. */
  #values: unknown[] = noValues;
  #owned: OwnedValues | undefined = undefined;
  #hasFailed = false;
  #toleratesStop = false;

  constructor(work?: Work) {
    this.work = work;
  }

  /** Starts a call and clears an earlier stop. */
  open(): void {
    this.isHalted = this.#toleratesStop = false;
  }

  /** Allows `HandleError` and `EndRequest` to create dependencies after the work was stopped. */
  close(): void {
    this.isHalted = false;
    this.#toleratesStop = true;
  }

  /**
   * Runs a constructor, method or provider whose dependencies have been created.
   *
   * @param asker The constructor, method or provider.
   * @param fn The function.
   * @param self The `this` of the function.
   * @param args An array of arguments, to which the dependencies are added, or a single argument.
   */
  run(asker: Asker, fn: Run, self: unknown, args: unknown): unknown {
    const outer = enter(this);
    const outerAsker = this.asker;
    const outerCursor = this.#cursor;
    const outerRefusal = this.#refusal;
    try {
      return this.#runNext(asker, fn, self, args);
    } finally {
      enter(outer);
      this.asker = outerAsker;
      this.#cursor = outerCursor;
      this.#refusal = outerRefusal;
    }
  }

  /**
   * Runs a function like {@linkcode Scope.run}, but without activating this injector and restoring the previous
   * function. The caller does that once for a whole plan, which saves 10 ns per provider.
   */
  #runNext(asker: Asker, fn: Run, self: unknown, args: unknown): unknown {
    this.asker = asker;
    this.#cursor = 0;
    this.#refusal = undefined;
    // Passing an array takes twice as long as passing a single argument, and most functions take only one.
    const result = Array.isArray(args) ? fn.apply(self, fill(this, asker.asks, args)) : fn.call(self, args);
    return this.#refusal === undefined ? result : fail(this.#refusal, result);
  }

  resolve(token: unknown, isOptional: boolean): unknown {
    if (this.isHalted) throw stopped;
    const { asks, home } = this.asker as Asker;
    const next = asks[this.#cursor++];
    const known = next !== undefined && next.token === token ? next.binding : undefined;
    const binding = known ?? home.lookup(token) ?? findLate(this, token, isOptional);
    if (binding === undefined) return token instanceof InputToken ? readLate(this, token) : undefined;
    if (binding.isReady && !binding.isAsync) return binding.value;
    if (binding.lifetime !== "transient") return this.take(binding);
    const value = binding.provide(contextFor(this, binding));
    if (value === undefined && !isOptional && isKey(token)) throw home.missing(token);
    return value;
  }

  refuse(what: unknown): never {
    throw this.#refusal = lateError(this, what);
  }

  /**
   * Creates the known dependencies of a constructor, method or provider. A failure is stored and thrown when the
   * dependency is injected.
   *
   * @param asker The constructor, method or provider.
   * @param next Continues when the dependencies have been created, in the same promise. It is not called if one of them
   * stops the work. Without it, `stopped` is thrown then.
   * @param argument The argument of `next`.
   * @returns A promise only if any dependency is asynchronous.
   */
  prepare<A>({ plan }: Asker, next?: Next<A>, argument?: A): Promise<void> | undefined {
    // A separate function, so that the call is inlined for the many functions that have nothing to create.
    return plan.length === 0 ? next?.(argument as A) : this.#prepareAll(plan, 0, next, argument);
  }

  #prepareAll<A>(plan: readonly Step[], from: number, next?: Next<A>, argument?: A): Promise<void> | undefined {
    const outer = enter(this);
    try {
      for (let i = from; i < plan.length; i = this.#next(plan, i)) {
        const pending = this.#begin((plan[i] as Step).binding);
        if (pending !== undefined) return this.#prepareLater(plan, i, pending, next, argument);
        if (this.isHalted) return halt(next);
      }
    } finally {
      enter(outer);
    }
    return next?.(argument as A);
  }

  /** Finishes a plan, starting with the step whose value is a promise. */
  // An asynchronous function would allocate 230 bytes more per request, because it stores all its variables.
  #prepareLater<A>(plan: readonly Step[], i: number, pending: Slot, next?: Next<A>, argument?: A): Promise<void> {
    const { binding } = plan[i] as Step;
    for (let j = i + 1; binding.isParallel && plan[j]?.binding.isParallel; j++) {
      const other = (plan[j] as Step).binding;
      this.#keepFor(this.#settle(other, this.#begin(other)));
    }
    return Promise.resolve(pending.content).then(
      (value) => {
        this.#arrive(binding, pending, value);
        return this.#prepareRest(plan, i, next, argument);
      },
      (thrown) => {
        this.#fail(binding, thrown);
        return this.#prepareRest(plan, i, next, argument);
      },
    );
  }

  #prepareRest<A>(plan: readonly Step[], i: number, next?: Next<A>, argument?: A): Promise<void> | undefined {
    return this.isHalted ? halt(next) : this.#prepareAll(plan, this.#next(plan, i), next, argument);
  }

  /**
   * Returns the index of the next step. After a failure, this is the first step that needs the value, because it may
   * handle the failure.
   */
  #next(plan: readonly Step[], i: number): number {
    if (!this.#hasFailed) return i + 1;
    const { binding, failsTo } = plan[i] as Step;
    const value = this.#values[binding.place];
    return value instanceof Slot && value.state === "failed" ? failsTo : i + 1;
  }

  /** Starts to create a value. Returns its slot if it is pending. */
  #begin(binding: Binding): Slot | undefined {
    const value = this.#values[binding.place];
    if (value === undefined) return binding.isRunning ? undefined : this.#create(binding);
    return value instanceof Slot && value.state === "pending" ? value : undefined;
  }

  #create(binding: Binding): Slot | undefined {
    // An array that grows on its own reserves space for sixteen more values.
    if (this.#values === noValues) this.#values = new Array(binding.place + 1);
    this.#values[binding.place] = running;
    let made: unknown;
    try {
      made = binding.lifetime === "singleton" ? createSingleton(binding) : this.#provide(binding);
    } catch (thrown) {
      return void this.#fail(binding, thrown);
    }
    this.#checkStop();
    if (!isThenable(made)) return void this.#keep(binding, made);
    binding.isAsync = true;
    // This must be done now, because the work may have ended when the value arrives.
    if (binding.isOwned) this.#ownedValues();
    const pending = new Slot("pending", made);
    this.#values[binding.place] = pending;
    return pending;
  }

  #provide(binding: Binding): unknown {
    const first = binding.isInput ? this.work : binding.takesContext ? contextFor(this, binding) : undefined;
    const args = binding.asks.length === 0 ? first : first === undefined ? [] : [first];
    return this.#runNext(binding, binding.provide, undefined, args);
  }

  /** Waits for a value if nothing else is waiting for it yet. */
  #settle(binding: Binding, pending: Slot | undefined): Promise<void> {
    if (pending === undefined) return Promise.resolve();
    return Promise.resolve(pending.content).then(
      (value) => this.#arrive(binding, pending, value),
      (thrown) => this.#fail(binding, thrown),
    );
  }

  /** Keeps the owned values until a dependency is created that nothing may wait for anymore. */
  #keepFor(creation: Promise<void>): void {
    this.#owned?.keepFor(creation);
  }

  #arrive(binding: Binding, pending: Slot, value: unknown): void {
    try {
      // Another call may also have waited for the value.
      if (this.#values[binding.place] === pending) this.#keep(binding, value);
      this.#checkStop();
    } catch (thrown) {
      this.#fail(binding, thrown);
    }
  }

  #keep(binding: Binding, value: unknown): void {
    this.#values[binding.place] = value === undefined ? nothing : value;
    if (binding.isOwned) this.#ownedValues().add(value);
  }

  #fail(binding: Binding, thrown: unknown): void {
    this.#values[binding.place] = new Slot("failed", thrown);
    this.#hasFailed = true;
    this.#checkStop();
  }

  #checkStop(): void {
    if (!this.#toleratesStop && this.work !== undefined && this.work.isStopped) this.isHalted = true;
  }

  #ownedValues(): OwnedValues {
    return this.#owned ??= new OwnedValues(this.work as Work);
  }

  take(binding: Binding, asked: unknown = binding): unknown {
    const value = this.#values[binding.place];
    if (value === undefined) return this.#createNow(binding, asked);
    if (!(value instanceof Slot)) return value;
    if (value.state === "running") throw circularAt(this, binding);
    if (value.state === "failed") throw value.content;
    return value.state === "pending" ? this.refuse(asked) : undefined;
  }

  /** Creates a synchronous value that is not part of a plan. */
  #createNow(binding: Binding, asked: unknown): unknown {
    if (binding.isRunning) throw circularAt(this, binding);
    if (binding.lifetime === "singleton") {
      const made = binding.isAsync ? undefined : createSingleton(binding);
      return binding.isAsync ? this.refuse(asked) : made;
    }
    if (this.work === undefined) throw captiveOf(this, binding);
    assurePlan(binding);
    // A method that has stopped the work may still inject dependencies, for example to log it.
    const toleratesStop = this.#toleratesStop;
    this.#toleratesStop ||= this.work.isStopped;
    try {
      const isLate = this.run(binding, () => this.#createAll(binding), undefined, undefined);
      if (this.isHalted) throw stopped;
      return isLate ? this.refuse(asked) : this.take(binding);
    } finally {
      this.#toleratesStop = toleratesStop;
    }
  }

  /** Creates a value and its dependencies. Reports whether any of them is asynchronous. */
  #createAll(binding: Binding): boolean {
    const waiting = this.prepare(binding);
    waiting?.catch(ignore);
    const pending = waiting === undefined ? this.#create(binding) : undefined;
    this.#keepFor(this.#settle(binding, pending));
    return waiting !== undefined || pending !== undefined;
  }
}

/**
 * Creates the value shared by all requests, unless it already exists.
 *
 * @param binding The singleton.
 * @returns The value, or a promise for it. After a failure, the next call tries again.
 */
export function createSingleton(binding: Binding): unknown {
  if (binding.isReady) return binding.value;
  if (binding.pending !== undefined) return binding.pending;
  assurePlan(binding);
  const keep = binding.home.lifetimes.begin(binding);
  // A synchronous singleton is usually created at start-up. An asynchronous one may be created by the first request
  // that needs it, and its timers and connections must not keep the asynchronous context of that request.
  const made = binding.isAsync ? runShared(() => provideSingleton(binding)) : provideSingleton(binding);
  if (!isThenable(made)) return keep(made);
  binding.isAsync = true;
  const pending = binding.pending = Promise.resolve(made).then(keep);
  const forget = () => {
    if (binding.pending === pending) binding.pending = undefined;
  };
  // Waiting callers receive the failure. If there are none, it must not end the process.
  pending.then(forget, forget);
  return pending;
}

function provideSingleton(binding: Binding): unknown {
  const { tried } = binding;
  binding.tried = undefined;
  if (tried !== undefined) return tried;
  const scope = new Scope();
  const provide = () => scope.run(binding, binding.provide, undefined, binding.asks.length === 0 ? undefined : []);
  binding.isRunning = true;
  try {
    return scope.prepare(binding)?.then(provide) ?? provide();
  } finally {
    binding.isRunning = false;
  }
}

function halt(next: unknown): undefined {
  if (next === undefined) throw stopped;
}
