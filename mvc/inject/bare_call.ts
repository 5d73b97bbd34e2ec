/**
 * Creates an instance and calls a method on it for a request of which it is not known that it has dependencies of its
 * own: what all requests share is found without a {@linkcode RequestValues}, which is created when more is asked for.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import type { Asker } from "./binding.ts";
import { enter, type Injector } from "./inject.ts";
import type { Call } from "./injected_call.ts";
import type { RequestValues } from "./request_values.ts";
import { type Creator, valuesOf } from "./resolve_in_order.ts";

/**
 * Creates an instance and calls a method on it for a request of which it is not known that it has dependencies of its
 * own: what all requests share is found without a {@linkcode RequestValues}, which is created when more is asked for.
 */
class BareCall implements Injector {
  // There is one record for all requests, so that none has to be created: one call at a time runs, and what a call
  // calls.
  #ctx: Context | undefined = undefined;
  #asker: Asker | undefined = undefined;
  #values: RequestValues | undefined = undefined;
  #cursor = 0;

  /**
   * Begins to create an instance.
   *
   * @param creator Creates the instance.
   * @param ctx The request.
   * @returns What {@linkcode end} puts back.
   */
  begin(creator: Creator, ctx: Context): BareCall | undefined {
    const outer = this.#ctx === undefined ? undefined : this.#copy();
    this.#ctx = ctx;
    this.#asker = creator;
    this.#values = undefined;
    this.#cursor = 0;
    return outer;
  }

  /** Goes on with a method, which asks for nothing in its default values. */
  ask(call: Call): void {
    this.#asker = call;
    this.#cursor = 0;
    if (this.#values === undefined) return;
    this.#values.asker = call;
    this.#values.cursor = 0;
  }

  /** True when something has to be waited for. */
  get isSuspended(): boolean {
    return this.#values !== undefined && this.#values.suspendedFor !== undefined;
  }

  /**
   * Ends the call.
   *
   * @param outer What was under way before it: a middleware with dependencies, or a request that a handler sends to its
   * own server.
   * @returns The dependencies of the request, if it turned out to have some; they know what has to be waited for.
   */
  end(outer: BareCall | undefined): RequestValues | undefined {
    const values = this.#values;
    if (values !== undefined) {
      values.waitsFor = values.suspendedFor;
      values.leave();
      this.#values = undefined;
    }
    if (outer === undefined) this.#ctx = undefined;
    else this.#take(outer);
    return values;
  }

  #copy(): BareCall {
    const copy = new BareCall();
    copy.#take(this);
    return copy;
  }

  #take(other: BareCall): void {
    this.#ctx = other.#ctx;
    this.#asker = other.#asker;
    this.#values = other.#values;
    this.#cursor = other.#cursor;
  }

  resolve(token: unknown): unknown {
    const next = this.#asker?.needs.ahead[this.#cursor];
    const binding = next?.token === token ? next?.binding : this.#asker?.home.lookup(token);
    this.#cursor++;
    if (binding !== undefined && binding.isReady && !binding.isAsync) return binding.value;
    const values = this.#values = valuesOf(this.#ctx as Context);
    values.visit(this.#asker, this.#cursor - 1);
    // From here on it is asked directly; what called this puts back what was in force before.
    enter(values);
    return values.resolve(token);
  }
}

/** The record. */
export const bareCall: BareCall = new BareCall();
