/**
 * The internal state of a request and its response, in one record.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import { RequestBody } from "../../http/body/request_body.ts";
import type { BodyLimits } from "../../http/body/source/body_limits.ts";
import { lowerASCII } from "../../http/headers/path.ts";
import { decodedPath, type PathPlace, queryStart, rawPath } from "../../http/headers/request_url.ts";
import { Draft, isShut, isWritten, termsOf, type WriteGate } from "../../http/response/draft.ts";
import { type ParamRoute, Params } from "../accessors/params.ts";
import { Query } from "../accessors/query.ts";
import type { AppRuntime, DevelopmentAids } from "./app_runtime.ts";
import { Chain, settle, type Walker } from "./chain/chain.ts";
import type { NextPromise } from "./chain/next_promise.ts";
import { type CompiledRoute, type ViewSource, ViewState } from "./compiled_route.ts";
import { type Extras, extrasOf } from "./extras.ts";
import { ClientWatch } from "./peer/client_watch.ts";
import type { PassedConnection } from "./peer/peer_address.ts";
import { reportFailure } from "./report_failure.ts";
import { loggerOf } from "./request_logger.ts";
import type { RequestTarget } from "./request_target.ts";
import { existingOwnValues, type Key, Values } from "./values.ts";

/** The ending of a request, which decides who may still write to the response. */
export interface EndingGate {
  /** Whether the response has not been decided. */
  readonly isOpen: boolean;
  /** Reports whether the running code may write. */
  admits(): boolean;
}

/**
 * A request and its response, as used inside fw. The context is the public interface to it.
 *
 * `C` is the type of the context. This module is below the context in the module hierarchy and only passes the context
 * to handlers.
 */
export class Exchange<C> implements WriteGate, Walker<C> {
  // Declared rather than defined, because a field that the constructor assigns would be written twice in every request.
  declare readonly context: C;
  /** The target of the request. */
  declare readonly target: RequestTarget;
  /** The matched route. Another route may replace it during the request. */
  declare route: CompiledRoute<C>;
  /** The draft of the response. If a handler runs another route, both share it. */
  draft: Draft = new Draft();
  declare chain: Chain<C>;
  error: Error | undefined = undefined;
  /** Whether the client may see the error message. */
  isErrorPublic = false;
  /** The ending of the request, created by `src/core/exchange/ending/` if there is anything to do before it is over. */
  ending: EndingGate | undefined = undefined;
  // Created on first use by the functions below.
  params: Params | undefined = undefined;
  values: Values | undefined = undefined;
  body: RequestBody | undefined = undefined;
  query: Query | undefined = undefined;
  /** The dependencies of the request. Their type is only known to the controller layer. */
  injector: unknown = undefined;
  watch: ClientWatch | undefined = undefined;
  /** Whether handlers, also those of mounted applications, have read the cookies of the request or its session. */
  readsCookies = false;
  extras: Extras | undefined = undefined;

  constructor(context: C, target: RequestTarget, route: CompiledRoute<C>) {
    this.context = context;
    this.target = target;
    this.route = route;
    this.chain = new Chain(route.chain);
    if (target.runtime.development !== undefined) develop(this, target.runtime.development);
  }

  get runtime(): AppRuntime {
    return this.target.runtime;
  }

  /** Returns the request ID, or an empty string if no middleware has set it. A mounted application shares the ID. */
  get id(): string {
    return this.extras?.id || (outerExchange(this)?.id ?? "");
  }

  set id(id: string) {
    extrasOf(this).id = id;
    const outer = outerExchange(this);
    if (outer !== undefined && outer.id === "") outer.id = id;
  }

  /** Returns the request as it arrived. */
  get request(): Request {
    return this.target.request;
  }

  get connection(): PassedConnection | undefined {
    return this.target.connection;
  }

  /** Returns the effective method. */
  get method(): string {
    return this.target.method;
  }

  /** Returns the location of the path and its parameters in the effective URL. */
  get place(): PathPlace {
    return this.target;
  }

  finish(rest: NextPromise, value: unknown): Promise<void> | undefined {
    return settle(this, rest.at, value, rest);
  }

