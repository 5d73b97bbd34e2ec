/**
 * Every slot of a request and of its response, in one record.
 *
 * @module
 */

import { Body } from "../body/body.ts";
import type { BodyLimits } from "../body/body_limits.ts";
import { lowerASCII } from "../http/path.ts";
import { decodedPath, type PathPlace, queryStart, rawPath } from "../http/request_url.ts";
import { Params } from "../input/params.ts";
import { Query } from "../input/query.ts";
import type { Logger } from "../log/logger.ts";
import { Draft, isShut, type WriteGate } from "../response/draft.ts";
import type { AppRuntime } from "./app_runtime.ts";
import { Chain, settle, type Step, type Walker } from "./chain/chain.ts";
import type { ConnectionInfo } from "./client/peer_address.ts";
import { ClientWatch } from "./client/client_watch.ts";
import type { CompiledRoute } from "./compiled_route.ts";
import { EndTasks } from "./ending/end_tasks.ts";
import type { RequestLanguage } from "./languages.ts";
import { reportFailure } from "./report_failure.ts";
import { loggerOf } from "./request_logger.ts";
import type { RequestTarget } from "./request_target.ts";
import { Values } from "./values.ts";
import { ViewState } from "./view_state.ts";
import type { Writers } from "./ending/writers.ts";

/**
 * One request and its response, as the parts of fw see it. The context of the request is the public face of it.
 *
 * `C` is that context: this record stands below it and only hands it to the handlers.
 */
export class Exchange<C> implements WriteGate, Walker<C> {
  readonly context: C;
  /** What the request is about. */
  readonly target: RequestTarget;
  /** Replaced by the route that takes over from it, if there is one. */
  route: CompiledRoute<C>;
  /** That of the request also where a handler runs another route. */
  draft: Draft = new Draft();
  chain: Chain<C>;
  error: Error | undefined = undefined;
  /** Whether the client may see the message of the error. */
  isErrorPublic = false;
  /** The last failure that was reported. */
  reported: unknown = undefined;
  tasks: EndTasks | undefined = undefined;
  /** Who may still write once the response is decided; `undefined` when it is sent, as no one may then. */
  writers: Writers | undefined = undefined;
  hasRefusedWrite = false;
  // Created on first use, by the functions below.
  params: Params | undefined = undefined;
  values: Values | undefined = undefined;
  view: ViewState | undefined = undefined;
  body: Body | undefined = undefined;
  query: Query | undefined = undefined;
  /** The dependencies of the request; the floor of the controllers knows what it is. */
  injector: unknown = undefined;
  watch: ClientWatch | undefined = undefined;
  language: RequestLanguage | undefined = undefined;
  /** The representations that handlers offer; created by the file that decides between them. */
  negotiation: unknown = undefined;
  logger: Logger | undefined = undefined;
  /** What the log and the client know the request by; empty where no middleware gave it one. */
  id = "";

  constructor(context: C, target: RequestTarget, route: CompiledRoute<C>) {
    this.context = context;
    this.target = target;
    this.route = route;
    this.chain = new Chain(route.chain);
    if (target.runtime.config.Development) this.draft.onReplace = () => this.#warnOfReplaced();
  }

  get runtime(): AppRuntime {
    return this.target.runtime;
  }

  /** The request as it arrived. */
  get request(): Request {
    return this.target.request;
  }

  get connection(): ConnectionInfo | undefined {
    return this.target.connection;
  }

  /** The method that is meant. */
  get method(): string {
    return this.target.method;
  }

  /** Where the path and its parameters lie in the URL that is meant. */
  get place(): PathPlace {
    return this.target;
  }

  /** Brings the handler at a position of the chain to its end. */
  conclude(at: number, value: unknown): Promise<void> | undefined {
    return settle(this, at, value);
  }

  mayWrite(): boolean {
    return this.writers !== undefined && this.writers.admit();
  }

  /** Warns of a handler that writes when the response is decided, once per request. */
  refuseWrite(): void {
    if (this.hasRefusedWrite) return;
    this.hasRefusedWrite = true;
    const isFailed = this.error !== undefined || this.writers?.isEnding === false;
    const why = isFailed ? "the request had failed before" : "it has left, an await may be missing";
    loggerOf(this).Warn(`Cannot change the response to ${this.method} ${rawPath(this.target)}: ${why}`);
  }

  /** Warns of a handler that writes a second document, once per request. */
  #warnOfReplaced(): void {
    this.draft.onReplace = undefined;
    loggerOf(this).Warn(
      `The response to ${this.method} ${rawPath(this.place)} was written twice: the last document replaces the body ` +
        "before it, a return may be missing",
    );
  }

  /** Reports a task that fails after the response. */
  reportEndFailure(error: unknown): void {
    reportFailure(this, error, "Cannot end a request");
  }

  /** Tells of a handler that returned what is not a response: it is ignored. */
  reportReturned(value: unknown): void {
    loggerOf(this).Error(
      `Cannot use what a handler of ${this.method} ${rawPath(this.target)} returned: ` +
        `a value of type "${typeof value}" is not a Response`,
    );
  }
}

/** The path parameters. */
export function paramsOf<C>(exchange: Exchange<C>): Params {
  return exchange.params ??= new Params(exchange.route.names, exchange.target);
}

/** What handlers leave for one another. */
export function valuesOf<C>(exchange: Exchange<C>): Values {
  return exchange.values ??= new Values();
}

/** What handlers gather for a template. */
export function viewStateOf<C>(exchange: Exchange<C>): ViewState {
  return exchange.view ??= new ViewState();
}

/** The body of the request. */
export function bodyOf<C>(exchange: Exchange<C>): Body {
  return exchange.body ??= openBody(exchange);
}

function openBody<C>(exchange: Exchange<C>): Body {
  // Its type and its length are headers.
  exchange.route.readsHeaders = true;
  return new Body(exchange.request, limitsOf(exchange));
}

function limitsOf<C>({ connection, runtime }: Exchange<C>): BodyLimits {
  return connection === undefined ? runtime.localLimits : runtime.limits;
}

/** The query of the request. */
export function queryOf<C>(exchange: Exchange<C>): Query {
  return exchange.query ??= new Query(exchange.target.url, queryStart(exchange.target));
}

/** What notices that the client has gone. */
export function watchOf<C>(exchange: Exchange<C>): ClientWatch {
  // The watch ends when the response leaves, which only requests with tasks take notice of.
  exchange.tasks ??= new EndTasks();
  return exchange.watch ??= new ClientWatch(exchange.request);
}

/** The body, if it holds something that must be released. */
export function bodyToClose<C>(exchange: Exchange<C>): Body | undefined {
  return exchange.body?.isHeld ? exchange.body : undefined;
}

/** Puts another chain in place, to be run from its start. */
export function replaceChain<C>(exchange: Exchange<C>, handlers: readonly Step<C>[]): void {
  exchange.chain = new Chain(handlers);
}

/** Keeps an error whose message the client may see. */
export function setPublicError<C>(exchange: Exchange<C>, error: Error): void {
  if (isShut(exchange.draft)) return;
  exchange.error = error;
  exchange.isErrorPublic = true;
}

/** The path that was matched: a guard that compares another spelling would be passed by what the router serves. */
export function routedPath<C>(exchange: Exchange<C>): string {
  const path = decodedPath(exchange.target);
  return exchange.runtime.config.LowercaseRouting ? lowerASCII(path) : path;
}
