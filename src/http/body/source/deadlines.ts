/**
 * Deadlines for reads in flight, all watched by a single timer.
 *
 * A separate timer for each read costs about 8 µs per request (Deno 2.9.5). A short body usually arrives with its
 * headers, so its read completes within a few microtasks, and only reads that take longer are watched. By that time,
 * there is almost always another read in flight whose timer can be shared. If no reads are in flight, there is no timer
 * that could keep the process alive.
 *
 * @module
 */

/**
 * A deadline and its callback. Deadlines are stored in a circular linked list, because a `Set` costs three times as
 * much.
 */
export class Deadline {
  /** The remaining time when the deadline starts to be watched, in milliseconds. */
  readonly left: number;
  /** Called once when the deadline has passed. */
  readonly miss: () => void;
  /** The deadline as a `performance.now()` time, or `Infinity` while no timer watches it. */
  at: number = Infinity;
  isMissed = false;
  next: Deadline = this;
  #previous: Deadline = this;

  constructor(left: number, miss: () => void) {
    this.left = left;
    this.miss = miss;
  }

  /** Adds the deadline to the end of a list. */
  enter(ring: Deadline): void {
    this.#previous = ring.#previous;
    this.next = ring;
    this.#previous.next = this;
    ring.#previous = this;
  }

  /** Removes the deadline from its list. */
  leave(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
    this.next = this.#previous = this;
  }
}

/**
 * The number of microtasks that a read may take without being watched. A read of a body that has already arrived takes
 * two.
 */
const unwatchedTasks = 5;

/** The deadlines that are not watched by a timer yet, and those that are. */
const fresh = new Deadline(Infinity, ignore);
const pending = new Deadline(Infinity, ignore);
const settled = Promise.resolve();
let tasksLeft = 0;
let timer: ReturnType<typeof setTimeout> | undefined = undefined;
let rings = Infinity;

/** Starts watching a deadline. */
export function watch(deadline: Deadline): void {
  deadline.enter(fresh);
  if (tasksLeft > 0) return;
  tasksLeft = unwatchedTasks;
  settled.then(watchLasting);
}

/** Starts the timer for deadlines that were not met within a few microtasks. */
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

/** Stops watching a deadline. */
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
