/**
 * Runs the handlers of a request.
 *
 * No promise is created as long as all handlers are synchronous. If one handler is asynchronous, all handlers before it
 * wait for it, even middleware that called `ctx.Next()` without awaiting it. Otherwise, an incomplete response would be
 * sent.
 *
 * @module
 */

import { LazyModule } from "../../../base/async/lazy_module.ts";
import { isThenable } from "../../../base/async/thenable.ts";
import { adopt, discard, type Draft } from "../../../http/response/draft.ts";
import { isDecodable, isResponse } from "../../../http/response/platform_response.ts";
import { hasStream } from "../../../http/response/stream.ts";
import { type Finisher, NextPromise } from "./next_promise.ts";

/** The return type of a handler. */
type Returned = void | Response | Promise<void | Response>;

/**
 * A handler with any type of context. The chain is below the context in the module hierarchy, so it does not know the
 * context's type.
 */
export type Step<C> = (ctx: C) => Returned;

/** The handlers of a request and the current position. */
export class Chain<C> {
  // Declared rather than defined, as in `Exchange`.
  declare handlers: readonly Step<C>[];
  index = 0;
  stopped = false;
  /** Whether the chain was stopped with a response, even if the response has no body. */
  hasResponse = false;
  /**
   * Whether the response was decided while handlers were still running, because of a timeout or another handler's
   * failure.
   */
  isAbandoned = false;
  /**
   * Whether a handler is being called. Rejections of promises that it starts are handled after it returns.
   */
  isWalking = false;
  /** The promises of asynchronous calls to `ctx.Next()`, if there are any. */
  promises: Promises | undefined = undefined;
  /** The position after which handlers were abandoned. Their results are ignored. */
  // A small integer is stored in the object itself, and `Infinity` is not.
  abandonedFrom: number = 2 ** 30 - 1;

  constructor(handlers: readonly Step<C>[]) {
    this.handlers = handlers;
  }
}

/** The start of a list of deeper promises, which is a promise or all of them. */
interface Linked {
  deeper: NextPromise | undefined;
}

/** The promises of asynchronous calls to `ctx.Next()`. */
interface Promises extends Linked {
  /**
   * The first promise. Each one links to the next deeper one, so that a handler finds those that it has to wait for
   * without walking through all others.
   */
  deeper: NextPromise | undefined;
  /** The deepest promise. */
  deepest: NextPromise | undefined;
  /** The promise that was the deepest one when the current handler was called. */
  base: NextPromise | undefined;
}

/** The state needed to run a chain. */
export interface Walker<C> extends Finisher {
  readonly context: C;
  readonly draft: Draft;
  readonly chain: Chain<C>;
  /**
   * Called if a handler returns a value that is not a response. Returns the error that fails the request, or
   * `undefined` if a response has been written anyway.
   */
  rejectReturned(value: unknown): Error | undefined;
}

/**
 * Processes the return value of a handler. A `Response` becomes the response; any other value is a mistake in untyped
 * code.
 *
 * @returns The error that fails the request, if there is one.
 */
export function accept<C>(walker: Walker<C>, returned: unknown): Error | undefined {
  // `null` and booleans are ignored silently: `condition && ctx.JSON(value)` returns them.
  if (returned === undefined || returned === null || typeof returned === "boolean") return undefined;
  if (!isResponse(returned)) return walker.rejectReturned(returned);
  adopt(walker.draft, returned);
  if (hasStream(returned) && isDecodable(returned.headers)) waitFor(walker, relabel(walker.draft));
  return undefined;
}

const labels = new LazyModule(() => import("../../../http/response/mislabeled.ts"));

/** Corrects the headers of a response that was rebuilt from one of `fetch()`, before middleware sees it. */
async function relabel(draft: Draft): Promise<void> {
  const { response } = draft;
  if (response === undefined || !isDecodable(response.headers)) return;
  const { relabeled } = await labels.get();
  const corrected = await relabeled(response);
  if (draft.response === response) draft.response = corrected;
  else await corrected.body?.cancel();
}

/**
 * Runs the first handler.
 *
 * @returns The handler's promise if any handler is asynchronous. Pass its result to {@linkcode settle}.
 */
export function start<C>(walker: Walker<C>): Promise<unknown> | undefined {
  const { chain } = walker;
  const first = chain.handlers[0];
  if (first === undefined) return undefined;
  const result = walk(walker, first);
  if (result === undefined && chain.promises === undefined) return undefined;
  return result instanceof Promise ? result : later(walker, 0, result);
}

/**
 * Finishes a handler: processes its return value and waits for everything it started but did not await.
 *
 * @param walker The request.
 * @param at The position of the handler.
 * @param value The return value, or the value its promise resolved to.
 * @param from The promise of the handler, if there is one. Only deeper promises can belong to what it started.
 * @returns A promise only if there is something to wait for.
 */
export function settle<C>(
  walker: Walker<C>,
  at: number,
  value: unknown,
  from?: Linked,
): Promise<void> | undefined {
  if (at > walker.chain.abandonedFrom) return void (isResponse(value) && discard(walker.draft, value.body));
  const mistake = value === undefined ? undefined : accept(walker, value);
  // The promise is rejected because an outer handler may be waiting for it.
  if (mistake !== undefined) return Promise.reject(mistake);
  // A response may have added the first promise.
  const first = from ?? walker.chain.promises;
  const rest = first && nearestOpen(first, at);
  if (first === undefined || rest === undefined) return undefined;
  rest.isOpen = false;
  return attend(walker, at, rest, first);
}

/**
 * Runs a whole chain.
 *
 * @returns A promise only if any of its handlers is asynchronous.
 */
