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
import type { ControllerPlan } from "./controller_plan.ts";
import { type Call, invoke, takesTime } from "./inject/call.ts";
import { stopped, suspended } from "./inject/injector.ts";
import { injectorOf, type RequestInjector } from "./inject/request_injector.ts";
import type { Slot } from "./inject/slot.ts";
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
    if (!plan.isBare) return this.#invocation(injector).serve();
    return plan.needs.ahead.length > 0 && takesTime(plan.needs)
      ? this.#serveLater(injector)
      : this.#serveBare(injector);
  }

  /** Serves when that which the constructor asks for is there. */
  #serveLater(injector: RequestInjector): Served {
    let slot: Slot | undefined;
    try {
      slot = injector.collect(this.#plan);
    } catch (thrown) {
      if (thrown === stopped) return undefined;
      // The constructor meets the failure where it asks.
    }
    if (slot === undefined) return this.#serveBare(injector);
    const then = { proceed: () => this.#serveBare(injector), fail: ignore };
    return injector.collectLater(this.#plan, undefined, slot, then) as Promise<void>;
  }

  /**
   * Serves with a controller that has nothing around its methods, as most have, in one go: an {@linkcode Invocation} is
   * created only where that turns out not to be enough (tests/bench/inject.ts).
   */
  #serveBare(injector: RequestInjector): Served {
    const args = this.#readArguments(injector.ctx);
    let result: unknown;
    try {
      result = injector.createAndCall(this.#plan, this.#call, args);
    } catch (thrown) {
      const { instance, waitsFor } = injector;
      const isRepeated = waitsFor !== undefined && (instance === undefined || thrown === suspended);
      if (!isRepeated) return this.#invocation(injector).serveFailed(instance, thrown);
      return this.#invocation(injector).serve(instance === undefined ? "create" : "call", instance);
    }
    const { instance } = injector;
    if (instance !== undefined && injector.waitsFor === undefined) return this.#write(injector, instance, result);
    if (instance !== undefined) return this.#callLater(injector, instance, args, result);
    // A dependency, or the constructor itself, has stopped the request.
    return injector.waitsFor === undefined ? undefined : this.#invocation(injector).serve();
  }

  /** Responds with what the method returned. */
  #write(injector: RequestInjector, instance: object, result: unknown): Served {
    if (injector.isHalted || isThenable(result) || this.#plan.handlesErrors()) {
      return this.#invocation(injector).serveReturned(instance, result);
    }
    try {
      return writeReturn(injector.ctx, result, respondWithError);
    } catch (thrown) {
      return this.#invocation(injector).serveFailed(instance, thrown);
    }
  }

  /** Calls the method when that which it asks for is there. */
  #callLater(injector: RequestInjector, instance: object, args: unknown[], result: unknown): Served {
    const { waitsFor } = injector;
    // It was called already, and suspended in its default values.
    if (waitsFor === undefined || result !== undefined) {
      return this.#invocation(injector).serveReturned(instance, result);
    }
    const then = {
      proceed: () => this.#callNow(injector, instance, args),
      fail: (thrown: unknown) => this.#invocation(injector).serveFailed(instance, thrown),
    };
    return injector.collectLater(this.#call, args, waitsFor, then) as Promise<void>;
  }

  #callNow(injector: RequestInjector, instance: object, args: unknown[]): Served {
    let result: unknown;
    try {
      result = injector.run(this.#call, invoke, instance, args);
    } catch (thrown) {
      const isRepeated = injector.waitsFor !== undefined && thrown === suspended;
      if (!isRepeated) return this.#invocation(injector).serveFailed(instance, thrown);
      return this.#invocation(injector).serve("call", instance);
    }
    if (injector.waitsFor !== undefined) return this.#invocation(injector).serveReturned(instance, result);
    return this.#write(injector, instance, result);
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

function ignore(): void {}
