/**
 * The one reader of a request body: it counts every byte, stops at the limit, and waits no longer than allowed.
 *
 * @module
 */

import type { BodyTimeout } from "../base/config.ts";
import { HTTPError } from "../base/errors.ts";
import { bodyTaken, connectionLost, malformed, tooLarge } from "./body_head.ts";

const act = "read the request body";

/** Where bytes come from. */
export interface SourceOptions {
  /** How many bytes may be read; the byte after them fails the read. */
  readonly limit: number;
  /** Waits for them. */
  readonly clock: BodyClock;
  /** Creates the error of a read that failed; the connection was lost unless told otherwise. */
  readonly failure?: (cause: unknown) => HTTPError;
}

/** The bytes of one request, in the order they come. */
export class Source {
  /** How many bytes may be read; the byte after them fails the read. */
  limit: number;
  readonly #request: Pick<Request, "body" | "bodyUsed">;
  readonly #clock: BodyClock;
  readonly #failed: (cause: unknown) => HTTPError;
  #reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined = undefined;
  #count = 0;
  #ended = false;
  #failure: HTTPError | undefined = undefined;

  /**
   * Creates a reader that takes hold of the body at its first read.
   *
   * @param request The request.
   * @param options How it is read.
   */
  constructor(request: Pick<Request, "body" | "bodyUsed">, options: SourceOptions) {
    this.#request = request;
    this.#clock = options.clock;
    this.#failed = options.failure ?? connectionLost;
    this.limit = options.limit;
  }

  /** How many bytes were read. */
  get count(): number {
    return this.#count;
  }

  /** True until the last byte is read or the body is let go. */
  get isOpen(): boolean {
    return !this.#ended;
  }

