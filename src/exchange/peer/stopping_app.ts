/**
 * The applications that a request passes through. If one of them shuts down, its streams and connections end.
 *
 * @module
 */

/** The part of an application that ends streams and connections at a shutdown. */
export interface StoppingApp {
  /** Aborted when a shutdown begins. Replaced when the application is run again. */
  leaving: AbortController;
  /**
   * Functions that close connections which are no longer HTTP requests, such as WebSockets, when a shutdown begins.
   * Requests are still served in the meantime. The parameter is the deadline on the `performance.now()` clock.
   */
  readonly drains: Set<(until: number) => Promise<void>>;
}

/** A request within an application. */
interface Passing {
  readonly runtime: StoppingApp;
  readonly target: { readonly outer: { readonly apps?: readonly StoppingApp[] | undefined } | undefined };
}

/** Returns the application that serves a request, followed by those that have passed the request to it. */
export function stoppingApps({ runtime, target: { outer } }: Passing): readonly StoppingApp[] {
  return [runtime, ...outer?.apps ?? []];
}

/** Returns a signal that aborts when one of a request's applications begins to shut down. */
export function leavingSignal(passing: Passing): AbortSignal {
  const apps = stoppingApps(passing);
  return apps.length === 1
    ? passing.runtime.leaving.signal
    : AbortSignal.any(apps.map(({ leaving }) => leaving.signal));
}
