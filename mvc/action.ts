/**
 * A controller method, ready to serve.
 *
 * Everything that can be known is planned when the application is built. A request creates an instance and calls; as
 * long as nothing takes time and nothing goes wrong, that is all, and no promise is created.
 *
 * @module
 */

import type { RouteInput } from "../src/app/route_description.ts";
import { isThenable } from "../src/base/thenable.ts";
import { type Context, exchangeOf } from "../src/context/context.ts";
import type { ControllerPlan } from "./controller_plan.ts";
import { bareCall } from "./inject/bare_call.ts";
import type { Slot } from "./inject/binding.ts";
import { treeOf } from "./inject/check_dependencies.ts";
import { enter, stopped, suspended } from "./inject/inject.ts";
import { type Call, invoke, takesTime } from "./inject/injected_call.ts";
import type { RequestValues } from "./inject/request_values.ts";
import {
  collect,
  collectLater,
  type Continuation,
  createAndCall,
  uncalled,
  valuesOf,
} from "./inject/resolve_in_order.ts";
import { Invocation } from "./invocation.ts";
import { respondWithError } from "./result/returned_error.ts";
import { writeReturn } from "./result/returns.ts";

type Served = Promise<void> | undefined;

/** What creating an instance and calling its method came to. */
interface Outcome {
  readonly instance: object | undefined;
  readonly waitsFor: Slot | undefined;
}

/** A controller method, ready to serve. */
export class Action implements Continuation {
  readonly #plan: ControllerPlan;
  readonly #call: Call;

  /**
   * Makes a method ready.
   *
   * @param plan Its controller.
   * @param call The method.
   */
  constructor(plan: ControllerPlan, call: Call) {
    this.#plan = plan;
    this.#call = call;
  }

  /** The checked inputs of the method, and of the fields of its controller. */
  inputs(): readonly RouteInput[] {
    const shared = this.#plan.inputs();
    const own = this.#call.inputs();
    return own.length === 0 ? shared : [...shared, ...own];
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
    const { hasOwnNeeds, isBare, isLate, needs } = this.#plan;
    if (!isBare) return this.#invocation(valuesOf(ctx)).serve();
    if (isLate && takesTime(needs)) return this.#serveLater(valuesOf(ctx));
    return this.#call.isBare && !hasOwnNeeds ? this.#serveBare(ctx) : this.#serveNow(valuesOf(ctx));
  }

  /**
   * Serves with a controller that has nothing around its methods and a method that asks for nothing, as most are, in
   * one go: what is needed beyond that is created only where it is (tests/bench/inject.ts).
   */
  #serveBare(ctx: Context): Served {
    let instance: object | undefined;
    let result: unknown = uncalled;
    const before = bareCall.begin(this.#plan, ctx);
    const outer = enter(bareCall);
    try {
      const created = this.#plan.create(ctx);
      if (!exchangeOf(ctx).chain.stopped && !bareCall.isSuspended) {
        instance = created;
        bareCall.ask(this.#call);
        result = this.#call.callBare(created, ctx);
      }
    } catch (thrown) {
      enter(outer);
      const used = bareCall.end(before);
      return this.#serveFailed(used ?? valuesOf(ctx), { instance, waitsFor: used?.waitsFor }, thrown);
    }
    enter(outer);
    const used = bareCall.end(before);
    if (used !== undefined) return this.#serveReturned(used, { instance, waitsFor: used.waitsFor }, result);
    return instance === undefined ? undefined : this.#write(ctx, instance, result);
  }

  /** Serves when that which the constructor asks for is there. */
  #serveLater(values: RequestValues): Served {
    let slot: Slot | undefined;
    try {
      slot = collect(values, this.#plan);
    } catch (thrown) {
      if (thrown === stopped) return undefined;
      // The constructor meets the failure where it asks.
    }
    if (slot === undefined) return this.#serveNow(values);
    return collectLater(values, { asker: this.#plan, args: undefined }, slot, this) as Promise<void>;
  }

  /** Goes on when that which the constructor asks for is there. */
  proceed(values: RequestValues): Served {
    return this.#serveNow(values);
  }

  /** Ends where a dependency has stopped the request; every other failure is met by the constructor. */
  fail(): void {}

  /** Serves with what the request has of dependencies by now. */
  #serveNow(values: RequestValues): Served {
    let result: unknown;
    try {
      result = createAndCall(values, this.#plan, this.#call);
    } catch (thrown) {
      return this.#serveFailed(values, values, thrown);
    }
    return this.#serveReturned(values, values, result);
  }

  /** Goes on from what was thrown: it may only mean that something has to be waited for. */
  #serveFailed(values: RequestValues, { instance, waitsFor }: Outcome, thrown: unknown): Served {
    const isRepeated = waitsFor !== undefined && (instance === undefined || thrown === suspended);
    if (!isRepeated) return this.#invocation(values).serveFailed(instance, thrown);
    if (instance === undefined) this.#plan.isLate = true;
    return this.#invocation(values).serve(instance === undefined ? "create" : "call", instance);
  }

  #serveReturned(values: RequestValues, { instance, waitsFor }: Outcome, result: unknown): Served {
    if (instance !== undefined && waitsFor === undefined && !values.isHalted) {
      return this.#write(values.ctx, instance, result);
    }
    if (result === uncalled) return this.#callLater(values, instance, waitsFor);
    if (instance === undefined) return undefined;
    return this.#invocation(values).serveReturned(instance, result, waitsFor);
  }

  /** Responds with what the method returned. */
  #write(ctx: Context, instance: object, result: unknown): Served {
    if (isThenable(result) || this.#plan.handlesErrors()) {
      return this.#invocation(valuesOf(ctx)).serveReturned(instance, result);
    }
    try {
      return writeReturn(ctx, result, respondWithError);
    } catch (thrown) {
      return this.#invocation(valuesOf(ctx)).serveFailed(instance, thrown);
    }
  }

  /** Creates the instance, or calls the method, when that which it asks for is there. */
  #callLater(values: RequestValues, instance: object | undefined, waitsFor: Slot | undefined): Served {
    // A dependency, or the constructor itself, has stopped the request.
    if (waitsFor === undefined) return undefined;
    if (instance === undefined) {
      this.#plan.isLate = true;
      return this.#invocation(values).serve();
    }
    const args = values.args ?? this.#call.argumentsOf(values.ctx);
    const then = {
      proceed: () => this.#callNow(values, instance, args),
      fail: (thrown: unknown) => this.#invocation(values).serveFailed(instance, thrown),
    };
    return collectLater(values, { asker: this.#call, args }, waitsFor, then) as Promise<void>;
  }

  #callNow(values: RequestValues, instance: object, args: unknown[]): Served {
    let result: unknown;
    try {
      result = values.run(this.#call, invoke, instance, args);
    } catch (thrown) {
      return this.#serveFailed(values, { instance, waitsFor: values.waitsFor }, thrown);
    }
    return this.#serveReturned(values, { instance, waitsFor: values.waitsFor }, result);
  }

  #invocation(values: RequestValues): Invocation {
    return new Invocation(this.#plan, this.#call, values);
  }
}