  mayWrite(): boolean {
    return this.ending !== undefined && this.ending.admits();
  }

  /** Warns once per request if a handler writes after the response is decided. */
  refuseWrite(): void {
    const extras = extrasOf(this);
    if (extras.isWarned) return;
    extras.isWarned = true;
    const isFailed = this.error !== undefined || this.ending?.isOpen === true;
    const why = isFailed ? "the request has already failed" : "it has already been sent, an await may be missing";
    loggerOf(this).Warn(`Cannot change the response to ${this.method} ${rawPath(this.target)}: ${why}`);
  }

  /** Reports a task that failed after the response was sent. */
  reportEndFailure(error: unknown): void {
    reportFailure(this, error, "Cannot run an end task of a request");
  }

  /** Creates the error for a return value that is not a response. */
  notResponse(source: string, value: unknown, hint = ""): FrameworkError {
    return new FrameworkError(
      "FW_RETURN",
      `Cannot use the return value of ${source} for ${this.method} ${rawPath(this.target)}: ` +
        `a value of type "${value === null ? "null" : typeof value}" is not a Response${hint}`,
    );
  }

  /** Rejects a value that is not a response. If a response has been written, the value is only logged. */
  rejectReturned(value: unknown): Error | undefined {
    const hint = hints[typeof value] ?? "write it with ctx.JSON";
    const error = this.notResponse("a handler", value, `, ${hint}`);
    if (!isWritten(this.draft)) return error;
    loggerOf(this).Error(error.message);
    return undefined;
  }
}

/** The hints for values that are not responses, by type. */
const hints: Partial<Record<string, string>> = {
  string: "write it with ctx.WriteString",
  function: "call the function that creates the middleware before you register it",
};

/** Records the handlers, and logs a warning, once per request, if one of them writes a second document. */
// A function that creates a closure allocates memory for its variables in every call, so the constructor creates none.
function develop<C>(exchange: Exchange<C>, aids: DevelopmentAids): void {
  const { chain, draft } = exchange;
  if (aids.recorder !== undefined) chain.handlers = aids.recorder.timed(chain.handlers) as typeof chain.handlers;
  termsOf(draft).onReplace = () => aids.warnOfReplaced(exchange, loggerOf(exchange));
}

/** Returns the exchange of the call that has passed on a request, or `undefined` if it came from a client. */
export function outerExchange<C>({ target }: Exchange<C>): Exchange<C> | undefined {
  // The record was created by fw, so this is an exchange. All applications have the same type of context.
  return target.outer?.exchange as Exchange<C> | undefined;
}

/** Returns the exchange of the request that the client has sent. */
export function outermostExchange<C>(exchange: Exchange<C>): Exchange<C> {
  const outer = outerExchange(exchange);
  return outer === undefined ? exchange : outermostExchange(outer);
}

/** Iterates over the exchanges of a call, from the one that serves it to the one that the client has sent. */
export function* exchangesOf<C>(exchange: Exchange<C>): Generator<Exchange<C>> {
  for (let at: Exchange<C> | undefined = exchange; at !== undefined; at = outerExchange(at)) yield at;
}

/** Returns a value that middleware has set for a call or, if it is not set, for the calls around it. */
export function valueOf<C, T>(exchange: Exchange<C>, key: Key<T>): T | undefined {
  const outer = outerExchange(exchange);
  return exchange.values?.Get(key) ?? (outer && valueOf(outer, key));
}

/** Returns the source of data for the templates of a call or, if it has none, of the calls around it. */
export function viewSourceOf<C>(exchange: Exchange<C>): ViewSource | undefined {
  const outer = outerExchange(exchange);
  return existingOwnValues(exchange.values)?.viewSource ?? (outer && viewSourceOf(outer));
}

/** Returns the path parameters. */
export function paramsOf<C>(exchange: Exchange<C>): Params {
  return exchange.params ??= newParams(exchange);
}

function newParams<C>({ route, target }: Exchange<C>): Params {
  const { development } = target.runtime;
  return new Params(development === undefined ? route : warningRoute(route, development), target);
}

function warningRoute<C>(route: CompiledRoute<C>, aids: DevelopmentAids): ParamRoute {
  const { names, template, info } = route;
  return info === undefined ? route : { names, template, onMissing: (name) => aids.warnOfParam(info, name) };
}

