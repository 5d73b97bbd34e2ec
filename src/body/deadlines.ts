/**
 * Deadlines of reads under way, all watched by one timer.
 *
 * A timer of its own for each read costs some 8 µs per request (Deno 2.9.5). A short body has mostly come with its
 * head, and its read is over within a few microtasks: only what takes longer is watched. Then there is nearly always
 * another read under way whose timer serves for this one too, and with none under way there is no timer that could keep
 * a process from ending.
 *
 * @module
 */

/** A moment, and what happens if it passes. One of a ring, since a `Set` costs three times as much. */
export class Deadline {
  /** How many milliseconds are left when it begins to be watched. */
  readonly left: number;
  /** Called once, when the moment has passed. */
  readonly miss: () => void;
  /** The moment, by `performance.now()`; `Infinity` as long as no timer watches it. */
  at: number = Infinity;
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
export function watch(deadline: Deadline): void {
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
export function unwatch(deadline: Deadline): void {
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
