/**
 * One call of a controller: instance, `BeginRequest`, method, `EndRequest`, and what becomes of errors.
 *
 * It goes from phase to phase and returns a promise only from where something takes time.
 *
 * @module
 */

import { isThenable } from "../src/base/thenable.ts";
import { toError } from "../src/base/to_error.ts";
import { type Context, exchangeOf } from "../src/context/context.ts";
import { failureStatus } from "../src/context/failure.ts";
import { resetBody } from "../src/response/draft.ts";
import { construct, type ControllerPlan } from "./controller_plan.ts";
import { Slot } from "./inject/binding.ts";
import { stopped } from "./inject/inject.ts";
import type { Call } from "./inject/injected_call.ts";
import { invokeSuspended, invokeWith } from "./inject/invoke.ts";
import type { RequestValues } from "./inject/request_values.ts";
import { collect } from "./inject/resolve_in_order.ts";
import { obtainShared } from "./inject/shared_values.ts";
import { failWith, respondWithError, statusOf } from "./result/returned_error.ts";
import { writeReturn } from "./result/returns.ts";

/** What has to be waited for before the next phase. */
type Waiting = Slot | PromiseLike<unknown> | undefined;

/** Where a call has come to. */
export type Phase = "create" | "begin" | "begun" | "call" | "write" | "written" | "fail" | "failed" | "end" | "done";

/** What a failure in each phase leads to once it has been responded to. */
const afterFailure: Readonly<Record<Phase, Phase>> = {
  create: "done",
  begin: "done",
  begun: "done",
  call: "end",
  write: "end",
  written: "end",
  fail: "done",
  failed: "done",
  end: "done",
  done: "done",
};

/** What each phase does. */
let phases: Readonly<Record<Phase, (it: Invocation) => Waiting>>;

/** A controller's method while it serves a request. */
export class Invocation {
  readonly #plan: ControllerPlan;
  readonly #call: Call;
  readonly #values: RequestValues;
  readonly #ctx: Context;
  #phase: Phase = "create";
  #instance: object | undefined = undefined;
  /** What the last phase waited for gave. */
  #result: unknown = undefined;
  /** The error to be responded to, and the phase after that. */
  #error: Error | undefined = undefined;
  #next: Phase = "done";
  /** What is left to the application to respond to. */
  #failure: { readonly thrown: unknown } | undefined = undefined;

  constructor(plan: ControllerPlan, call: Call, values: RequestValues) {
    this.#plan = plan;
    this.#call = call;
    this.#values = values;
    this.#ctx = values.ctx;
  }

  /**
   * Serves the request.
   *
   * @param phase Where to begin.
   * @param instance The instance, if there is one already.
   */
  serve(phase: Phase = "create", instance?: object): Promise<void> | undefined {
    this.#phase = phase;
    this.#instance = instance;
    return this.#proceed();
  }

  /** Goes on from what was thrown: by the constructor if there is no instance, else by the method. */
  serveFailed(instance: object | undefined, thrown: unknown): Promise<void> | undefined {
    this.#phase = instance === undefined ? "create" : "call";
    this.#instance = instance;
    this.#catch(thrown);
    return this.#proceed();
  }

  /** Goes on with what the method returned, although it may have been suspended in its default values. */
  serveReturned(instance: object, returned: unknown, waitsFor?: Slot): Promise<void> | undefined {
    this.#phase = "write";
    this.#instance = instance;
    const made = { instance, args: this.#call.argumentsOf(this.#ctx) };
    const result = waitsFor === undefined
      ? returned
      : invokeSuspended(this.#values, this.#call, made, { result: returned, waitsFor });
    if (isThenable(result)) return this.#serveLater(result);
    this.#result = result;
    return this.#proceed();
  }

  #proceed(): Promise<void> | undefined {
    const waiting = this.#advance();
    return waiting === undefined ? this.#finish() : this.#serveLater(waiting);
  }

  async #serveLater(first: Slot | PromiseLike<unknown>): Promise<void> {
    for (let waiting: Waiting = first; waiting !== undefined; waiting = this.#advance()) {
      if (waiting instanceof Slot) {
        // Written out, and not as a function of its own: one promise less for each dependency.
        try {
          this.#values.arrive(waiting, await waiting.promise);
        } catch (thrown) {
          this.#values.fail(waiting, thrown);
        }
        continue;
      }
      try {
        this.#result = await waiting;
      } catch (thrown) {
        this.#catch(thrown);
      }
    }
    this.#finish();
  }

  /** Goes through the phases up to the end, or to one that has to wait. */
  #advance(): Waiting {
    while (this.#phase !== "done") {
      try {
        const waiting = phases[this.#phase](this);
        if (waiting !== undefined) return waiting;
      } catch (thrown) {
        this.#catch(thrown);
      }
    }
    return undefined;
  }

