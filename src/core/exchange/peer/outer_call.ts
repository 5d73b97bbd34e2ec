/**
 * The record that a call passes on with a request that it makes inside the process.
 *
 * @module
 */

/**
 * The facts about a call that are decided where the call enters. Mounted applications, tool calls and cache renewals
 * pass them on with the request, so that the application that serves it does not decide them again.
 */
export interface OuterCall {
  /** The applications whose shutdown also ends the streams and connections of the request, innermost first. */
  readonly apps?: readonly StoppingApp[] | undefined;
  /**
   * The part of the client's path that was removed before the request was passed on, including language prefixes,
   * URL-encoded and without a final slash. Usually empty. Paths for the client begin with it.
   */
  readonly prefix?: string | undefined;
  /** The target of the request that was passed on. Only the layer above knows its type. */
  readonly outside?: object | undefined;
  /** The part of the path that the mount has removed, URL-encoded and without a final slash. */
  readonly removed?: string | undefined;
  /** The base path of the outermost application, which is the default path of cookies. */
  readonly base?: string | undefined;
  /**
   * The position of the application among those of a switch that see the same host instead of their own. Their pages
   * have the same URLs.
   */
  readonly site?: string | undefined;
  /** The exchange of the outer call. Only the layer above knows its type (`outerExchange`). */
  readonly exchange?: object | undefined;
  /** The request ID of a call that has already ended. Otherwise, the exchange has it. */
  readonly requestID?: string | undefined;
  /**
   * Whether the request renews a cached response in the background. Guards run for it, but no client waits for it, so
   * that limits, access logs, metrics and traces do not count it.
   */
  readonly isRenewal?: boolean | undefined;
  /** Receives the exchange of every request that belongs to the call, for tests. */
  readonly witness?: ((exchange: object) => void) | undefined;
  /** The route that the call was offered for. If it is set, no other route of its application serves the request. */
  readonly route?: BoundRoute | undefined;
}

/** The route that a call is bound to. */
export interface BoundRoute {
  /** The runtime of the application where the call enters. */
  readonly entry: object;
  /** The runtime of the route's application, once the route is reached. Applications behind it are not bound. */
  app: object | undefined;
  /** The registered route. */
  readonly info: object;
  /** The routes of the mounts that lead to it. */
  readonly mounts: ReadonlySet<object>;
  /** The language prefix of the path where the call entered. The path of the request itself has none. */
  readonly language: string;
  /**
   * The API version of the route, if it has one. It applies unless the caller asks for another one, regardless of the
   * version that the application assumes for requests without one.
   */
  readonly version?: string | undefined;
  /** The call, if the route can talk to its caller. Its type is only known to the module that made the call. */
  readonly call?: object | undefined;
  /** Serializes JSON for the caller. Throws if JSON cannot express a part of the value. */
  readonly writeExactly: (value: unknown) => string;
  /** Whether the request did not lead to the route. No handler has run in this case. */
  isMissed: boolean;
}

/** The records created by fw. A program can pass any object as connection info, even one with an `outer` member. */
const passed = new WeakSet<OuterCall>();

/** Marks a record as created by fw, so that the application that receives it takes it over. */
export function passOn(outer: OuterCall): OuterCall {
  passed.add(outer);
  return outer;
}

/**
 * Returns the record that an outer call has passed on with a request, or `undefined` if there is none. The target of a
 * request has it as `outer`, so only code that runs before there is a target needs this function.
 */
export function outerCallOf(connection: object | undefined): OuterCall | undefined {
  const outer = (connection as { readonly outer?: OuterCall } | undefined)?.outer;
  return outer !== undefined && passed.has(outer) ? outer : undefined;
}

/** The part of an application that ends streams and connections at a shutdown. */
export interface StoppingApp {
  /** Aborted when a shutdown begins. Replaced when the application is run again. */
  leaving: AbortController;
  /** Aborted when a shutdown cuts off requests that are still in flight. Replaced when the application is run again. */
  cutOff: AbortController;
  /**
   * Functions that close connections which are no longer HTTP requests, such as WebSockets, when a shutdown begins.
   * Requests are still served in the meantime. The parameter is the deadline on the `performance.now()` clock.
   */
  readonly drains: Set<(until: number) => Promise<void>>;
  /** The work that continues after responses were sent. A graceful shutdown waits for it. */
  readonly trailing: Set<Promise<unknown>>;
}

/** The target of a request. */
interface Passing {
  readonly runtime: StoppingApp;
  readonly outer: OuterCall | undefined;
}

/** Returns the application that serves a request, followed by those that have passed the request to it. */
export function stoppingApps({ runtime, outer }: Passing): readonly StoppingApp[] {
  return [runtime, ...outer?.apps ?? []];
}

/**
 * Returns a signal that aborts when one of a request's applications begins to shut down, or when its shutdown cuts off
 * the request.
 */
export function leavingSignal(passing: Passing, name: "leaving" | "cutOff" = "leaving"): AbortSignal {
  const apps = stoppingApps(passing);
  return apps.length === 1 ? passing.runtime[name].signal : AbortSignal.any(apps.map((app) => app[name].signal));
}

/** Lets the shutdown of a request's applications wait for work. The promise must not reject. */
export function trail(passing: Passing, work: Promise<unknown>): void {
  for (const { trailing } of stoppingApps(passing)) {
    const added = work.finally(() => trailing.delete(added));
    trailing.add(added);
  }
}
