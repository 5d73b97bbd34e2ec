/**
 * The dependencies of one request: each value is created once, in the order in which they are asked for.
 *
 * @module
 */

import { isThenable } from "../../src/base/thenable.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { afterResponse } from "../../src/context/end_tasks.ts";
import type { Exchange } from "../../src/context/exchange.ts";
import type { Asker, Binding, Need } from "./binding.ts";
import { enter, type Injector, stopped, suspended } from "./injector.ts";
import { checkNow, InputToken } from "./input_token.ts";
import { type Closable, disposeAll, isClosable } from "./lifetimes.ts";
import { learnNeeds } from "./learn.ts";
import { decide, obtainShared } from "./shared.ts";
import { Slot, type SlotOwner } from "./slot.ts";
import { assertNoCircle, assertSuspended, circle, inBody, isExpected, isExpectedInput } from "./waiting.ts";

/** In the place of a value while it is being created: asking for it then is asking in a circle. */
const running: unique symbol = Symbol("running");

/** What a request is asked for dependencies by; the same for all controllers and functions that serve it. */
export function injectorOf(ctx: Context): RequestInjector {
  const exchange = exchangeOf(ctx);
  return (exchange.injector ??= new RequestInjector(ctx, exchange)) as RequestInjector;
}

/** Creates the value of a dependency that runs. */
let provide: (binding: Binding, injector: RequestInjector) => unknown;

/** The values of one request, and what runs in it. */
export class RequestInjector implements Injector {
  readonly ctx: Context;
  readonly #exchange: Exchange<Context>;
  /** By place: a value, its slot if there is more to know of it, or the mark of one that is being created. */
  readonly #values: unknown[] = [];
  /** What runs. */
  #asker: Asker | undefined = undefined;
  /** How many times what runs may still ask in its default values; the rest is its body. */
  #patience = 0;
  /** How many arguments of the next run are gathered but undefined, so that their default values ask again. */
  #undefinedArguments = 0;
  /** What that has to wait for. Kept here and not in what is thrown, which the program may catch. */
  #waitsFor: Slot | undefined = undefined;
  #isHalted = false;
  #isClosing = false;
  #isOver = false;
  /** The dependencies that are being created, one for the other. */
  #creating: Binding[] | undefined = undefined;
  /** What all requests share and could not be created for this one. */
  #failures: Map<unknown, { readonly thrown: unknown }> | undefined = undefined;
  #closables: Closable[] | undefined = undefined;

  constructor(ctx: Context, exchange: Exchange<Context>) {
    this.ctx = ctx;
    this.#exchange = exchange;
  }

  /** True when a dependency has stopped the request. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  /** Begins to serve: what stopped the request before, if anything, has had its effect. */
  open(): void {
    this.#isHalted = false;
    this.#isClosing = false;
  }

  /** From now on a stopped request has dependencies too: for `EndRequest` and for the handlers of errors. */
  close(): void {
    this.#isClosing = true;
  }

