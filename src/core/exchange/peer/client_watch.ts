/**
 * Detects clients that disconnect before they have received the whole response.
 *
 * Deno aborts `request.signal` at the end of every request, even a successful one, and settles `completed` in the same
 * way in both cases. An abort is therefore only meaningful until the response is handed over. After that, the body
 * stream is watched, because it is canceled if the client disconnects. If the response is not a stream, a disconnect
 * can no longer be detected.
 *
 * If `request.signal` of a successful request was read, Deno prints a line, once per process. Most responses are ready
 * soon, so the signal of an HTTP/1 request is read only if the request takes longer. A disconnect in the meantime is
 * then noticed, too.
 *
 * @module
 */

import { AsyncContext, inContext } from "../../../base/async/async_context.ts";

/** The time after which the signal of a request is read, in milliseconds. */
const DELAY_MS = 100;

/** Watches a request. Reading `request.signal` costs 22 µs, so a watch is created only if needed. */
export class ClientWatch {
  readonly #controller = new AbortController();
  readonly #leave: () => void;
  #incoming: AbortSignal | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #context: AsyncContext | undefined = undefined;
  #isGone = false;

  /**
   * Starts watching.
   *
   * @param request The request.
   * @param outer The watch of the call that has passed on the request. Its timeout also ends this call.
   * @param when Whether to read the signal of the request now, later or never, because something else reports that the
   * client has disconnected.
   */
  constructor(request: Request, outer?: ClientWatch, when: "now" | "later" | "never" = "now") {
    this.#leave = () => {
      if (this.signal.aborted) return;
      this.#isGone = outer?.isExpired !== true;
      // The reason is the same at every level, so that an error which passes through them is recognized.
      this.#abort(outer?.signal.reason ?? new DOMException("The client disconnected", "AbortError"));
    };
    if (outer !== undefined) this.#follow(outer.signal);
    else if (when === "now") this.#follow(request.signal);
    else if (when === "later") this.#timer = setTimeout(() => this.#follow(request.signal), DELAY_MS);
  }

  #follow(incoming: AbortSignal): void {
    this.#incoming = incoming;
    incoming.addEventListener("abort", this.#leave, { once: true });
    if (incoming.aborted) this.#leave();
  }

  /** Returns a signal that is aborted when the client has disconnected or the handlers have timed out. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Returns the signal for the user. Its listeners run in the current asynchronous context. */
  share(): AbortSignal {
    this.#context ??= new AsyncContext();
    return this.signal;
  }

  /** Reports whether the client has disconnected. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Reports whether the handlers have timed out. */
  get isExpired(): boolean {
    return this.signal.aborted && !this.#isGone;
  }

  /** Runs a task if the client disconnects, in the current asynchronous context. */
  whenGone(task: () => void): void {
    if (this.#isGone) return task();
    const later = inContext(task);
    this.signal.addEventListener("abort", () => this.#isGone && later(), { once: true });
  }

  /** Aborts the signal because the handlers have timed out. */
  expire(): void {
    this.#abort(new DOMException("The handlers timed out", "TimeoutError"));
  }

  #abort(reason: DOMException): void {
    clearTimeout(this.#timer);
    if (this.#context === undefined) this.#controller.abort(reason);
    else void this.#context.run(() => this.#controller.abort(reason));
  }

  /** Notices a client that disconnects while its response is sent. */
  leave(): void {
    this.#leave();
  }

  /** Ends the watch on the request. From now on, only the response stream can reveal a disconnect. */
  release(): void {
    clearTimeout(this.#timer);
    this.#incoming?.removeEventListener("abort", this.#leave);
  }
}
