/**
 * Tracks requests whose handlers are still running, so that a shutdown can drain them or end them after its timeout.
 *
 * @module
 */

import type { Exchange } from "../exchange.ts";

type Resolve = (response: Response) => void;
type Reject = (error: unknown) => void;

/** A request in flight. It is a link in a linked list. */
export class Flight<R> {
  readonly request: R;
  readonly resolve: Resolve;
  readonly reject: Reject;
  /** Whether the response has been decided by the handlers, a timeout or a shutdown. */
  isDecided = false;
  /** Whether the response has been sent. */
  isOver = false;
  /** The promise of the handlers, if they were still running when the request was added. */
  own: Promise<unknown> | undefined = undefined;
  /** The time limit of the handlers, if there is one. */
  clock: { clear(): void } | undefined = undefined;
  /** The request that was added after this one, or `undefined` if this one is first or not in a list. */
  previous: Flight<R> | undefined = undefined;
  /** The request that was added before this one. */
  next: Flight<R> | undefined = undefined;

  /** Creates a link that is not in any list. */
  constructor(request: R, resolve: Resolve, reject: Reject) {
    this.request = request;
    this.resolve = resolve;
    this.reject = reject;
  }
}

/**
 * The requests in flight. The linked list costs 30 ns per request with an asynchronous handler. A circular one costs 65
 * ns, because each reference from an old object to a new one is recorded for the garbage collector, and a `Set` costs
 * even more.
 */
export class InFlight<R> {
  #first: Flight<R> | undefined = undefined;
  #drained: PromiseWithResolvers<void> | undefined = undefined;

  /**
   * Adds a request whose response is pending.
   *
   * @param request The request.
   * @param resolve Sends a response.
   * @param reject Fails the request.
   * @returns The request, to be ended by {@linkcode InFlight.send} or {@linkcode InFlight.fail}.
   */
  add(request: R, resolve: Resolve, reject: Reject): Flight<R> {
    const flight = new Flight(request, resolve, reject);
    const next = this.#first;
    if (next !== undefined) next.previous = flight;
    flight.next = next;
    return this.#first = flight;
  }

  /** Ends a request with its response. If the request was cut off, the response is dropped. */
  send(flight: Flight<R>, response: Response): void {
    if (flight.isOver) return void response.body?.cancel().catch(ignore);
    this.#remove(flight);
    flight.resolve(response);
  }

  /** Ends a request with an internal error of fw. Errors from handlers have already become responses. */
  fail(flight: Flight<R>, error: unknown): void {
    this.#remove(flight);
    flight.reject(error);
  }

  /** Returns a promise that resolves when no request is in flight. */
  drained(): Promise<void> {
    if (this.#first === undefined) return Promise.resolve();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /**
   * Ends the requests in flight one after another until none are left. The function must end the request that it
   * receives.
   */
  endAll(end: (flight: Flight<R>) => void): void {
    while (this.#first !== undefined) end(this.#first);
  }

  #remove(flight: Flight<R>): void {
    // A request that was cut off may fail afterwards.
    if (flight.isOver) return;
    flight.isOver = true;
    const { previous, next } = flight;
    if (next !== undefined) next.previous = previous;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    // A handler that never ends must not keep later requests in memory.
    flight.previous = flight.next = undefined;
    if (this.#drained === undefined || this.#first !== undefined) return;
    this.#drained.resolve();
    this.#drained = undefined;
  }
}

/** The requests of an application that have not finished. */
export interface Unfinished<C> {
  /** The requests whose handlers are still running. */
  readonly inFlight: InFlight<Exchange<C>>;
  /** Whether the server is about to stop. Responses then tell clients to close the connection. */
  isLeaving: boolean;
}

function ignore(): void {}
