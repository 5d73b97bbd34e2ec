/**
 * Serves a request with a controller, from creating its instance to the response.
 *
 * @module
 */

import { isThenable } from "../../src/base/async/thenable.ts";
import { FrameworkError, statusOf } from "../../src/base/errors/errors.ts";
import { toError } from "../../src/base/errors/to_error.ts";
import type { ResultHandler } from "../../src/core/app/api_container.ts";
import type { RouteInput } from "../../src/core/app/record/route_description.ts";
import { type Context, exchangeOf } from "../../src/core/context/context.ts";
import { inLanguage } from "../../src/core/context/format/issue_messages.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { failureStatus, isDeparture } from "../../src/core/exchange/failure.ts";
import { reportFailure } from "../../src/core/exchange/report_failure.ts";
import { loggerOf } from "../../src/core/exchange/request_logger.ts";
import { resetBody } from "../../src/http/response/draft.ts";
import { isResponse } from "../../src/http/response/platform_response.ts";
import type { Asker } from "../inject/binding.ts";
import { type Call, inputsOf, invoke } from "../inject/call.ts";
import { treeOf } from "../inject/check.ts";
import type { Container } from "../inject/container.ts";
import { stopped } from "../inject/inject.ts";
import { RequestWork } from "../inject/request_work.ts";
import { Scope } from "../inject/scope.ts";
import { composeResults, type ErrorHandler, failWith, respondWithError } from "../result/result_handlers.ts";
import { writeReturn } from "../result/returns.ts";

/** A controller or a handler with its hooks. */
export interface Target extends Asker {
  readonly home: Container;
  /** Called before each method. */
  readonly begin: Call | undefined;
  /** Called after each method. */
  readonly end: Call | undefined;
  /** Handles errors. */
  readonly handleError: Call | undefined;
  /** Returns the function that handles errors if the controller does not. */
  readonly errorHandler: () => ErrorHandler | undefined;
  /** Creates the instance. Its dependencies have already been created. */
  create(scope: Scope, ctx: Context): object;
  /**
   * Returns an object with the methods of the controller but without its fields. It handles errors that occur before an
   * instance exists.
   */
  bare(ctx: Context): object;
}

/** A controller method or a handler that can serve requests. */
export class Action {
  readonly #target: Target;
  readonly #call: Call<Context>;
  #results: ResultHandler | undefined = undefined;

  /**
   * Creates an action.
   *
   * @param target The controller.
   * @param call The method.
   */
  constructor(target: Target, call: Call<Context>) {
    this.#target = target;
    this.#call = call;
  }

