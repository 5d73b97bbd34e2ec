/**
 * Serves a request with a controller: instance, `BeginRequest`, method, `EndRequest`.
 *
 * Everything that can be known is planned when the controller is registered. A request makes an instance, sets its
 * fields and calls; no promise is made as long as all of that is synchronous.
 *
 * @module
 */

import { isThenable } from "../src/base/thenable.ts";
import { toError } from "../src/base/to_error.ts";
import type { Context } from "../src/context/context.ts";
import { Binding } from "./inject/binding.ts";
import type { Method } from "./reflect/controller.ts";
import type { ControllerPlan } from "./controller_plan.ts";
import { failWith, respondWithError, statusOf } from "./result/returned_error.ts";
import { RequestInjector, requestSlot } from "./inject/resolve.ts";
import { writeReturn } from "./result/returns.ts";
import type { ArgumentReader } from "./route/route_plan.ts";
import { callIn, enter, Suspension } from "./inject/inject.ts";

type Served = Promise<void> | undefined;

/** A controller method, ready to serve. */
export class Action {
  /** Dependencies to be made before the method is called: those that take time, and those that may end the request. */
  readonly ahead: Binding[] = [];
  readonly #plan: ControllerPlan;
  readonly #method: Method;
  readonly #readers: readonly ArgumentReader[];

  /**
   * Makes a method ready.
   *
   * @param plan Its controller.
   * @param method The method.
   * @param readers Where its arguments come from.
   */
  constructor(plan: ControllerPlan, method: Method, readers: readonly ArgumentReader[]) {
    this.#plan = plan;
    this.#method = method;
    this.#readers = readers;
  }

  /**
   * Serves a request.
   *
   * @param ctx The request.
   * @returns A promise only if something takes time.
   */
  serve(ctx: Context): Served {
    const plan = this.#plan;
    if (plan.isBare && plan.ahead.length === 0 && this.ahead.length === 0) return this.#serveBare(ctx);
    const scope = new RequestInjector(plan.container, ctx);
    let instance: object;
    try {
      const waiting = plan.ahead.length === 0 ? undefined : prepare(plan.ahead, ctx);
      if (waiting !== undefined) return this.#serveAfter(ctx, waiting);
      instance = plan.create(ctx, scope);
    } catch (thrown) {
      if (!(thrown instanceof Suspension)) return this.#fail(ctx, undefined, scope, thrown);
      plan.learn(thrown.of);
      return this.#serveAfter(ctx, thrown.until);
    }
    // A provider may have ended the request.
    if (ctx.IsStopped()) return undefined;
    return plan.begin === undefined ? this.#act(ctx, instance, scope) : this.#begin(ctx, instance, scope, plan.begin);
  }

