/**
 * The way of a request through a controller, from its instance to the response.
 *
 * @module
 */

import type { ResultHandler } from "../src/app/api_container.ts";
import type { RouteInput } from "../src/app/route_description.ts";
import { FrameworkError, HTTPError } from "../src/base/errors.ts";
import { isThenable } from "../src/base/thenable.ts";
import { toError } from "../src/base/to_error.ts";
import { type Context, exchangeOf } from "../src/context/context.ts";
import type { Exchange } from "../src/context/exchange.ts";
import { failureStatus } from "../src/context/failure.ts";
import { reportFailure } from "../src/context/report_failure.ts";
import { loggerOf } from "../src/context/request_logger.ts";
import { resetBody } from "../src/response/draft.ts";
import { isResponse } from "../src/response/platform_response.ts";
import { type Call, inputsOf, invoke } from "./inject/call.ts";
import { treeOf } from "./inject/check.ts";
import { stopped } from "./inject/inject.ts";
import { Scope } from "./inject/scope.ts";
import { RequestWork } from "./inject/work.ts";
import { type ErrorHandler, failWith, respondWithError, statusOf } from "./result/returned_error.ts";
import { composeResults } from "./result/result_handlers.ts";
import { writeReturn } from "./result/returns.ts";
import type { Target } from "./target.ts";

