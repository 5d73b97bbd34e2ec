/**
 * Calls methods and functions with their dependencies: those of which it is known that they have some, and the others.
 *
 * @module
 */

import { type Call, invoke } from "./graph.ts";
import { enter, type Injector, suspended } from "./inject.ts";
import { type Creator, injectorOf, type RequestInjector, uncalled } from "./request_injector.ts";
import type { Asker, Slot } from "./binding.ts";
import { assertSuspended } from "./waiting.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";

/** What a call is made with. */
export interface Made {
  /** What a method is called on. */
  readonly instance: object;
  /** The arguments as far as they are not dependencies; those are added. */
  readonly args: unknown[];
}

/**
 * Calls a method or function with its dependencies.
 *
 * @param injector The dependencies of the request.
 * @param call The method or function.
 * @param made What it is called with.
 * @returns What it returns, or a promise of that.
 */
export function invokeWith(injector: RequestInjector, call: Call, made: Made): unknown {
  const slot = injector.collect(call, made.args);
  if (slot !== undefined) return invokeLater(injector, call, made, slot);
  let result: unknown;
  try {
    result = injector.run(call, invoke, made.instance, made.args);
  } catch (thrown) {
    if (thrown !== suspended || injector.waitsFor === undefined) throw thrown;
    return invokeLater(injector, call, made, injector.waitsFor);
  }
  const { waitsFor } = injector;
  return waitsFor === undefined ? result : invokeSuspended(injector, call, made, { result, waitsFor });
}

/**
 * Goes on with a call that was suspended and returned all the same: an asynchronous function, whose promise says that it
 * was suspended in its default values.
 *
 * @param injector The dependencies of the request.
 * @param call The method or function.
 * @param made What it is called with.
 * @param returned What it returned, and what it has to wait for.
 */
export async function invokeSuspended(
  injector: RequestInjector,
  call: Call,
  made: Made,
  { result, waitsFor }: { readonly result: unknown; readonly waitsFor: Slot },
): Promise<unknown> {
  await assertSuspended(call, waitsFor, result);
  return await invokeLater(injector, call, made, waitsFor);
}

function invokeLater(injector: RequestInjector, call: Call, made: Made, first: Slot): Promise<unknown> {
  return injector.collectLater(call, made.args, first, {
    proceed: () => invokeWith(injector, call, made),
    fail: rethrow,
  });
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

/**
 * Creates an instance and calls a method on it for a request of which it is not known that it has dependencies of its
 * own: what all requests share is found without a {@linkcode RequestInjector}, which is created when more is asked for.
 */
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