export function runChain<C>(walker: Walker<C>): Promise<void> | undefined {
  return start(walker)?.then((value) => settle(walker, 0, value));
}

/** Runs the next handler, unless the chain has ended or is stopped. */
export function next<C>(walker: Walker<C>): Promise<void> | undefined {
  const { chain, draft: { gate } } = walker;
  // A handler that continues after its timeout must not run the error page's handlers.
  if (chain.stopped || (gate !== undefined && !gate.mayWrite())) return undefined;
  const at = ++chain.index;
  const handler = chain.handlers[at];
  if (handler === undefined) return undefined;
  const result = chain.isWalking ? handler(walker.context) : walk(walker, handler);
  const { promises } = chain;
  const started = (promises?.base ?? promises)?.deeper;
  if (result === undefined && started === undefined) return undefined;
  // A handler that returns the result of `ctx.Next()` and started nothing else.
  if (result === started) return started;
  const own = result instanceof Promise ? result : later(walker, at, result);
  return own === undefined ? undefined : hold(walker, own, at);
}

/** Inserts handlers after the current one, for this request only. */
export function insertNext<C>(chain: Chain<C>, handlers: readonly Step<C>[]): void {
  chain.handlers = chain.handlers.toSpliced(chain.index + 1, 0, ...handlers);
}

/**
 * Waits for a promise before the response is sent, even if the handler that started it does not await it. An error
 * belongs to the handler if it does, and to the request otherwise.
 *
 * @returns The promise for the handler, or `undefined` if there is nothing to wait for.
 */
export function waitFor<C, P extends Promise<void> | undefined>(walker: Walker<C>, own: P): P;
export function waitFor<C>(walker: Walker<C>, own: Promise<void> | undefined): Promise<void> | undefined {
  return own === undefined ? undefined : hold(walker, own, walker.chain.index + 1);
}

/** Creates the promise for handlers that are running. */
function hold<C>(walker: Walker<C>, own: Promise<unknown>, at: number): NextPromise {
  const { chain } = walker;
  const rest = new NextPromise(at, own, walker);
  insert(chain, rest);
  // The handler called `Next` after it had returned, so its promise must be guarded here.
  if (!chain.isWalking) rest.guard();
  return rest;
}

/**
 * Links a promise to the others by its position. Handlers that call each other synchronously return in reverse order,
 * so the place is directly behind the promises that existed before the outermost of them was called, or at the end.
 */
function insert<C>(chain: Chain<C>, rest: NextPromise): void {
  const promises = chain.promises ??= { deeper: undefined, deepest: undefined, base: undefined };
  const { deepest, base } = promises;
  let before: Linked = deepest !== undefined && deepest.at <= rest.at ? deepest : base ?? promises;
  while (before.deeper !== undefined && before.deeper.at < rest.at) before = before.deeper;
  rest.deeper = before.deeper;
  before.deeper = rest;
  if (rest.deeper === undefined) promises.deepest = rest;
}

/** Returns the nearest open promise that is deeper than a position. */
function nearestOpen(from: Linked, at: number): NextPromise | undefined {
  let rest = from.deeper;
  // Closed promises are skipped only once. The last one stays, because others may be linked to it.
  while (rest?.deeper !== undefined && !rest.isOpen) rest = rest.deeper;
  from.deeper = rest;
  while (rest !== undefined && !(rest.isOpen && rest.at > at)) rest = rest.deeper;
  return rest;
}

/**
 * Calls a handler and guards the promises from `ctx.Next()` that nothing is about to await. This is done once per walk
 * rather than once per handler, which would cost 20 ns each. Promises settle only after the walk is over.
 */
function walk<C>(walker: Walker<C>, handler: Step<C>): Returned {
  const { chain } = walker;
  if (chain.promises !== undefined) chain.promises.base = chain.promises.deepest;
  chain.isWalking = true;
  try {
    return handler(walker.context);
  } finally {
    chain.isWalking = false;
    if (chain.promises !== undefined) guardAll(chain.promises);
  }
}

/** Guards the promises that the current handler has started. */
function guardAll({ deepest, base, deeper }: Promises): void {
  if (deepest === base) return;
  for (let rest = base === undefined ? deeper : base.deeper; rest !== undefined; rest = rest.deeper) rest.guard();
}

/**
 * Waits for a `ctx.Next()` promise, then for the earlier ones. An error is rethrown only if no handler has awaited the
 * promise.
 */
async function attend<C>(walker: Walker<C>, at: number, rest: NextPromise, from: Linked): Promise<void> {
  try {
    await rest.follow();
  } catch (error) {
    if (!rest.isObserved) throw error;
  }
  await settle(walker, at, undefined, from);
}

/**
 * Abandons the handlers after a position: nothing waits for them, and no handlers run after them. Their responses are
 * canceled.
 *
 * @param chain The chain.
 * @param at The position.
 */
export function abandon<C>(chain: Chain<C>, at: number): void {
  chain.stopped = chain.isAbandoned = true;
  chain.abandonedFrom = Math.min(chain.abandonedFrom, at);
  for (let rest = chain.promises?.deeper; rest !== undefined; rest = rest.deeper) {
    if (rest.at <= at) continue;
    rest.isOpen = false;
    rest.follow(null, () => {});
  }
}

/**
 * Returns the promise to wait for if a handler did not return a native promise. This is its thenable or the
 * `ctx.Next()` promise it started.
 */
function later<C>(walker: Walker<C>, at: number, result: Returned): Promise<unknown> | undefined {
  if (result instanceof NextPromise) return result;
  return isThenable(result) ? Promise.resolve(result) : settle(walker, at, result, walker.chain.promises?.base);
}