/** A method of a controller, or a handler, ready to serve. */
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

  /** The typed inputs of the method, and of the fields of its controller. */
  inputs(): readonly RouteInput[] {
    return [...inputsOf(this.#target.asks), ...inputsOf(this.#call.asks)];
  }

  /** The dependencies of the method and its controller, as the lines of a tree. */
  dependencies(): string[] {
    const { begin, end, handleError } = this.#target;
    return [this.#target, begin, this.#call, end, handleError].flatMap((each) => treeOf(each?.asks ?? []));
  }

  /** Checks, when the application is built, that every dependency is registered. */
  check(): void {
    this.#call.check();
    this.#results = composeResults(this.#target.home.allResults(), writeReturn);
  }

  /**
   * Serves a request.
   *
   * @param ctx The request.
   * @returns A promise only if something takes time.
   */
  serve(ctx: Context): Promise<void> | undefined {
    const steps = serve(this.#target, this.#call, ctx, this.#results);
    const first = steps.next();
    return first.done ? undefined : finish(steps, first);
  }
}

/** Goes on with a request from the first step that takes time. */
async function finish(steps: Steps<void>, first: IteratorResult<PromiseLike<unknown>, void>): Promise<void> {
  let step = first;
  while (!step.done) {
    let settled: unknown;
    try {
      settled = await step.value;
    } catch (thrown) {
      step = steps.throw(thrown);
      continue;
    }
    step = steps.next(settled);
  }
}

/** Yields what has to be awaited, and receives what it resolves to. */
type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

/** Something that was thrown. */
interface Failure {
  readonly thrown: unknown;
}

/** A request and the controller that serves it, for what goes wrong. */
interface Serving {
  readonly target: Target;
  readonly ctx: Context;
  readonly scope: Scope;
  readonly chain: Exchange<Context>["chain"];
  /** Absent if none could be created. */
  readonly instance: object | undefined;
}

/**
 * Serves a request: creates the instance, calls `BeginRequest`, the method and `EndRequest`, and writes the response.
 * Everything that is created for the request is disposed of when the response has been sent, by its scope.
 */
function* serve(
  target: Target,
  call: Call<Context>,
  ctx: Context,
  results: ResultHandler | undefined,
): Steps<void> {
  const exchange = exchangeOf(ctx);
  const scope = scopeOf(exchange);
  // Not looked up again later: once an error page is written, the exchange has another one.
  const { chain } = exchange;
  const { begin, end } = target;
  let instance: object | undefined;
  let hasBegun = false;
  let failure: Failure | undefined;
  try {
    const waiting = scope.prepare(target);
    if (waiting !== undefined) yield waiting;
    instance = target.create(scope, ctx);
    if (scope.isHalted || chain.stopped) return;

    if (begin !== undefined) {
      const begun = invoke(scope, begin, instance, [ctx]);
      if (isThenable(begun)) yield begun;
      // A request that BeginRequest itself has stopped has not begun. One whose time is up has.
      if (chain.stopped && !chain.isAbandoned) return;
    }
    hasBegun = true;

    if (!chain.stopped) {
      let result = invoke(scope, call, instance, call.argumentsOf(ctx));
      if (isThenable(result)) result = yield result;
      // The response is that of the dependency that stopped the request, also if the method went on regardless.
      const failed = handlesErrors(target) ? responder({ target, ctx, scope, chain, instance }) : respondWithError;
      const written = scope.isHalted ? undefined : writeReturn(ctx, result, { failed, results });
      if (written !== undefined) yield written;
    }
  } catch (thrown) {
    if (isResponse(thrown)) writeThrown(ctx, thrown);
    else if (thrown !== stopped) failure = yield* handle({ target, ctx, scope, chain, instance }, thrown);
  }
  if (hasBegun && end !== undefined) failure = yield* endRequest({ target, ctx, scope, chain, instance }, end, failure);
  if (failure !== undefined) throw failure.thrown;
}

/** What responds to an error that the method returned. */
function responder(serving: Serving): ErrorHandler {
  return (_ctx, error) => respond(serving, error);
}

/** A `Response` that is thrown is the response, and nothing comes after it. */
function writeThrown(ctx: Context, response: Response): void {
  ctx.StopExecution();
  void writeReturn(ctx, response);
}

function handlesErrors(target: Target): boolean {
  return target.handleError !== undefined || target.errorHandler() !== undefined;
}

/** Has `HandleError` respond to an error that was thrown. Returns what is left to fw. */
function* handle(serving: Serving, thrown: unknown): Steps<Failure | undefined> {
  const { target, ctx, chain } = serving;
  // Once the response was decided elsewhere, there is nothing to respond to.
  if (!handlesErrors(target) || chain.isAbandoned) return { thrown };
  const error = toError(thrown);
  try {
    const handled = failWith(ctx, error, (_ctx, failed) => respond(serving, failed), statusOf(error) ?? 500);
    if (handled !== undefined) yield handled;
    return undefined;
  } catch (second) {
    return second === stopped ? undefined : { thrown: whileHandling(serving, error, toError(second)) };
  }
}

/** Responds to an error: the controller, or else the application. */
function respond(serving: Serving, error: Error): Promise<void> | undefined {
  const { target: { handleError, errorHandler }, ctx, scope, instance } = serving;
  const exchange = exchangeOf(ctx);
  exchange.error = error;
  exchange.isErrorPublic = false;
  // An error is never half a page.
  resetBody(exchange.draft);
  scope.close();
  if (handleError === undefined) return errorHandler()?.(ctx, error) ?? undefined;
  if (instance === undefined) return respondWithoutInstance(serving, handleError, error);
  return invoke(scope, handleError, instance, [ctx, error]) as Promise<void> | undefined;
}

/** Without an instance `HandleError` sees no fields. If it needs some, the application responds. */
async function respondWithoutInstance(serving: Serving, handleError: Call, error: Error): Promise<void> {
  const { target, ctx, scope } = serving;
  try {
    await invoke(scope, handleError, target.bare(ctx), [ctx, error]);
  } catch (thrown) {
    loggerOf(exchangeOf(ctx)).Warn(`Cannot handle an error in "${handleError.label()}":`, toError(thrown));
    const handler = target.errorHandler();
    if (handler === undefined) throw error;
    await handler(ctx, error);
  }
}

/** Errors of `HandleError` that were given a cause. */
const linked = new WeakSet<Error>();

/** Returns the error of a `HandleError` that fails, and has the error that it was to handle logged as its cause. */
function whileHandling({ target, ctx }: Serving, error: Error, second: Error): Error {
  if (second === error) return second;
  // An error that is thrown again and again would collect the causes of all requests.
  const isConstant = linked.has(second);
  if (isConstant) delete second.cause;
  const act = `Cannot handle an error in "${target.name}"`;
  if (isConstant || second.cause !== undefined || !Object.isExtensible(second)) {
    reportFailure(exchangeOf(ctx), new FrameworkError("FW_CONTROLLER", second.message, { cause: error }), act);
    return second;
  }
  linked.add(second);
  Object.defineProperty(second, "cause", { value: error, configurable: true, writable: true });
  // An error that is meant for the client is not logged elsewhere.
  if (second instanceof HTTPError) reportFailure(exchangeOf(ctx), second, act);
  return second;
}

/** Calls `EndRequest`, which sees what the client will get. Returns what is left to fw. */
function* endRequest(serving: Serving, end: Call, failure: Failure | undefined): Steps<Failure | undefined> {
  const { target, ctx, scope, chain, instance = {} } = serving;
  scope.close();
  const restore = failure === undefined || chain.isAbandoned ? undefined : show(ctx, failure);
  try {
    const ended = invoke(scope, end, instance, [ctx]);
    if (isThenable(ended)) yield ended;
  } catch (thrown) {
    if (thrown === stopped) return failure;
    if (failure === undefined) return yield* handle(serving, thrown);
    // The failure of the method counts more than that of `EndRequest`.
    reportFailure(exchangeOf(ctx), thrown, `Cannot end the request in "${target.name}"`);
  } finally {
    restore?.();
  }
  return failure;
}

/** Shows a failure to `EndRequest`. It then goes on to the middleware, which may respond to it in its own way. */
function show(ctx: Context, failure: Failure): () => void {
  const exchange = exchangeOf(ctx);
  const { error, isErrorPublic, draft } = exchange;
  const { status } = draft;
  exchange.error = toError(failure.thrown);
  exchange.isErrorPublic = false;
  draft.status = failureStatus(exchange.error);
  return () => {
    Object.assign(exchange, { error, isErrorPublic });
    draft.status = status;
  };
}

/** The values of a request: one scope for all controllers and handlers that serve it. */
function scopeOf(exchange: Exchange<Context>): Scope {
  const scope = exchange.injector as Scope | undefined;
  if (scope === undefined) return exchange.injector = new Scope(new RequestWork(exchange));
  scope.open();
  return scope;
}