  /** Returns the typed inputs of the method and of the controller's fields. */
  inputs(): readonly RouteInput[] {
    const own = inputsOf(this.#call.asks);
    const shared = inputsOf(this.#target.asks);
    return shared.length === 0 ? own : [...shared, ...own];
  }

  /** Returns the dependencies of the method and its controller as the lines of a tree. */
  dependencies(): string[] {
    const { begin, end, handleError } = this.#target;
    return [this.#target, begin, this.#call, end, handleError].flatMap((each) => treeOf(each?.asks ?? []));
  }

  /** Returns the object whose method `prepare` creates dependencies. */
  get creator(): object {
    return Scope.prototype;
  }

  /** Checks that every dependency is registered. Called when the application is built. */
  check(): void {
    this.#call.check();
    this.#results = composeResults(this.#target.home.allResults(), writeReturn);
  }

  /**
   * Serves a request.
   *
   * @param ctx The request context.
   * @returns A promise only if any step is asynchronous.
   */
  serve(ctx: Context): Promise<void> | undefined {
    const target = this.#target;
    const exchange = exchangeOf(ctx);
    // The chain is stored, because the exchange has another chain while an error page is being written.
    const { chain } = exchange;
    const scope = scopeOf(exchange);
    return scope.prepare(target, serve, {
      target,
      call: this.#call,
      ctx,
      scope,
      chain,
      results: this.#results,
      instance: undefined,
      hasBegun: false,
    });
  }
}

/** A request and the controller that serves it. */
interface Serving {
  readonly target: Target;
  readonly call: Call<Context>;
  readonly ctx: Context;
  readonly scope: Scope;
  readonly chain: Exchange<Context>["chain"];
  readonly results: ResultHandler | undefined;
  /** The instance, or `undefined` if it has not been created. */
  instance: object | undefined;
  /** Whether `BeginRequest` has let the request continue. Only then is `EndRequest` called. */
  hasBegun: boolean;
}

/** A thrown value. */
interface Failure {
  readonly thrown: unknown;
}

type Awaitable<T> = T | Promise<T>;

/**
 * Serves a request whose dependencies have been created. It creates the instance, calls `BeginRequest`, the method and
 * `EndRequest`, and writes the response. The scope disposes of everything created for the request when the response has
 * been sent.
 *
 * Each step returns a promise only if it is asynchronous. From the first promise on, {@linkcode serveLater} continues.
 */
function serve(serving: Serving): Promise<void> | undefined {
  try {
    const written = begin(serving);
    if (written !== undefined) return serveLater(serving, written);
  } catch (thrown) {
    const failure = handle(serving, thrown);
    return failure instanceof Promise ? endLater(serving, failure) : end(serving, failure);
  }
  return serving.target.end === undefined ? undefined : end(serving, undefined);
}

async function serveLater(serving: Serving, written: Promise<void>): Promise<void> {
  let failure: Failure | undefined;
  try {
    await written;
  } catch (thrown) {
    failure = await handle(serving, thrown);
  }
  const ended = end(serving, failure);
  if (ended !== undefined) await ended;
}

async function endLater(serving: Serving, failure: Promise<Failure | undefined>): Promise<void> {
  await end(serving, await failure);
}

/** Creates the instance, whose dependencies are ready, and begins the request. */
function begin(serving: Serving): Promise<void> | undefined {
  const { target, ctx, scope, chain } = serving;
  const instance = serving.instance = target.create(scope, ctx);
  if (scope.isHalted || chain.stopped) return undefined;
  const begun = target.begin === undefined ? undefined : invoke(scope, target.begin, instance, [ctx]);
  return isThenable(begun) ? callAfter(begun, serving, instance) : callMethod(serving, instance);
}

async function callAfter(begun: Promise<unknown>, serving: Serving, instance: object): Promise<void> {
  await begun;
  await callMethod(serving, instance);
}

/** Calls the method and writes its return value. */
function callMethod(serving: Serving, instance: object): Promise<void> | undefined {
  const { call, ctx, scope, chain } = serving;
  // If BeginRequest itself has stopped the request, neither the method nor EndRequest runs. If the request has timed
  // out, EndRequest runs.
  if (chain.stopped && !chain.isAbandoned) return undefined;
  serving.hasBegun = true;
  if (chain.stopped) return undefined;
  const result = invoke(scope, call, instance, call.argumentsOf(ctx));
  return isThenable(result) ? respondAfter(result, serving) : respond(serving, result);
}

async function respondAfter(result: Promise<unknown>, serving: Serving): Promise<void> {
  const written = respond(serving, await result);
  if (written !== undefined) await written;
}

/** Calls `EndRequest` if the request has begun, and throws the failure that fw must still handle. */
function end(serving: Serving, failure: Failure | undefined): Promise<void> | undefined {
  const { target, hasBegun } = serving;
  const left = hasBegun && target.end !== undefined ? endRequest(serving, target.end, failure) : failure;
  if (left instanceof Promise) return left.then(rethrow);
  rethrow(left);
  return undefined;
}

function rethrow(failure: Failure | undefined): void {
  if (failure !== undefined) throw failure.thrown;
}

/** Writes a return value. If a dependency stopped the request, its response is sent even if the method continued. */
function respond(serving: Serving, result: unknown): Promise<void> | undefined {
  const { ctx, scope, target, results } = serving;
  if (scope.isHalted) return undefined;
  if (handlesErrors(target)) return writeReturn(ctx, result, { failed: responder(serving), results });
  return results === undefined
    ? writeReturn(ctx, result)
    : writeReturn(ctx, result, { failed: respondWithError, results });
}

function handlesErrors(target: Target): boolean {
  return target.handleError !== undefined || target.errorHandler() !== undefined;
}

/** Handles a thrown value. Returns the failure that fw must still handle. */
function handle(serving: Serving, thrown: unknown): Awaitable<Failure | undefined> {
  const { target, ctx, chain } = serving;
  if (isSettled(ctx, thrown)) return undefined;
  // If the response was decided elsewhere, there is nothing to handle.
  // If the client has disconnected, the response is not sent.
  if (!handlesErrors(target) || chain.isAbandoned || isDeparture(exchangeOf(ctx), thrown)) return { thrown };
  const error = toError(thrown);
  const failAgain = (second: unknown): Failure | undefined => {
    if (isSettled(ctx, second)) return undefined;
    if (second !== error) reportBoth(serving, error, toError(second));
    return { thrown: second };
  };
  try {
    const handled: unknown = failWith(ctx, error, responder(serving), statusOf(error) ?? 500);
    return isThenable(handled) ? Promise.resolve(handled).then(() => undefined, failAgain) : undefined;
  } catch (second) {
    return failAgain(second);
  }
}

/** Sends a thrown response, after which nothing runs. Returns `false` for an error. */
function isSettled(ctx: Context, thrown: unknown): boolean {
  if (!isResponse(thrown)) return thrown === stopped;
  ctx.StopExecution();
  writeReturn(ctx, thrown);
  return true;
}

/** Returns the controller's error handler, or that of the application. */
function responder(serving: Serving): ErrorHandler {
  const { target: { handleError, errorHandler }, scope, instance } = serving;
  return (ctx, error) => {
    const exchange = exchangeOf(ctx);
    exchange.error = inLanguage(exchange, error);
    exchange.isErrorPublic = false;
    // An error page must not be appended to a partial response.
    resetBody(exchange.draft);
    scope.close();
    if (handleError === undefined) return errorHandler()?.(ctx, error);
    if (instance === undefined) return respondWithoutInstance(serving, handleError, error);
    return invoke(scope, handleError, instance, [ctx, error]) as Promise<void> | undefined;
  };
}

/**
 * Calls `HandleError` without an instance, so its fields are not available. If it needs them, the application's handler
 * responds.
 */
async function respondWithoutInstance({ target, ctx, scope }: Serving, handleError: Call, error: Error): Promise<void> {
  try {
    await invoke(scope, handleError, target.bare(ctx), [ctx, error]);
  } catch (thrown) {
    // Only the use of a missing field fails with a TypeError. Other errors are meant to replace the first one.
    if (!(thrown instanceof TypeError)) throw thrown;
    loggerOf(exchangeOf(ctx)).Warn(`Cannot handle an error in "${handleError.label()}":`, toError(thrown));
    const handler = target.errorHandler();
    if (handler === undefined) throw error;
    await handler(ctx, error);
  }
}

/**
 * Reports both errors if `HandleError` fails. The error that it was handling is the cause. A client error that replaces
 * another one, or its own cause, is not a failure.
 */
function reportBoth({ target, ctx }: Serving, error: Error, second: Error): void {
  const isExpected = (each: Error) => (statusOf(each) ?? 500) < 500;
  if (isExpected(second) && (second.cause === error || isExpected(error))) return;
  // A copy is used, because the program may throw the same object in every request.
  const both = new FrameworkError("FW_CONTROLLER", second.message, { cause: error });
  reportFailure(exchangeOf(ctx), both, `Cannot handle an error in "${target.label()}"`);
}

/**
 * Calls `EndRequest`, which sees the response that the client will receive. Returns the failure that fw must still
 * handle.
 */
function endRequest(serving: Serving, hook: Call, failure: Failure | undefined): Awaitable<Failure | undefined> {
  const { target, ctx, scope, chain, instance = {} } = serving;
  scope.close();
  const restore = failure === undefined || chain.isAbandoned ? () => {} : show(ctx, failure);
  const fail = (thrown: unknown): Awaitable<Failure | undefined> => {
    if (failure === undefined) return handle(serving, thrown);
    // The method's failure takes precedence over a failure of `EndRequest`.
    if (thrown !== stopped) reportFailure(exchangeOf(ctx), thrown, `Cannot end the request in "${target.label()}"`);
    restore();
    return failure;
  };
  try {
    const ended = invoke(scope, hook, instance, [ctx]);
    if (isThenable(ended)) return Promise.resolve(ended).then(() => (restore(), failure), fail);
  } catch (thrown) {
    return fail(thrown);
  }
  restore();
  return failure;
}

/** Makes a failure visible to `EndRequest`. It is then passed on to the middleware, which may respond to it. */
function show(ctx: Context, failure: Failure): () => void {
  const exchange = exchangeOf(ctx);
  const { error, isErrorPublic, draft } = exchange;
  const { status } = draft;
  exchange.error = toError(failure.thrown);
  exchange.isErrorPublic = false;
  draft.status = failureStatus(exchange, exchange.error);
  return () => {
    Object.assign(exchange, { error, isErrorPublic });
    draft.status = status;
  };
}

/** Returns the scope of a request. All controllers and handlers of the request share it. */
function scopeOf(exchange: Exchange<Context>): Scope {
  const scope = exchange.injector as Scope | undefined;
  if (scope === undefined) return exchange.injector = new Scope(new RequestWork(exchange));
  scope.open();
  return scope;
}
