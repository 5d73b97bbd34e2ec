/**
 * A controller method, ready to serve.
 *
 * Everything that can be known is planned when the application is built. A request creates an instance and calls; as long
 * as nothing takes time and nothing goes wrong, that is all, and no promise is created.
 *
 * @module
 */

import { isThenable } from "../src/base/thenable.ts";
import type { RouteInput } from "../src/app/route_description.ts";
import type { Context } from "../src/context/context.ts";
import { construct, type ControllerPlan } from "./controller_plan.ts";
import { type Call, invoke, takesTime } from "./inject/call.ts";
import { suspended } from "./inject/injector.ts";
import { injectorOf, type RequestInjector } from "./inject/request_injector.ts";
import { treeOf } from "./inject/tree.ts";
import { Invocation } from "./invocation.ts";
import { respondWithError } from "./result/returned_error.ts";
import { writeReturn } from "./result/returns.ts";
import type { ArgumentReader } from "./route/route_plan.ts";

type Served = Promise<void> | undefined;

const noArguments: readonly unknown[] = [];

/** A controller method, ready to serve. */
export class Action {
  readonly #plan: ControllerPlan;
  readonly #call: Call;
  readonly #readers: readonly ArgumentReader[];

  /**
   * Makes a method ready.
   *
   * @param plan Its controller.
   * @param call The method.
   * @param readers Where its arguments come from.
   */
  constructor(plan: ControllerPlan, call: Call, readers: readonly ArgumentReader[]) {
    this.#plan = plan;
    this.#call = call;
    this.#readers = readers;
  }

  /** The checked inputs of the method, and of the fields of its controller. */
  inputs(): RouteInput[] {
    return [...this.#plan.inputs(), ...this.#call.inputs()];
  }

  /** What the method and its controller depend on, as the lines of a tree. */
  dependencies(): string[] {
    const { begin, end, handleError, needs } = this.#plan;
    return treeOf([needs, ...[begin, this.#call, end, handleError].flatMap((each) => each?.needs ?? [])]);
  }

  /** Makes sure, when the application is built, that every dependency is there. */
  check(): void {
    this.#call.check();
  }

  /**
   * Serves a request.
   *
   * @param ctx The request.
   * @returns A promise only if something takes time.
   */
  serve(ctx: Context): Served {
    const plan = this.#plan;
    const injector = injectorOf(ctx);
    injector.open();
    if (plan.isBare && !takesTime(plan.needs) && !takesTime(this.#call.needs)) return this.#serveBare(injector, ctx);
    return this.#invocation(injector).serve();
  }

  /**
   * Serves with a controller that has nothing around its methods, as most have, in one go: an {@linkcode Invocation} is
   * created only where that turns out not to be enough (tests/bench/inject.ts).
   */
  #serveBare(injector: RequestInjector, ctx: Context): Served {
    let instance: object | undefined;
    let result: unknown;
    try {
      const created = injector.run(this.#plan, construct, ctx, undefined) as object;
      if (injector.waitsFor !== undefined) return this.#invocation(injector).serve();
      instance = created;
      // A dependency may have stopped the request.
      if (injector.isHalted || ctx.IsStopped()) return undefined;
      const args = this.#readArguments(ctx);
      const slot = this.#call.needs.ahead.length === 0 ? undefined : injector.collect(this.#call, args);
      if (slot !== undefined) return this.#invocation(injector).serve("call", instance);
      result = injector.run(this.#call, invoke, instance, args);
    } catch (thrown) {
      const isRepeated = injector.waitsFor !== undefined && (instance === undefined || thrown === suspended);
      if (!isRepeated) return this.#invocation(injector).serveFailed(instance, thrown);
      return this.#invocation(injector).serve(instance === undefined ? "create" : "call", instance);
    }
    if (injector.waitsFor !== undefined || injector.isHalted || isThenable(result) || this.#plan.handlesErrors()) {
      return this.#invocation(injector).serveReturned(instance, result);
    }
    try {
      return writeReturn(ctx, result, respondWithError);
    } catch (thrown) {
      return this.#invocation(injector).serveFailed(instance, thrown);
    }
  }

  #invocation(injector: RequestInjector): Invocation {
    return new Invocation(this.#plan, this.#call, injector, (ctx) => this.#readArguments(ctx));
  }

  #readArguments(ctx: Context): unknown[] {
    const readers = this.#readers;
    if (readers.length === 0) return this.#call.needs.ahead.length === 0 ? noArguments as unknown[] : [];
    const args: unknown[] = [];
    // By index: taking a list apart by a pattern runs its iterator, 60 ns per request.
    for (let i = 0; i < readers.length; i++) args.push((readers[i] as ArgumentReader)(ctx));
    return args;
  }
}