  /** Refuses to go on when a dependency has stopped the request. */
  assertNotStopped(): void {
    if (this.#isHalted && !this.#isClosing) throw stopped;
  }

  resolve(token: unknown): unknown {
    this.#patience--;
    const binding = this.#asker?.home.lookup(token);
    if (binding === undefined) return this.#resolveUndecided(token);
    if (binding.isReady && !binding.isAsync && !this.#isHalted) return binding.value;
    // What goes on although it was suspended gets nothing more: the order of dependencies holds.
    if (this.#waitsFor !== undefined) throw suspended;
    if (token instanceof InputToken && binding.token !== token) return checkNow(token, this.#rawInput(binding));
    const got = this.#obtain(binding);
    if (got instanceof Slot) return this.#take(got);
    if (binding.isReady && binding.isAsync) this.#checkBody(binding);
    return got;
  }

  /**
   * Runs something that may ask for dependencies.
   *
   * @param asker Who asks.
   * @param act What runs; it is called with the asker and the two values.
   * @returns What it returns; what it has to wait for is in {@linkcode waitsFor}.
   */
  run<A extends Asker, T, U>(asker: A, act: (asker: A, first: T, second: U) => unknown, first: T, second: U): unknown {
    const outerAsker = this.#asker;
    const outerPatience = this.#patience;
    const outerWaitsFor = this.#waitsFor;
    this.#asker = asker;
    const { patience } = asker.needs;
    this.#patience = patience === 0 ? 0 : patience + this.#undefinedArguments;
    this.#undefinedArguments = 0;
    this.#waitsFor = undefined;
    const outer = enter(this);
    try {
      return act(asker, first, second);
    } finally {
      enter(outer);
      this.waitsFor = this.#waitsFor;
      this.#asker = outerAsker;
      this.#patience = outerPatience;
      this.#waitsFor = outerWaitsFor;
    }
  }

  /** What the last run asked for and has to wait for, also if it caught what was thrown. */
  waitsFor: Slot | undefined = undefined;

  /**
   * Gathers what is known to be asked for, in order.
   *
   * @param asker Who asks.
   * @param args Receives what is an argument.
   * @returns What has to be waited for, if anything.
   */
  collect(asker: Asker, args: unknown[] | undefined): Slot | undefined {
    const { ahead } = asker.needs;
    let undefinedArguments = 0;
    for (let i = 0; i < ahead.length; i++) {
      const need = ahead[i] as Need;
      need.binding ??= asker.home.lookup(need.token);
      const got = need.binding === undefined ? this.#obtainUndecided(asker, need.token) : this.#obtain(need.binding);
      let value = got;
      if (got instanceof Slot) {
        if (got.state === "failed") throw got.value;
        if (got.state === "pending") {
          if (need.binding?.isParallel === true) this.#startNeighbours(ahead, i + 1);
          return got;
        }
        value = got.value;
      }
      if (args === undefined || need.argument < 0) continue;
      args[need.argument] = value;
      if (value === undefined) undefinedArguments++;
    }
    this.#undefinedArguments = undefinedArguments;
    return undefined;
  }

  /** Keeps a value that has come. */
  arrive(slot: Slot, value: unknown): void {
    if (slot.state === "pending" && slot.owner.isPerRequest) {
      slot.fulfil(value);
      if ((slot.owner as Binding).isScoped) this.#closeLater(value);
    }
    this.#checkStop();
  }

  /** Keeps the reason why a value will not come. */
  fail(slot: Slot, thrown: unknown): void {
    if (!slot.owner.isPerRequest) (this.#failures ??= new Map()).set(slot.owner, { thrown });
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

  #obtain(binding: Binding): unknown {
    this.assertNotStopped();
    if (!binding.isPerRequest) return this.#obtainShared(binding);
    if (binding.isTransient) return binding.provide(this.ctx);
    const known = this.#values[binding.place];
    if (known === undefined) return this.#create(binding);
    if (known === running) throw this.#circle(binding);
    if (known instanceof Slot && known.state === "pending") {
      assertNoCircle(known, this.#creating?.toReversed() ?? []);
    }
    return known;
  }

  #obtainShared(binding: Binding): unknown {
    const failure = this.#failures?.get(binding);
    if (failure !== undefined) throw failure.thrown;
    return obtainShared(binding);
  }

  /** A class that only a dependency still to be created can be of. */
  #obtainUndecided(asker: Asker, token: unknown): unknown {
    const binding = asker.home.lookup(token);
    if (binding !== undefined) return this.#obtain(binding);
    const slot = decide(asker.home);
    if (slot === undefined) return this.#obtain(asker.home.lookup(token) as Binding);
    const failure = this.#failures?.get(slot.owner);
    if (failure !== undefined) throw failure.thrown;
    return slot;
  }

  #resolveUndecided(token: unknown): unknown {
    if (this.#asker === undefined) throw stopped;
    const got = this.#obtainUndecided(this.#asker, token);
    return got instanceof Slot ? this.#take(got) : got;
  }

  /** The value of a slot, for what asks by itself; or what is to be thrown there. */
  #take(slot: Slot): unknown {
    if (slot.state === "failed") throw slot.value;
    if (slot.state === "ready" && !slot.isLate) return slot.value;
    this.#checkBody(slot.owner, slot);
    if (slot.state === "ready") return slot.value;
    this.#waitsFor = slot;
    throw suspended;
  }

  /** A part of the request, for a schema that was not known before: one that is written in an argument, say. */
  #rawInput(binding: Binding): unknown {
    // An argument that is known to be such an input, and is undefined, asks again with a new schema.
    if (this.#asker !== undefined && isExpectedInput(this.#asker, binding)) {
      this.#patience = Math.max(this.#patience, 0);
    }
    const got = this.#obtain(binding);
    return got instanceof Slot ? this.#take(got) : got;
  }

  /** Refuses what takes time where it is asked for in a body, which would have to run twice. */
  #checkBody(owner: SlotOwner, slot?: Slot): void {
    const asker = this.#asker;
    if (asker === undefined || asker.isRepeatable || this.#patience >= 0 || isExpected(asker, owner)) return;
    // It has begun, so it is waited for all the same: it may have to be disposed of.
    if (slot?.state === "pending") void this.settle(slot);
    throw inBody(asker, owner);
  }

  /** Creates the value of a request; what is returned is the value, or its slot if that takes time. */
  #create(binding: Binding): unknown {
    if (!binding.isChecked) learnNeeds(binding);
    this.#values[binding.place] = running;
    (this.#creating ??= []).push(binding);
    const wasStopped = this.#exchange.chain.stopped;
    let made: unknown;
    try {
      made = this.run(binding, provide, this, undefined);
    } catch (thrown) {
      // Of a function, only its own suspension repeats it: what else it throws, a body may have thrown.
      if (this.waitsFor === undefined || (thrown !== suspended && !binding.isRepeatable)) {
        this.waitsFor = undefined;
        const slot = new Slot(binding);
        slot.fail(thrown);
        this.#values[binding.place] = slot;
        throw thrown;
      }
    } finally {
      this.#creating?.pop();
    }
    const { waitsFor } = this;
    this.waitsFor = undefined;
    if (!wasStopped) this.#checkStop();
    if (waitsFor === undefined && !isThenable(made)) return this.#keep(binding, made);
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
    const binding = slot.owner as Binding;
    let made = first;
    for (let waitsFor: Slot | undefined = firstWaitsFor; waitsFor !== undefined;) {
      slot.waitsFor = waitsFor;
      if (made !== undefined) await assertSuspended(binding, waitsFor, made);
      await this.settle(waitsFor);
      slot.waitsFor = undefined;
      this.assertNotStopped();
      (this.#creating ??= []).push(binding);
      made = undefined;
      try {
        made = this.run(binding, provide, this, undefined);
      } catch (thrown) {
        if (this.waitsFor === undefined || (thrown !== suspended && !binding.isRepeatable)) throw thrown;
      } finally {
        this.#creating.pop();
      }
      waitsFor = this.waitsFor;
      this.waitsFor = undefined;
    }
    return await made;
  }

  /** Begins to create the neighbours of a dependency that need not wait for it. */
  #startNeighbours(ahead: readonly Need[], from: number): void {
    for (let i = from; ahead[i]?.binding?.isParallel === true; i++) {
      const got = this.#obtain((ahead[i] as Need).binding as Binding);
      // Waited for later, in its turn; what it rejects with by then must not count as unhandled.
      if (got instanceof Slot && got.state === "pending") void this.settle(got);
    }
  }

  #keep(binding: Binding, value: unknown): unknown {
    if (value === undefined) {
      const slot = new Slot(binding);
      slot.fulfil(value);
      this.#values[binding.place] = slot;
    } else {
      this.#values[binding.place] = value;
    }
    if (binding.isScoped) this.#closeLater(value);
    this.assertNotStopped();
    return value;
  }

  #checkStop(): void {
    if (!this.#isClosing && this.#exchange.chain.stopped) this.#isHalted = true;
  }

  /** Disposes of a value at the end of the request, or at once if that is over. */
  #closeLater(value: unknown): void {
    if (!isClosable(value)) return;
    if (this.#isOver) return void this.#dispose([value]);
    this.#toClose().push(value);
  }

  /** What is disposed of at the end of the request; asked for before that, so that the end is not missed. */
  #toClose(): Closable[] {
    if (this.#closables !== undefined) return this.#closables;
    const closables: Closable[] = this.#closables = [];
    afterResponse(this.#exchange, () => {
      this.#isOver = true;
      return this.#dispose(closables);
    });
    return closables;
  }

  #dispose(values: readonly Closable[]): Promise<void> {
    const logger = this.ctx.Application().Logger();
    return disposeAll(values, (error) => logger.Error("Cannot dispose of a dependency:", error));
  }

  #circle(binding: Binding): Error {
    const creating = this.#creating ?? [];
    return circle([...creating.slice(Math.max(0, creating.indexOf(binding))), binding]);
  }

  static {
    provide = (binding, injector) => {
      if (binding.needs.ahead.length === 0) {
        return binding.takesContext ? binding.provide(injector.ctx) : binding.provide();
      }
      const args: unknown[] = binding.takesContext ? [injector.ctx] : [];
      injector.#waitsFor = injector.#collectFor(binding, args);
      return injector.#waitsFor === undefined ? binding.provide(...args) : undefined;
    };
  }

  /** A constructor meets a failure where it asks: it may be prepared for it. */
  #collectFor(binding: Binding, args: unknown[]): Slot | undefined {
    try {
      return this.collect(binding, args);
    } catch (thrown) {
      if (!binding.isRepeatable || thrown === stopped) throw thrown;
      return undefined;
    }
  }
}