/** Returns the values that handlers share with each other. */
export function valuesOf<C>(exchange: Exchange<C>): Values {
  return exchange.values ??= newValues(exchange);
}

function newValues<C>(exchange: Exchange<C>): Values {
  // Extensions of an application around this one may provide values, too.
  const isPlain = exchange.route.party.attached === undefined && outerExchange(exchange) === undefined;
  return isPlain ? new Values() : new Values((key) => exchange.runtime.provide(exchange, key));
}

/** Returns the view state that handlers have collected for a template. */
export function viewStateOf<C>(exchange: Exchange<C>): ViewState {
  return extrasOf(exchange).view ??= new ViewState();
}

/** Returns the request body. */
export function bodyOf<C>(exchange: Exchange<C>): RequestBody {
  return exchange.body ??= openBody(exchange);
}

function openBody<C>(exchange: Exchange<C>): RequestBody {
  // The content type and length headers are needed to read the body.
  exchange.route.readsHeaders = true;
  const body = new RequestBody(exchange.request, limitsOf(exchange));
  const { route: { info }, runtime: { development } } = exchange;
  if (development !== undefined && info !== undefined) {
    body.onOtherType = (type) => development.warnOfForm(info, type);
  }
  return body;
}

function limitsOf<C>({ connection, runtime }: Exchange<C>): BodyLimits {
  return connection === undefined ? runtime.localLimits : runtime.limits;
}

/** Returns the query of the request. */
export function queryOf<C>(exchange: Exchange<C>): Query {
  return exchange.query ??= new Query(exchange.target.url, queryStart(exchange.target));
}

/** Returns the watcher that notices when the client disconnects. */
export function watchOf<C>(exchange: Exchange<C>): ClientWatch {
  return exchange.watch ??= openWatch(exchange);
}

function openWatch<C>(exchange: Exchange<C>): ClientWatch {
  const outer = outerExchange(exchange);
  const { connection, draft, request } = exchange;
  // The streams and connections of a response that has begun report themselves that the client has disconnected. Over
  // HTTP/2, whose requests have no Host header, a signal that is read later misses an earlier disconnect.
  const when = draft.upgrade !== undefined
    ? "never"
    : connection && draft.gate === undefined && request.headers.has("host")
    ? "later"
    : "now";
  const watch = new ClientWatch(request, outer && watchOf(outer), when);
  if (exchange.extras?.isLate) watch.expire();
  return watch;
}

/** Aborts the signal of a call whose handlers have timed out, even if a handler reads the signal later. */
export function expireCall<C>(exchange: Exchange<C>): void {
  const extras = extrasOf(exchange);
  extras.isLate = true;
  exchange.watch?.expire();
  for (const stop of extras.onLate ?? []) stop();
}

/** Runs no further handlers of a call if the call around it times out, and reports its labels to that call. */
export function joinCall<C>(outer: Exchange<C>, exchange: Exchange<C>): void {
  if (exchange.route.party.attached?.labels.some(({ isVaried }) => isVaried)) {
    for (const each of exchangesOf(outer)) extrasOf(each).isVariedInside = true;
  }
  (extrasOf(outer).onLate ??= []).push(() => {
    exchange.chain.stopped = true;
    expireCall(exchange);
  });
}

/** Stores an error for error handlers and developers. Its message is not sent to the client. */
export function setPrivateError<C>(exchange: Exchange<C>, error: Error): void {
  if (isShut(exchange.draft)) return;
  exchange.error = error;
  exchange.isErrorPublic = false;
}

/** Stores an error whose message the client may see. */
export function setPublicError<C>(exchange: Exchange<C>, error: Error): void {
  if (isShut(exchange.draft)) return;
  exchange.error = error;
  exchange.isErrorPublic = true;
}

/**
 * Returns the path that the router matched. If a guard checked a differently encoded path, it could be bypassed.
 */
export function routedPath<C>(exchange: Exchange<C>): string {
  const path = decodedPath(exchange.target);
  return exchange.runtime.config.LowercaseRouting ? lowerASCII(path) : path;
}
