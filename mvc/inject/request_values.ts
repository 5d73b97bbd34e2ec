/**
 * The values of one request: each is created once, by what is registered for it.
 *
 * @module
 */

import { isThenable } from "../../src/base/thenable.ts";
import type { Context } from "../../src/context/context.ts";
import type { Exchange } from "../../src/context/exchange.ts";
import { type Asker, type Binding, Slot } from "./binding.ts";
import { assertNoCircle, Circle } from "./circle.ts";
import { enter, type Injector, stopped, suspended } from "./inject.ts";
import { RequestClosables } from "./lifetimes.ts";
import { learnNeeds } from "./probe.ts";
import { obtainShared } from "./shared_values.ts";
import { assertSuspended } from "./waiting.ts";

/** In the place of a value while it is being created: asking for it then is asking in a circle. */
const running: unique symbol = Symbol("running");

const none: unknown[] = [];

/** What few requests need: apart, since every field costs each of them. */
class Rare {
  /** True when a stopped request has dependencies too. */
  isClosing = false;
  /** What all requests share and could not be created for this one. */
  readonly failures = new Map<unknown, { readonly thrown: unknown }>();
  closables: RequestClosables | undefined = undefined;
  /** What runs around the run that is visited. */
  readonly outer: { asker: Asker; patience: number; suspendedFor: Slot | undefined; cursor: number }[] = [];
}

/** In which order what runs is given what it asks for; the file above knows, by means of the values. */
export interface Order {
  /** Finds the value for a token, or for what is known to be registered for it. */
  resolve(values: RequestValues, token: unknown, known: Binding | undefined): unknown;
  /** The value of a slot, for what asks by itself; or throws what is to be thrown there. */
  take(values: RequestValues, slot: Slot): unknown;
  /** Gathers what a dependency is known to ask for, while this is in force; returns what has to be waited for. */
  gather(values: RequestValues, binding: Binding, args: unknown[]): Slot | undefined;
}

/** The values of one request, and what runs in it and asks. */
// Without a superclass: to create an heir takes twice the time.
export class RequestValues implements Injector {
  readonly #exchange: Exchange<Context>;
  readonly #order: Order;
  /** By place: a value, its slot if there is more to know of it, or the mark of one that is being created. */
  #values: unknown[] = none;
  #rare: Rare | undefined = undefined;
  /** What runs. */
  asker: Asker | undefined = undefined;
  /** How many times what runs may still ask in its default values; the rest is its body. */
  patience = 0;
  /** How much of what is known to be asked for was asked for: mostly the next in the list is asked for next. */
  cursor = 0;
  /** What that has to wait for. Kept here and not in what is thrown, which the program may catch. */
  suspendedFor: Slot | undefined = undefined;
  /** What the last run had to wait for, also if it caught what was thrown. */
  waitsFor: Slot | undefined = undefined;
  /** How many arguments of the next run are gathered but undefined, so that their default values ask again. */
  undefinedArguments = 0;
  /** True when a dependency has stopped the request. */
  isHalted = false;
  /** What was created last, for a method to be called on. */
  instance: object | undefined = undefined;
  /** The arguments of a call that has to wait, as far as they are gathered. */
  args: unknown[] | undefined = undefined;
  /** Where gathering was interrupted. */
  gathered = 0;

  constructor(exchange: Exchange<Context>, order: Order) {
    this.#exchange = exchange;
    this.#order = order;
  }

  get ctx(): Context {
    return this.#exchange.context;
  }

  resolve(token: unknown): unknown {
    this.patience--;
    const next = this.asker?.needs.ahead[this.cursor++];
    // Most of what is asked for is the next that is known to be, and created by a function that needs only the Context.
    const binding = next !== undefined && next.token === token ? next.binding : undefined;
    if (binding === undefined || !binding.isPlain || this.isHalted || this.suspendedFor !== undefined) {
      return this.#order.resolve(this, token, binding);
    }
    const known = this.#values[binding.place];
    const got = known === undefined ? this.#createPlain(binding) : known;
    if (got === running) throw new Circle(binding);
    return got instanceof Slot ? this.#order.take(this, got) : got;
  }

  /** Gathers what a dependency is known to ask for, while this is in force; returns what has to be waited for. */
  gather(binding: Binding, args: unknown[]): Slot | undefined {
    return this.#order.gather(this, binding, args);
  }