  /**
   * Takes hold of the body.
   *
   * @returns True if `read` puts the bytes into its target, false if they come in chunks of their own.
   */
  open(): boolean {
    if (this.#reader === undefined && !this.#ended) this.#reader = this.#take();
    return this.#reader instanceof ReadableStreamBYOBReader;
  }

  /**
   * Reads what has come, waiting for at least one byte.
   *
   * A body from the network is read into `target`, whose buffer is given away and comes back under the returned bytes:
   * with one buffer per request, an upload of 256 MiB peaks 13 MB above idle, with the platform's own chunks 91 MB
   * (measured on Deno 2.9.5). Other bodies come in chunks of their own, and `target` is left alone.
   *
   * @param target Where the bytes may be put.
   * @returns The bytes; `null` at the end. A read that failed fails again with the same error.
   */
  async read(target: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.#failure !== undefined) throw this.#failure;
    this.open();
    if (this.#ended || this.#reader === undefined) return null;
    let chunk: Uint8Array<ArrayBuffer> | undefined;
    let done: boolean;
    const held = target.length;
    try {
      const reading = this.#reader instanceof ReadableStreamBYOBReader
        ? this.#reader.read(target)
        : this.#reader.read();
      const read = { reading, count: this.#count, held };
      ({ value: chunk, done } = await this.#clock.wait<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>(read));
    } catch (error) {
      throw this.#fail(error instanceof HTTPError ? error : this.#failed(error));
    }
    if (done || chunk === undefined) {
      this.#ended = true;
      return null;
    }
    if (!(chunk instanceof Uint8Array)) throw this.#fail(malformed(act, "it is not a stream of bytes"));
    this.#count += chunk.length;
    if (this.#count > this.limit) throw this.#fail(tooLarge(act, `it is larger than ${this.limit} bytes`));
    return chunk;
  }

  /** Lets go of the body. What the client still sends is thrown away by the platform. */
  cancel(): void {
    if (this.#ended) return;
    this.#ended = true;
    // No caller is left to be told that a body failed while it was let go.
    this.#reader?.cancel().catch(() => {});
  }

  #fail(error: HTTPError): HTTPError {
    this.cancel();
    return this.#failure = error;
  }

  #take(): ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined {
    const { body } = this.#request;
    if (body === null) {
      this.#ended = true;
      return undefined;
    }
    // Waiting for a body that another reader holds would never end.
    if (body.locked || this.#request.bodyUsed) throw bodyTaken();
    try {
      return body.getReader({ mode: "byob" });
    } catch {
      // Short bodies, and those of requests created in process, are streams of whole chunks.
      return body.getReader();
    }
  }
}

/**
 * How many bytes reads may hold that were given up. Deno 2.8.3 to 2.9.5 never ends a read whose request has its response
 * (denoland/deno#36624), so each keeps its buffer and some 8 KB for good. Beyond this, a client that is too slow is told so
 * when its next byte comes, and one that is silent holds what it holds until it leaves.
 */
const mostAbandoned = 32 << 20;
const costOfRead = 8 << 10;

let abandoned = 0;

/** A read under way. */
export interface PendingRead<T> {
  readonly reading: Promise<T>;
  /** How many bytes have come before. */
  readonly count: number;
  /** How many bytes the read may hold. */
  readonly held: number;
  /** Whether no other read of the body follows. */
  readonly isLast?: boolean;
}

/** Waits for the bytes of one body, and loses patience. */
export class BodyClock {
  readonly #timeout: BodyTimeout;
  #waited = 0;

  /**
   * Creates a clock that has not waited yet.
   *
   * @param timeout How long the client may take.
   */
  constructor(timeout: BodyTimeout) {
    this.#timeout = timeout;
  }

  /**
   * Waits for the next bytes. What a handler does between two reads does not count: that is not the client's time.
   *
   * @param read The read under way.
   * @returns What the read gives; it fails with 408 when the client is too slow.
   */
  wait<T>(read: PendingRead<T>): Promise<T> {
    const left = this.#left(read.count);
    return left === Infinity ? read.reading : this.#waitFor(read, left, itself);
  }

  /**
   * Waits for the last bytes, and does something with them in the same promise.
   *
   * @param read The read under way.
   * @param use What is done.
   * @param explain Turns what the platform fails with into an error of ours.
   * @returns What was done.
   */
  waitAndUse<T, R>(read: PendingRead<T>, use: (got: T) => R, explain: (error: unknown) => unknown): Promise<R> {
    const left = this.#left(read.count);
    if (left !== Infinity) return this.#waitFor(read, left, use, explain);
    return read.reading.then(use, (error) => {
      throw explain(error);
    });
  }

  /** Written without an `async`: every short body is waited for here, and each promise between costs it. */
  #waitFor<T, R>(
    read: PendingRead<T>,
    left: number,
    use: (got: T) => R,
    explain: (error: unknown) => unknown = itself,
  ): Promise<R> {
    // The platform's clock costs 2 µs, and after the last read no other one asks how long this took.
    const begin = read.isLast === true ? 0 : performance.now();
    return new Promise<R>((resolve, reject) => {
      const deadline = new Deadline(left, () => {
        if (!abandon(read)) return;
        this.#count(read, begin);
        reject(tooSlow());
      });
      watch(deadline);
      read.reading.then((got) => {
        unwatch(deadline);
        this.#count(read, begin);
        if (deadline.isMissed) return reject(tooSlow());
        try {
          resolve(use(got));
        } catch (error) {
          reject(error);
        }
      }, (error) => {
        unwatch(deadline);
        this.#count(read, begin);
        reject(explain(error));
      });
    });
  }

  #count<T>(read: PendingRead<T>, begin: number): void {
    if (read.isLast !== true) this.#waited += performance.now() - begin;
  }

  #left(count: number): number {
    const { MinRate, Grace, Total } = this.#timeout;
    const byRate = MinRate > 0 ? Grace + 1000 * count / MinRate : Infinity;
    const allowed = Math.min(byRate, Total > 0 ? Total : Infinity);
    // A timer takes no longer time: it would fire at once.
    return allowed === Infinity ? Infinity : Math.min(Math.max(0, allowed - this.#waited), 2 ** 31 - 1);
  }
}

function itself<T>(value: T): T {
  return value;
}

/** Leaves a read behind, if there is room for it. */
function abandon<T>({ reading, held }: PendingRead<T>): boolean {
  const cost = costOfRead + held;
  if (abandoned + cost > mostAbandoned) return false;
  abandoned += cost;
  const settle = () => void (abandoned -= cost);
  reading.then(settle, settle);
  return true;
}

function tooSlow(): HTTPError {
  return new HTTPError(408, "Cannot read the request body: it comes too slowly", { Code: "FW_TIMEOUT" });
}

// Deadlines of reads under way, all watched by one timer.
//
// A timer of its own for each read costs some 8 µs per request (Deno 2.9.5). A short body has mostly come with its head,
// and its read is over within a few microtasks: only what takes longer is watched. Then there is nearly always another
// read under way whose timer serves for this one too, and with none under way there is no timer that could keep a process
// from ending.

/** A moment, and what happens if it passes. One of a ring, since a `Set` costs three times as much. */
class Deadline {
  /** How many milliseconds are left when it begins to be watched. */
  readonly left: number;
  /** Called once, when the moment has passed. */
  readonly miss: () => void;
  /** The moment, by `performance.now()`; `Infinity` as long as no timer watches it. */
  at = Infinity;
  isMissed = false;
  next: Deadline = this;
  #previous: Deadline = this;

  constructor(left: number, miss: () => void) {
    this.left = left;
    this.miss = miss;
  }

  /** Enters the ring of another one, as its last. */
  enter(ring: Deadline): void {
    this.#previous = ring.#previous;
    this.next = ring;
    this.#previous.next = this;
    ring.#previous = this;
  }

  /** Leaves its ring. */
  leave(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
    this.next = this.#previous = this;
  }
}

/** How many microtasks a read may take without being watched by a timer; one of a body that is there takes two. */
const unwatchedTasks = 5;

/** Those that no timer watches yet, and those that one does. */
const fresh = new Deadline(Infinity, ignore);
const pending = new Deadline(Infinity, ignore);
const settled = Promise.resolve();
let tasksLeft = 0;
let timer: ReturnType<typeof setTimeout> | undefined = undefined;
let rings = Infinity;

/** Watches a deadline. */
function watch(deadline: Deadline): void {
  deadline.enter(fresh);
  if (tasksLeft > 0) return;
  tasksLeft = unwatchedTasks;
  settled.then(watchLasting);
}

/** Watches by a timer what has not come within a few microtasks. */
function watchLasting(): void {
  if (fresh.next === fresh) return void (tasksLeft = 0);
  if (--tasksLeft > 0) return void settled.then(watchLasting);
  const now = performance.now();
  let earliest = rings;
  while (fresh.next !== fresh) {
    const deadline = fresh.next;
    deadline.at = now + deadline.left;
    earliest = Math.min(earliest, deadline.at);
    deadline.leave();
    deadline.enter(pending);
  }
  if (earliest < rings) ringAt(earliest);
}

/** Watches a deadline no longer. */
function unwatch(deadline: Deadline): void {
  deadline.leave();
  if (timer === undefined || pending.next !== pending) return;
  clearTimeout(timer);
  timer = undefined;
  rings = Infinity;
}

function ringAt(at: number): void {
  if (timer !== undefined) clearTimeout(timer);
  rings = at;
  timer = setTimeout(ring, Math.max(0, at - performance.now()));
}

function ring(): void {
  timer = undefined;
  rings = Infinity;
  const now = performance.now();
  let earliest = Infinity;
  for (let deadline = pending.next; deadline !== pending;) {
    const { next } = deadline;
    if (deadline.at > now) {
      earliest = Math.min(earliest, deadline.at);
    } else {
      deadline.leave();
      deadline.isMissed = true;
      deadline.miss();
    }
    deadline = next;
  }
  if (earliest < Infinity) ringAt(earliest);
}

function ignore(): void {}
