/**
 * Resolves the dependencies of one request, in the order in which they are written.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/context/context.ts";
import { type Asker, type Binding, type Need, Slot } from "./binding.ts";
import { type Call, invoke } from "./call.ts";
import { enter, stopped, suspended } from "./inject.ts";
import { InputToken } from "./input_token.ts";
import { checkNow } from "./read_checked.ts";
import { RequestValues } from "./request_values.ts";
import { decide } from "./shared_values.ts";
import { inBody, isExpected, isExpectedInput } from "./waiting.ts";

/** Returned in place of a result where the method has not been called: it has to wait, or the request is stopped. */
export const uncalled: unique symbol = Symbol("uncalled");

/** What creates the instance that a method is called on. */
export interface Creator extends Asker {
  /** Creates the instance, where an injector is in force. */
  create(ctx: Context): object;
}

/** What goes on when everything that a call asks for is there. */
export interface Continuation {
  /** Goes on. */
  proceed(injector: RequestInjector): unknown;
  /** Goes on where something failed, or the request is stopped. */
  fail(thrown: unknown): unknown;
}

/** What a request is asked for dependencies by; the same for all controllers and functions that serve it. */
export function injectorOf(ctx: Context): RequestInjector {
  const exchange = exchangeOf(ctx);
  const known = exchange.injector as RequestInjector | undefined;
  if (known === undefined) return exchange.injector = new RequestInjector(exchange);
  known.open();
  return known;
}

/** The dependencies of one request. */
export class RequestInjector extends RequestValues {
  /** What was created last, for a method to be called on. */
  instance: object | undefined = undefined;
  /** The arguments of a call that has to wait, as far as they are gathered. */
  args: unknown[] | undefined = undefined;
  /** Where gathering was interrupted. */
  #gathered = 0;

  override resolve(token: unknown): unknown {
    this.patience--;
    const { asker } = this;
    if (asker === undefined) throw stopped;
    const next = asker.needs.ahead[this.cursor++];
    // Looking it up takes three times as long as seeing that it is the next.
    let binding = next !== undefined && next.token === token ? next.binding : undefined;
    if (binding !== undefined && binding.isPlain && this.isFree) return this.#resolvePlain(binding);
    binding ??= asker.home.lookup(token);
    if (binding === undefined) return this.#resolveUndecided(asker, token);
    if (this.isHalted) this.assertNotStopped();
    // What goes on although it was suspended gets nothing more: the order of dependencies holds.
    if (this.suspendedFor !== undefined) throw suspended;
    if (binding.isReady && !binding.isAsync) return binding.value;
    if (token instanceof InputToken && binding.token !== token) return checkNow(token, this.#rawInput(binding));
    const got = this.obtain(binding);
    if (got instanceof Slot) return this.#take(got);
    if (binding.isReady) this.#checkBody(binding);
    return got;
  }

  /** What a function of the Context creates, where nothing is in the way: most of what requests ask for. */
  #resolvePlain(binding: Binding): unknown {
    const made = this.obtainPlain(binding);
    return made instanceof Slot ? this.#take(made) : made;
  }

  /**
   * Creates an instance and calls a method on it in one go, as far as nothing has to be waited for.
   *
   * @param creator Creates the instance, which is then in {@linkcode instance}.
   * @param call The method.
   * @returns What the method returns, or {@linkcode uncalled}; if something has to be waited for, that is in
   * {@linkcode waitsFor}.
   */
  createAndCall(creator: Creator, call: Call): unknown {
    const outerAsker = this.asker;
    const outerPatience = this.patience;
    const outerSuspendedFor = this.suspendedFor;
    const outerCursor = this.cursor;
    this.asker = creator;
    this.cursor = 0;
    this.suspendedFor = undefined;
    this.instance = undefined;
    const outer = enter(this);
    try {
      const { ctx } = this;
      const instance = creator.create(ctx);
      if (this.suspendedFor !== undefined || this.isStopped) return uncalled;
      this.instance = instance;
      const { ahead, patience } = call.needs;
      if (ahead.length === 0) {
        this.asker = call;
        this.patience = patience;
        return call.callBare(instance, ctx);
      }
      const args = call.argumentsOf(ctx);
      this.suspendedFor = this.#gather(call, args, 0);
      if (this.suspendedFor !== undefined) {
        this.args = args;
        return uncalled;
      }
      this.asker = call;
      this.patience = patience === 0 ? 0 : patience + this.undefinedArguments;
      return invoke(call, instance, args);
    } finally {
      enter(outer);
      this.waitsFor = this.suspendedFor;
      this.asker = outerAsker;
      this.patience = outerPatience;
      this.suspendedFor = outerSuspendedFor;
      this.cursor = outerCursor;
    }
  }

  /**
   * Gathers what is known to be asked for, in order.
   *
   * @param asker Who asks.
   * @param args Receives what is an argument.
   * @returns What has to be waited for, if anything.
   */
  collect(asker: Asker, args?: unknown[]): Slot | undefined {
    if (asker.needs.ahead.length === 0) return undefined;
    const outer = enter(this);
    try {
      return this.#gather(asker, args, 0);
    } finally {
      enter(outer);
    }
  }

