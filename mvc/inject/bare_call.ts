/**
 * Creates an instance and calls a method on it for a request of which it is not known that it has dependencies of its
 * own: what all requests share is found without a {@linkcode RequestInjector}, which is created when more is asked for.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/context/context.ts";
import type { Asker } from "./binding.ts";
import type { Call } from "./call.ts";
import { enter, type Injector } from "./injector.ts";
import { type Creator, injectorOf, type RequestInjector, uncalled } from "./request_injector.ts";
import type { Slot } from "./slot.ts";

class BareCall implements Injector {
  // What the last call came to. There is one record for all requests: it is read before anything else runs.
  /** The instance, once it is created and the request not stopped by that. */
  instance: object | undefined = undefined;
  /** What has to be waited for. */
  waitsFor: Slot | undefined = undefined;
  /** The dependencies of the request, if it turned out to have some. */
  used: RequestInjector | undefined = undefined;
  // What the call under way needs.
  #ctx: Context | undefined = undefined;
  #asker: Asker | undefined = undefined;
  #injector: RequestInjector | undefined = undefined;
  #cursor = 0;

  /**
   * Creates an instance and calls a method on it, as far as nothing has to be waited for.
   *
   * @param creator Creates the instance.
   * @param call The method; it asks for nothing in its default values.
   * @param ctx The request.
   * @returns What the method returns, or {@linkcode uncalled}.
   */
  perform(creator: Creator, call: Call, ctx: Context): unknown {
    // Another call may be under way: a middleware with dependencies, or a request that a handler sends to its own server.
    const outerContext = this.#ctx;
    const outerAsker = this.#asker;
    const outerInjector = this.#injector;
    const outerCursor = this.#cursor;
    this.#cursor = 0;
    this.#ctx = ctx;
    this.#asker = creator;
    this.#injector = undefined;
    let instance: object | undefined;
    const outer = enter(this);
    try {
      const created = creator.create(ctx);
      if (exchangeOf(ctx).chain.stopped || this.#isSuspended()) return uncalled;
      instance = created;
      this.#ask(call);
      return call.callBare(created, ctx);
    } finally {
      enter(outer);
      const injector = this.#injector as RequestInjector | undefined;
      this.instance = instance;
      this.used = injector;
      this.waitsFor = injector?.suspendedFor;
      injector?.leave();
      this.#ctx = outerContext;
      this.#asker = outerAsker;
      this.#injector = outerInjector;
      this.#cursor = outerCursor;
    }
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

  #isSuspended(): boolean {
    return this.#injector !== undefined && this.#injector.suspendedFor !== undefined;
  }

  #ask(call: Call): void {
    this.#asker = call;
    this.#cursor = 0;
    if (this.#injector === undefined) return;
    this.#injector.asker = call;
    this.#injector.cursor = 0;
  }
}

/** The record. */
export const bareCall: BareCall = new BareCall();