  #finish(): undefined {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** Decides what follows from something that was thrown. */
  #catch(thrown: unknown): void {
    const phase = this.#phase;
    const next = phase === "fail" || phase === "failed" ? this.#next : afterFailure[phase];
    this.#phase = next;
    if (thrown === stopped) return;
    const isHandled = phase === "fail" || phase === "failed";
    if (this.#failure !== undefined) {
      // The failure of the method counts more than that of `EndRequest`.
      this.#ctx.Application().Logger().Error(`Cannot end the request in "${this.#plan.name}":`, toError(thrown));
    } else if (isHandled || !this.#plan.handlesErrors()) {
      this.#failure = { thrown };
    } else {
      this.#error = toError(thrown);
      this.#next = next;
      this.#phase = "fail";
    }
  }

  /** Creates the instance. */
  #create(): Waiting {
    const plan = this.#plan;
    if (plan.singleton !== undefined) return this.#createShared(plan.singleton);
    const waiting = this.#prepare();
    if (waiting !== undefined) return waiting;
    try {
      this.#instance = this.#values.run(plan, construct, this.#ctx, undefined) as object;
    } catch (thrown) {
      if (this.#values.waitsFor === undefined) throw thrown;
    }
    // Also where the constructor has caught what was thrown: the instance lacks what it asked for.
    if (this.#values.waitsFor !== undefined) return this.#values.waitsFor;
    return this.#created();
  }

  #created(): undefined {
    // A dependency may have stopped the request.
    if (this.#values.isHalted || this.#ctx.IsStopped()) this.#phase = "done";
    else this.#phase = this.#plan.begin === undefined ? "call" : "begin";
  }

  #createShared(singleton: ControllerPlan["singleton"] & object): Waiting {
    const got = obtainShared(singleton);
    if (got instanceof Slot) return got.promise;
    this.#instance = got as object;
    return this.#created();
  }

  /** Creates what the constructor is known to ask for; it meets a failure where it asks, and may be prepared for it. */
  #prepare(): Slot | undefined {
    try {
      return collect(this.#values, this.#plan);
    } catch (thrown) {
      if (thrown === stopped) throw thrown;
      return undefined;
    }
  }

  #begin(): Waiting {
    this.#phase = "begun";
    if (this.#plan.begin !== undefined) this.#result = this.#invoke(this.#plan.begin, [this.#ctx]);
    return isThenable(this.#result) ? this.#result : undefined;
  }

  #begun(): undefined {
    this.#phase = this.#ctx.IsStopped() ? "done" : "call";
  }

  #perform(): Waiting {
    this.#phase = "write";
    this.#result = this.#invoke(this.#call, this.#call.argumentsOf(this.#ctx));
    return isThenable(this.#result) ? this.#result : undefined;
  }

  /** Responds with what the method returned. */
  #write(): Waiting {
    this.#phase = "written";
    // The response is that of the dependency that stopped the request, also where the method went on regardless.
    if (this.#values.isHalted) return undefined;
    return writeReturn(this.#ctx, this.#result, (_ctx, error) => this.#respond(error));
  }

  #written(): undefined {
    this.#phase = "end";
  }

  /** Has an error responded to that was thrown. */
  #fail(): Waiting {
    this.#phase = "failed";
    const error = this.#error ?? toError(undefined);
    return failWith(this.#ctx, error, (_ctx, failed) => this.#respond(failed), statusOf(error) ?? 500);
  }

  #failed(): undefined {
    this.#phase = this.#next;
  }

  /** Responds to an error: the controller, else the application, else fw itself. */
  #respond(error: Error): Promise<void> | undefined {
    const { handleError } = this.#plan;
    const applicationHandler = this.#plan.applicationHandler();
    if (handleError === undefined && applicationHandler === undefined) return void respondWithError(this.#ctx, error);
    const exchange = exchangeOf(this.#ctx);
    exchange.error = error;
    exchange.isErrorPublic = false;
    // An error is never half a page.
    resetBody(exchange.draft);
    this.#values.close();
    if (handleError === undefined) return applicationHandler?.(this.#ctx, error) ?? undefined;
    if (this.#instance === undefined) return this.#respondWithoutInstance(handleError, error);
    return this.#invoke(handleError, [this.#ctx, error]) as Promise<void> | undefined;
  }

  /** Where no instance could be created, `HandleError` sees no fields; if it needs some, the application responds. */
  async #respondWithoutInstance(handleError: Call, error: Error): Promise<void> {
    this.#instance = this.#plan.bare(this.#ctx);
    try {
      await this.#invoke(handleError, [this.#ctx, error]);
    } catch (thrown) {
      this.#ctx.Application().Logger().Warn(`Cannot handle an error in "${handleError.label()}":`, thrown);
      const applicationHandler = this.#plan.applicationHandler();
      if (applicationHandler === undefined) throw error;
      await applicationHandler(this.#ctx, error);
    }
  }

  /** Calls `EndRequest`, which sees what the client will get. */
  #end(): Waiting {
    this.#phase = "done";
    const { end } = this.#plan;
    if (end === undefined) return undefined;
    this.#values.close();
    const exchange = exchangeOf(this.#ctx);
    const failure = this.#failure;
    if (failure === undefined) {
      const ended = this.#invoke(end, [this.#ctx]);
      return isThenable(ended) ? ended : undefined;
    }
    const before = { status: exchange.draft.status, error: exchange.error, isPublic: exchange.isErrorPublic };
    const restore = (): void => {
      // What was thrown goes on to the middleware, which may respond to it as if it came from the method.
      exchange.draft.status = before.status;
      exchange.error = before.error;
      exchange.isErrorPublic = before.isPublic;
    };
    exchange.error = toError(failure.thrown);
    exchange.isErrorPublic = false;
    exchange.draft.status = failureStatus(exchange.error);
    const ended = this.#invoke(end, [this.#ctx]);
    if (!isThenable(ended)) return void restore();
    return ended.then(restore, (thrown) => {
      restore();
      throw thrown;
    });
  }

  #invoke(call: Call, args: unknown[]): unknown {
    return invokeWith(this.#values, call, { instance: this.#instance ?? {}, args });
  }

  static {
    phases = {
      create: (it) => it.#create(),
      begin: (it) => it.#begin(),
      begun: (it) => it.#begun(),
      call: (it) => it.#perform(),
      write: (it) => it.#write(),
      written: (it) => it.#written(),
      fail: (it) => it.#fail(),
      failed: (it) => it.#failed(),
      end: (it) => it.#end(),
      done: () => undefined,
    };
  }
}