  /** Begins to serve once more: what stopped the request before, if anything, has had its effect. */
  open(): void {
    this.isHalted = false;
    if (this.#rare !== undefined) this.#rare.isClosing = false;
  }

  /** From now on a stopped request has dependencies too: for `EndRequest` and for the handlers of errors. */
  close(): void {
    this.#rareOnes().isClosing = true;
  }

  /** True when the request is stopped, by a dependency or by what runs itself. */
  get isStopped(): boolean {
    return this.#exchange.chain.stopped;
  }

  /** Refuses to go on when a dependency has stopped the request. */
  assertNotStopped(): void {
    if (this.isHalted && this.#rare?.isClosing !== true) throw stopped;
  }

  /**
   * Runs something that may ask for dependencies.
   *
   * @param asker Who asks.
   * @param act What runs; it is called with the asker and the two values.
   * @returns What it returns; what it has to wait for is in {@linkcode waitsFor}.
   */
  run<A extends Asker, T, U>(asker: A, act: (asker: A, first: T, second: U) => unknown, first: T, second: U): unknown {
    const outerAsker = this.asker;
    const outerPatience = this.patience;
    const outerSuspendedFor = this.suspendedFor;
    const outerCursor = this.cursor;
    const { patience } = asker.needs;
    this.asker = asker;
    this.cursor = 0;
    this.patience = patience === 0 ? 0 : patience + this.undefinedArguments;
    this.suspendedFor = undefined;
    const outer = enter(this);
    try {
      return act(asker, first, second);
    } finally {
      enter(outer);
      this.waitsFor = this.suspendedFor;
      this.asker = outerAsker;
      this.patience = outerPatience;
      this.suspendedFor = outerSuspendedFor;
      this.cursor = outerCursor;
    }
  }

  /** Begins a run that another one begins and ends, with {@linkcode leave}. */
  visit(asker: Asker | undefined, cursor: number): void {
    const { patience, suspendedFor } = this;
    if (this.asker !== undefined) {
      this.#rareOnes().outer.push({ asker: this.asker, patience, suspendedFor, cursor: this.cursor });
    }
    this.asker = asker;
    this.cursor = cursor;
    this.patience = 0;
    this.suspendedFor = undefined;
  }

  /** Ends such a run. */
  leave(): void {
    const outer = this.#rare?.outer.pop();
    this.asker = outer?.asker;
    this.patience = outer?.patience ?? 0;
    this.suspendedFor = outer?.suspendedFor;
    this.cursor = outer?.cursor ?? 0;
  }

  /** The value of a dependency, or its slot where there is more to know of it. This is in force. */
  obtain(binding: Binding): unknown {
    if (this.isHalted) this.assertNotStopped();
    if (!binding.isPerRequest) return binding.isReady ? binding.value : this.#obtainShared(binding);
    if (binding.isTransient) return binding.provide(this.ctx);
    const known = this.#values[binding.place];
    if (known === undefined) return binding.isPlain ? this.#createPlain(binding) : this.#create(binding);
    return this.#known(binding, known);
  }

  #known(binding: Binding, known: unknown): unknown {
    if (known === running) throw new Circle(binding);
    if (known instanceof Slot && known.state === "pending") assertNoCircle(known);
    return known;
  }

  /** Keeps a value that has come. */
  arrive(slot: Slot, value: unknown): void {
    if (slot.state === "pending" && slot.owner.isPerRequest) {
      slot.fulfil(value);
      if (slot.owner.isScoped) this.#toClose().add(value);
    }
    this.#checkStop();
  }

  /** Keeps the reason why a value will not come. */
  fail(slot: Slot, thrown: unknown): void {
    if (!slot.owner.isPerRequest) this.#rareOnes().failures.set(slot.owner, { thrown });
    else if (slot.state === "pending") slot.fail(thrown);
    this.#checkStop();
  }

  /** Waits for a value, however that ends. */
  async settle(slot: Slot): Promise<void> {
    try {
      this.arrive(slot, await slot.promise);
    } catch (thrown) {
      this.fail(slot, thrown);
    }
  }

  /** Refuses what all requests share and could not be created for this one. */
  assertNotFailed(owner: Binding): void {
    const failure = this.#rare?.failures.get(owner);
    if (failure !== undefined) throw failure.thrown;
  }

  #obtainShared(binding: Binding): unknown {
    this.assertNotFailed(binding);
    return obtainShared(binding);
  }

