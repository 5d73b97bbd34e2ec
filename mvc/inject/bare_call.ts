/**
 * Creates an instance and calls a method on it for a request of which it is not known that it has dependencies of its
 * own: what all requests share is found without a {@linkcode RequestInjector}, which is created when more is asked for.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import type { Asker } from "./binding.ts";
import type { Call } from "./call.ts";
import { enter, type Injector } from "./inject.ts";
import { type Creator, injectorOf, type RequestInjector } from "./resolve_in_order.ts";

/**
 * Creates an instance and calls a method on it for a request of which it is not known that it has dependencies of its
 * own: what all requests share is found without a {@linkcode RequestInjector}, which is created when more is asked for.
 */
class BareCall implements Injector {
  // There is one record for all requests, so that none has to be created: one call at a time runs, and what a call calls.
  #ctx: Context | undefined = undefined;
  #asker: Asker | undefined = undefined;
  #injector: RequestInjector | undefined = undefined;
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
    this.#injector = undefined;
    this.#cursor = 0;
    return outer;
  }

  /** Goes on with a method, which asks for nothing in its default values. */
  ask(call: Call): void {
    this.#asker = call;
    this.#cursor = 0;
    if (this.#injector === undefined) return;
    this.#injector.asker = call;
    this.#injector.cursor = 0;
  }

  /** True when something has to be waited for. */
  get isSuspended(): boolean {
    return this.#injector !== undefined && this.#injector.suspendedFor !== undefined;
  }

  /**
   * Ends the call.
   *
   * @param outer What was under way before it: a middleware with dependencies, or a request that a handler sends to its
   * own server.
   * @returns The dependencies of the request, if it turned out to have some; they know what has to be waited for.
   */
  end(outer: BareCall | undefined): RequestInjector | undefined {
    const injector = this.#injector;
    if (injector !== undefined) {
      injector.waitsFor = injector.suspendedFor;
      injector.leave();
      this.#injector = undefined;
    }
    if (outer === undefined) this.#ctx = undefined;
    else this.#take(outer);
    return injector;
  }

  #copy(): BareCall {
    const copy = new BareCall();
    copy.#take(this);
    return copy;
  }

  #take(other: BareCall): void {
    this.#ctx = other.#ctx;
    this.#asker = other.#asker;
    this.#injector = other.#injector;
    this.#cursor = other.#cursor;
  }

  resolve(token: unknown): unknown {
    const next = this.#asker?.needs.ahead[this.#cursor];
    const binding = next?.token === token ? next?.binding : this.#asker?.home.lookup(token);
    this.#cursor++;
    if (binding !== undefined && binding.isReady && !binding.isAsync) return binding.value;
    const injector = this.#injector = injectorOf(this.#ctx as Context);
    injector.visit(this.#asker, this.#cursor - 1);
    // From here on it is asked directly; what called this puts back what was in force before.
    enter(injector);
    return injector.resolve(token);
  }
}

/** The record. */
export const bareCall: BareCall = new BareCall();