  /**
   * Serves with a controller that has nothing around its methods, as most have: the instance is made and the method called
   * in one go (tests/bench/mvc.ts).
   */
  #serveBare(ctx: Context): Served {
    const plan = this.#plan;
    const scope = new RequestInjector(plan.container, ctx);
    const outer = enter(scope);
    let instance: object | undefined;
    let result: unknown;
    try {
      instance = plan.make(ctx);
      // A provider may have ended the request.
      if (ctx.IsStopped()) return undefined;
      result = this.#callHere(ctx, instance);
    } catch (thrown) {
      enter(outer);
      if (instance !== undefined) return this.#retryOrFail(ctx, instance, scope, thrown);
      if (!(thrown instanceof Suspension)) return this.#fail(ctx, undefined, scope, thrown);
      plan.learn(thrown.of);
      return this.#serveAfter(ctx, thrown.until);
    } finally {
      enter(outer);
    }
    return this.#answer(ctx, instance, scope, result);
  }

  async #serveAfter(ctx: Context, waiting: Promise<unknown>): Promise<void> {
    try {
      await waiting;
    } catch (thrown) {
      return await this.#fail(ctx, undefined, undefined, thrown);
    }
    await this.serve(ctx);
  }

  #begin(ctx: Context, instance: object, scope: RequestInjector, begin: Method): Served {
    let begun: unknown;
    try {
      begun = callIn(scope, begin, instance, [ctx]);
    } catch (thrown) {
      if (thrown instanceof Suspension) return this.#afterBegin(ctx, instance, scope, Promise.reject(thrown));
      return this.#fail(ctx, instance, scope, thrown);
    }
    if (isThenable(begun)) return this.#afterBegin(ctx, instance, scope, begun);
    return ctx.IsStopped() ? undefined : this.#act(ctx, instance, scope);
  }

  async #afterBegin(
    ctx: Context,
    instance: object,
    scope: RequestInjector,
    begun: PromiseLike<unknown>,
  ): Promise<void> {
    try {
      await begun;
    } catch (thrown) {
      if (!(thrown instanceof Suspension) || this.#plan.begin === undefined) {
        return await this.#fail(ctx, instance, scope, thrown);
      }
      await thrown.until;
      return await this.#begin(ctx, instance, scope, this.#plan.begin);
    }
    if (!ctx.IsStopped()) await this.#act(ctx, instance, scope);
  }

  #act(ctx: Context, instance: object, scope: RequestInjector): Served {
    const { end } = this.#plan;
    return end === undefined ? this.#perform(ctx, instance, scope) : this.#performAndEnd(ctx, instance, scope, end);
  }

  /** Whatever becomes of the method, `EndRequest` runs; the method's failure counts more than one of `EndRequest`. */
  #performAndEnd(ctx: Context, instance: object, scope: RequestInjector, end: Method): Served {
    let performed: Served;
    try {
      performed = this.#perform(ctx, instance, scope);
    } catch (thrown) {
      return this.#endAfter(ctx, instance, scope, Promise.reject(thrown), end);
    }
    if (performed !== undefined) return this.#endAfter(ctx, instance, scope, performed, end);
    return callIn(scope, end, instance, [ctx]) as Served;
  }

  async #endAfter(
    ctx: Context,
    instance: object,
    scope: RequestInjector,
    performed: Promise<void>,
    end: Method,
  ): Promise<void> {
    try {
      await performed;
    } finally {
      await callIn(scope, end, instance, [ctx]);
    }
  }

  /** Calls the method and answers with what it returns. */
  #perform(ctx: Context, instance: object, scope: RequestInjector): Served {
    let result: unknown;
    try {
      if (this.ahead.length > 0) {
        const waiting = prepare(this.ahead, ctx);
        if (waiting !== undefined) return this.#performAfter(ctx, instance, scope, waiting);
        if (ctx.IsStopped()) return undefined;
      }
      result = this.#call(ctx, instance, scope);
    } catch (thrown) {
      return this.#retryOrFail(ctx, instance, scope, thrown);
    }
    return this.#answer(ctx, instance, scope, result);
  }

  /** Answers with what a method returned. */
  #answer(ctx: Context, instance: object, scope: RequestInjector, result: unknown): Served {
    try {
      if (isThenable(result)) return this.#finish(ctx, instance, scope, result);
      const written = writeReturn(ctx, result, this.#plan.errorHandler(instance, scope) ?? respondWithError);
      return written === undefined ? undefined : this.#finish(ctx, instance, scope, written);
    } catch (thrown) {
      return this.#retryOrFail(ctx, instance, scope, thrown);
    }
  }

  async #performAfter(
    ctx: Context,
    instance: object,
    scope: RequestInjector,
    waiting: Promise<unknown>,
  ): Promise<void> {
    try {
      await waiting;
    } catch (thrown) {
      return await this.#fail(ctx, instance, scope, thrown);
    }
    await this.#perform(ctx, instance, scope);
  }

  /** Answers with what a method's promise gives; that of an answer in the making gives nothing more. */
  async #finish(ctx: Context, instance: object, scope: RequestInjector, result: PromiseLike<unknown>): Promise<void> {
    try {
      await writeReturn(ctx, await result, this.#plan.errorHandler(instance, scope) ?? respondWithError);
    } catch (thrown) {
      await this.#retryOrFail(ctx, instance, scope, thrown);
    }
  }

  #retryOrFail(ctx: Context, instance: object, scope: RequestInjector, thrown: unknown): Served {
    if (!(thrown instanceof Suspension)) return this.#fail(ctx, instance, scope, thrown);
    if (thrown.of instanceof Binding && !this.ahead.includes(thrown.of)) this.ahead.push(thrown.of);
    return this.#performAfter(ctx, instance, scope, thrown.until);
  }

  #call(ctx: Context, instance: object, scope: RequestInjector): unknown {
    const outer = enter(scope);
    try {
      return this.#callHere(ctx, instance);
    } finally {
      enter(outer);
    }
  }

  /** Calls the method in the scope that is in force. */
  #callHere(ctx: Context, instance: object): unknown {
    const method = this.#method;
    const readers = this.#readers;
    // By index: taking a list apart by a pattern runs its iterator, 60 ns a request.
    const first = readers[0];
    if (first === undefined) return method.call(instance);
    if (readers.length === 1) return method.call(instance, first(ctx));
    return method.apply(instance, readers.map((read) => read(ctx)));
  }

  /** Hands what was thrown to the error handlers, or on to the application when there is none. */
  #fail(ctx: Context, instance: object | undefined, scope: RequestInjector | undefined, thrown: unknown): Served {
    const handler = this.#plan.errorHandler(instance, scope);
    if (handler === undefined) throw thrown;
    const error = toError(thrown);
    return failWith(ctx, error, handler, statusOf(error) ?? 500);
  }
}

/** Begins to make dependencies; answers a promise if any of them takes time. */
function prepare(bindings: readonly Binding[], ctx: Context): Promise<unknown> | undefined {
  let waiting: Promise<void>[] | undefined;
  for (const binding of bindings) {
    const { pending } = requestSlot(binding, ctx);
    if (pending !== undefined) (waiting ??= []).push(pending);
  }
  return waiting === undefined ? undefined : Promise.all(waiting);
}