  /**
   * Creates a value by a function that needs only the Context, as most do: what {@linkcode #create} does, without what
   * cannot happen (tests/bench/inject.ts: 60 ns instead of 130).
   */
  #createPlain(binding: Binding): unknown {
    this.#reserve(binding);
    const { chain, context } = this.#exchange;
    const { asker, patience, cursor } = this;
    const wasStopped = chain.stopped;
    this.asker = binding;
    this.patience = 0;
    this.cursor = 0;
    let made: unknown;
    try {
      made = binding.provide(context);
    } catch (thrown) {
      throw this.#keepFailure(binding, thrown);
    } finally {
      this.asker = asker;
      this.patience = patience;
      this.cursor = cursor;
    }
    if (!wasStopped && chain.stopped) this.#checkStop();
    if (isThenable(made)) return this.#wait(binding, made);
    if (made === undefined || this.isHalted) return this.#keep(binding, made);
    return this.#values[binding.place] = made;
  }

  /** Creates a value; what is returned is that, or its slot if it takes time. */
  #create(binding: Binding): unknown {
    if (!binding.isChecked) learnNeeds(binding);
    this.#reserve(binding);
    const wasStopped = this.#exchange.chain.stopped;
    let made: unknown;
    try {
      made = this.run(binding, provide, this, undefined);
    } catch (thrown) {
      if (!this.#isSuspended(binding, thrown)) throw this.#keepFailure(binding, thrown);
    }
    const { waitsFor } = this;
    this.waitsFor = undefined;
    if (!wasStopped) this.#checkStop();
    if (waitsFor !== undefined) return this.#wait(binding, made, waitsFor);
    return isThenable(made) ? this.#wait(binding, made) : this.#keep(binding, made);
  }

  /** Of a function, only its own suspension repeats it: what else it throws, a body may have thrown. */
  #isSuspended(binding: Binding, thrown: unknown): boolean {
    if (this.waitsFor !== undefined && (thrown === suspended || binding.isRepeatable)) return true;
    this.waitsFor = undefined;
    return false;
  }

  #reserve(binding: Binding): void {
    if (this.#values === none) this.#values = new Array(binding.home.lifetimes.places);
    this.#values[binding.place] = running;
  }

  #keep(binding: Binding, value: unknown): unknown {
    this.#values[binding.place] = value === undefined ? nothing(binding) : value;
    if (binding.isScoped) this.#toClose().add(value);
    if (this.isHalted) this.assertNotStopped();
    return value;
  }

  /** Keeps the failure of a function: it is not called again in this request. */
  #keepFailure(binding: Binding, thrown: unknown): unknown {
    if (thrown instanceof Circle) thrown.pass(binding);
    const slot = new Slot(binding);
    slot.fail(thrown);
    this.#values[binding.place] = slot;
    return thrown;
  }

  /** Keeps a value that takes time. */
  #wait(binding: Binding, made: unknown, waitsFor?: Slot): Slot {
    const slot = new Slot(binding);
    slot.isLate = true;
    binding.isAsync = true;
    if (binding.isScoped) this.#toClose();
    this.#values[binding.place] = slot;
    slot.promise = waitsFor === undefined ? made as Promise<unknown> : this.#repeat(slot, made, waitsFor);
    return slot;
  }

  /** Waits for what the first attempt asked for and tries again, until nothing has to be waited for. */
  async #repeat(slot: Slot, first: unknown, firstWaitsFor: Slot): Promise<unknown> {
    const binding = slot.owner;
    let made = first;
    for (let waitsFor: Slot | undefined = firstWaitsFor; waitsFor !== undefined;) {
      slot.waitsFor = waitsFor;
      if (made !== undefined) await assertSuspended(binding, waitsFor, made);
      await this.settle(waitsFor);
      slot.waitsFor = undefined;
      this.assertNotStopped();
      made = undefined;
      slot.isRunning = true;
      try {
        made = this.run(binding, provide, this, undefined);
      } catch (thrown) {
        if (thrown instanceof Circle) thrown.pass(binding);
        if (!this.#isSuspended(binding, thrown)) throw thrown;
      } finally {
        slot.isRunning = false;
      }
      waitsFor = this.waitsFor;
      this.waitsFor = undefined;
    }
    return await made;
  }

  #checkStop(): void {
    if (this.#exchange.chain.stopped && this.#rare?.isClosing !== true) this.isHalted = true;
  }

  #toClose(): RequestClosables {
    return this.#rareOnes().closables ??= new RequestClosables(this.ctx);
  }

  #rareOnes(): Rare {
    return this.#rare ??= new Rare();
  }
}

/** Creates the value of a dependency, which is what runs. */
function provide(binding: Binding, values: RequestValues): unknown {
  if (binding.needs.ahead.length === 0) {
    return binding.takesContext ? binding.provide(values.ctx) : binding.provide();
  }
  const args: unknown[] = binding.takesContext ? [values.ctx] : [];
  values.suspendedFor = gatherFor(values, binding, args);
  return values.suspendedFor === undefined ? binding.provide(...args) : undefined;
}

/** A constructor meets a failure where it asks: it may be prepared for it. */
function gatherFor(values: RequestValues, binding: Binding, args: unknown[]): Slot | undefined {
  try {
    return values.gather(binding, args);
  } catch (thrown) {
    if (!binding.isRepeatable || thrown === stopped) throw thrown;
    return undefined;
  }
}

/** The slot of a value that is there, and is undefined. */
function nothing(binding: Binding): Slot {
  const slot = new Slot(binding);
  slot.fulfil(undefined);
  return slot;
}
