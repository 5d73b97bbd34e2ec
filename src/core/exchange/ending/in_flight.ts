/**
 * Tracks requests whose handlers are still running, so that a shutdown can drain them or end them after its timeout.
 *
 * @module
 */

import type { Exchange } from "../exchange.ts";

type Resolve = (response: Response) => void;
type Reject = (error: unknown) => void;

/** A request in flight. It is a link in a circular linked list. */
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
  #previous: Flight<R> = this;
  #next: Flight<R> = this;

  /** Creates a link that is not in any list. */
  constructor(request: R, resolve: Resolve, reject: Reject) {
    this.request = request;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Returns the next link, or the link itself if it is alone. */
  get next(): Flight<R> {
    return this.#next;
  }

  /** Inserts this link after another one. */
  enter(ring: Flight<R>): void {
    this.#next = ring.#next;
    this.#previous = ring;
    ring.#next.#previous = this;
    ring.#next = this;
  }

  /** Removes this link from its list. */
  leave(): void {
    this.#previous.#next = this.#next;
    this.#next.#previous = this.#previous;
    this.#previous = this.#next = this;
  }
}

/**
 * The requests in flight. A circular linked list costs 0.1 µs per request with an asynchronous handler, and a `Set`
 * costs three times as much.
 */
export class InFlight<R> {
  // The sentinel of the circular list does not belong to a request.
  readonly #ring = new Flight<R>(undefined as R, ignore, ignore);
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
    flight.enter(this.#ring);
    return flight;
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
    if (this.#isEmpty()) return Promise.resolve();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /**
   * Ends the requests in flight one after another until none are left. The function must end the request that it
   * receives.
   */
  endAll(end: (flight: Flight<R>) => void): void {
    while (!this.#isEmpty()) end(this.#ring.next);
  }

  #remove(flight: Flight<R>): void {
    flight.isOver = true;
    flight.leave();
    if (this.#drained === undefined || !this.#isEmpty()) return;
    this.#drained.resolve();
    this.#drained = undefined;
  }

  #isEmpty(): boolean {
    return this.#ring.next === this.#ring;
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