  /**
   * Goes on with gathering when what has to be waited for is there.
   *
   * @param asker Who asks.
   * @param args Receives what is an argument; it has received what was gathered before.
   * @param first What has to be waited for.
   * @param then What follows, within the same promise.
   */
  async collectLater(
    asker: Asker,
    args: unknown[] | undefined,
    first: Slot,
    then: Continuation,
  ): Promise<unknown> {
    // Of a slot that gathering returned just now, the place is known.
    let at = asker.needs.ahead[this.#gathered]?.binding === first.owner ? this.#gathered : 0;
    let slot: Slot | undefined = first;
    do {
      try {
        this.arrive(slot, await slot.promise);
      } catch (thrown) {
        this.fail(slot, thrown);
      }
      const outer = enter(this);
      try {
        if (this.isHalted) this.assertNotStopped();
        slot = this.#gather(asker, args, at + this.#accept(asker.needs.ahead[at], slot, args));
        at = this.#gathered;
      } catch (thrown) {
        // A constructor meets a failure where it asks: it may be prepared for it.
        if (!asker.isRepeatable || thrown === stopped) return then.fail(thrown);
        slot = undefined;
      } finally {
        enter(outer);
      }
    } while (slot !== undefined);
    return then.proceed(this);
  }

  /** Takes what was waited for as it came, if it is just what is asked for; returns how much that is. */
  #accept(need: Need | undefined, slot: Slot, args: unknown[] | undefined): number {
    if (slot.state !== "ready" || need === undefined || need.binding !== slot.owner) return 0;
    if (args !== undefined && need.argument >= 0) args[need.argument] = slot.value;
    return 1;
  }

  override gather(binding: Binding, args: unknown[]): Slot | undefined {
    return this.#gather(binding, args, 0);
  }

  #gather(asker: Asker, args: unknown[] | undefined, from: number): Slot | undefined {
    const { ahead } = asker.needs;
    let undefinedArguments = args === undefined ? 0 : countUndefined(ahead, args, from);
    for (let i = from; i < ahead.length; i++) {
      const need = ahead[i] as Need;
      need.binding ??= asker.home.lookup(need.token);
      let value = need.binding === undefined ? this.#obtainUndecided(asker, need.token) : this.obtain(need.binding);
      if (value instanceof Slot) {
        if (value.state === "failed") throw value.value;
        if (value.state === "pending") {
          if (need.binding?.isParallel === true) this.#startNeighbours(ahead, i + 1);
          this.#gathered = i;
          return value;
        }
        value = value.value;
      }
      if (args === undefined || need.argument < 0) continue;
      args[need.argument] = value;
      if (value === undefined) undefinedArguments++;
    }
    this.undefinedArguments = undefinedArguments;
    return undefined;
  }

  /** Begins to create the neighbours of a dependency that need not wait for it. */
  #startNeighbours(ahead: readonly Need[], from: number): void {
    for (let i = from; ahead[i]?.binding?.isParallel === true; i++) {
      const got = this.obtain((ahead[i] as Need).binding as Binding);
      // Waited for later, in its turn; what it rejects with by then must not count as unhandled.
      if (got instanceof Slot && got.state === "pending") void this.settle(got);
    }
  }

  /** A class that only a dependency still to be created can be of. */
  #obtainUndecided(asker: Asker, token: unknown): unknown {
    const binding = asker.home.lookup(token);
    if (binding !== undefined) return this.obtain(binding);
    const slot = decide(asker.home);
    if (slot === undefined) return this.obtain(asker.home.lookup(token) as Binding);
    this.assertNotFailed(slot.owner);
    return slot;
  }

  #resolveUndecided(asker: Asker, token: unknown): unknown {
    const got = this.#obtainUndecided(asker, token);
    return got instanceof Slot ? this.#take(got) : got;
  }

  /** The value of a slot, for what asks by itself; or what is to be thrown there. */
  #take(slot: Slot): unknown {
    if (slot.state === "failed") throw slot.value;
    if (slot.state === "ready" && !slot.isLate) return slot.value;
    this.#checkBody(slot.owner, slot);
    if (slot.state === "ready") return slot.value;
    this.suspendedFor = slot;
    throw suspended;
  }

  /** A part of the request, for a schema that was not known before: one that is written in an argument, say. */
  #rawInput(binding: Binding): unknown {
    // An argument that is known to be such an input, and is undefined, asks again with a new schema.
    if (this.asker !== undefined && isExpectedInput(this.asker, binding)) this.patience = Math.max(this.patience, 0);
    const got = this.obtain(binding);
    return got instanceof Slot ? this.#take(got) : got;
  }

  /** Refuses what takes time where it is asked for in a body, which would have to run twice. */
  #checkBody(owner: Binding, slot?: Slot): void {
    const { asker } = this;
    if (asker === undefined || asker.isRepeatable || this.patience >= 0 || isExpected(asker, owner)) return;
    // It has begun, so it is waited for all the same: it may have to be disposed of.
    if (slot?.state === "pending") void this.settle(slot);
    throw inBody(asker, owner);
  }
}

/** Counts the arguments that are gathered already, and undefined. */
function countUndefined(ahead: readonly Need[], args: readonly unknown[], to: number): number {
  let count = 0;
  for (let i = 0; i < to; i++) {
    const { argument } = ahead[i] as Need;
    if (argument >= 0 && args[argument] === undefined) count++;
  }
  return count;
}
