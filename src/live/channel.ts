/**
 * One channel as one process follows it: every message once and in order, or a notice of the gap.
 *
 * @module
 */

import type { Backplane, Entry, Listener, Log, Position } from "./backplane.ts";

/** How many messages are read at once. */
const PAGE = 500;
/** How long a channel waits before it reads again after a failure, in milliseconds, and at most. */
const RETRY_MS = 100;
const RETRY_MOST_MS = 2_000;

/** A gap in the messages that a subscriber receives. */
export interface Gap {
  /** The offset of the first missing message. */
  readonly From: number;
  /** The offset of the last missing message, or `From - 1` if the number of missing messages is unknown. */
  readonly To: number;
  /**
   * The reason: `history` if the messages are no longer stored, `epoch` if the channel has lost its numbering, or
   * `slow` if the subscriber was too slow.
   */
  readonly Reason: "history" | "epoch" | "slow";
}

/** Receives what a channel delivers. */
export interface Sink {
  /** Whether it still receives. */
  readonly isOpen: boolean;
  /** Receives one message. */
  deliver(channel: Channel, entry: Entry): void;
  /** Learns that messages are missing. */
  skip(channel: Channel, gap: Gap): void;
}

/** What a channel reports of its own failures. */
export type Report = (message: string, error: unknown) => void;

/** One channel of one process. */
export class Channel implements Listener {
  readonly name: string;
  readonly #backplane: Backplane;
  readonly #report: Report;
  readonly #sinks = new Set<Sink>();
  #epoch = "";
  #last = 0;
  #opening: Promise<void> | undefined = undefined;
  #isOpen = false;
  #isClosed = false;
  #isFilling = false;
  /** Messages that arrived during a fill, and whether another look is due after it. */
  #waiting: { epoch: string; entry: Entry }[] = [];
  #isDue = false;

  constructor(name: string, backplane: Backplane, report: Report) {
    this.name = name;
    this.#backplane = backplane;
    this.#report = report;
  }

  /** How many subscribers there are in this process. */
  get size(): number {
    return this.#sinks.size;
  }

  /** Where the channel is: all messages up to there were delivered. */
  get position(): Position {
    return { Epoch: this.#epoch, Offset: this.#last };
  }

  /** Adds a subscriber from now on, without a promise if the channel is open. */
  add(sink: Sink): void | Promise<void> {
    if (this.#isOpen) return void this.#sinks.add(sink);
    return this.#open().then(() => void this.#sinks.add(sink));
  }

  /**
   * Adds a subscriber that has received messages before: it receives the stored ones after its position first.
   *
   * @param sink The subscriber.
   * @param from The position of the last message that it has received.
   */
  async resume(sink: Sink, from: Position): Promise<void> {
    await this.#open();
    let at = from.Offset;
    // A position beyond the last message belongs to a numbering that is lost too.
    let epoch = at > this.#last ? "" : from.Epoch;
    while (sink.isOpen && (at < this.#last || epoch !== this.#epoch)) {
      if (epoch !== this.#epoch) {
        sink.skip(this, { From: at + 1, To: at, Reason: "epoch" });
        [epoch, at] = [this.#epoch, 0];
        continue;
      }
      const until = this.#last;
      const log = await this.#backplane.Read(this.name, at, PAGE);
      if (log.Epoch !== epoch) {
        await this.#fill();
        continue;
      }
      at = this.#replay(log, at, until, (entry) => sink.deliver(this, entry), (gap) => sink.skip(this, gap));
    }
    if (sink.isOpen) this.#sinks.add(sink);
  }

  /** Removes a subscriber. */
  remove(sink: Sink): void {
    this.#sinks.delete(sink);
  }

  /** Ends the channel. */
  close(): void {
    this.#isClosed = true;
    this.#backplane.Unlisten(this.name);
  }

  /** Compares the position with the backplane's: the last message of all can be lost too. */
  check(): void {
    if (this.#isOpen) void this.#fill();
  }

  Receive(epoch: string, entry: Entry): void {
    if (!this.#isOpen || this.#isFilling) {
      // Whatever waits is also stored: beyond a bound, the fill that is in flight reads it.
      if (this.#waiting.length < PAGE) this.#waiting.push({ epoch, entry });
      this.#isDue = true;
    } else if (epoch === this.#epoch && entry.Offset === this.#last + 1) {
      this.#pass(entry);
    } else if (epoch !== this.#epoch || entry.Offset > this.#last) {
      void this.#fill();
    }
  }

  Missed(): void {
    this.check();
  }

  #open(): Promise<void> {
    return this.#isOpen ? Promise.resolve() : this.#opening ??= this.#begin();
  }

  async #begin(): Promise<void> {
    try {
      await this.#backplane.Listen(this.name, this);
      // Asked for after the delivery has begun, or what comes in between would be lost.
      const { Epoch, Offset } = await this.#backplane.Read(this.name, Infinity, 1);
      [this.#epoch, this.#last, this.#isOpen] = [Epoch, Offset, true];
      this.#takeWaiting();
    } finally {
      this.#opening = undefined;
    }
  }

  #takeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isDue = false;
    for (const { epoch, entry } of waiting) this.Receive(epoch, entry);
  }

  /** Reads what is missing, again and again until nothing is. */
  async #fill(): Promise<void> {
    if (this.#isFilling) return void (this.#isDue = true);
    this.#isFilling = true;
    for (let pause = RETRY_MS; !this.#isClosed;) {
      try {
        this.#isDue = false;
        if (!await this.#fillOnce() && !this.#isDue) break;
        pause = RETRY_MS;
      } catch (error) {
        if (pause === RETRY_MS) this.#report(`Cannot read the messages of "${this.name}" yet:`, error);
        await sleep(pause);
        pause = Math.min(pause * 2, RETRY_MOST_MS);
        this.#isDue = true;
      }
    }
    this.#isFilling = false;
    this.#takeWaiting();
  }

  /** Reads one page; reports whether there is more. */
  async #fillOnce(): Promise<boolean> {
    const log = await this.#backplane.Read(this.name, this.#last, PAGE);
    if (log.Epoch !== this.#epoch) {
      const gap: Gap = { From: this.#last + 1, To: this.#last, Reason: "epoch" };
      [this.#epoch, this.#last] = [log.Epoch, 0];
      this.#skip(gap);
      return true;
    }
    this.#replay(log, this.#last, log.Offset, (entry) => this.#pass(entry), (gap) => {
      this.#skip(gap);
      this.#last = gap.To;
    });
    return this.#last < log.Offset;
  }

  /** Hands the messages of a page on, with the gaps between them, up to an offset; returns how far it came. */
  #replay(log: Log, after: number, until: number, take: (entry: Entry) => void, skip: (gap: Gap) => void): number {
    let at = after;
    for (const entry of log.Entries) {
      if (entry.Offset > until) return at;
      if (entry.Offset > at + 1) skip({ From: at + 1, To: entry.Offset - 1, Reason: "history" });
      at = entry.Offset;
      take(entry);
    }
    // An empty page means that nothing of what is missing is stored.
    if (log.Entries.length === 0 && at < until) {
      skip({ From: at + 1, To: until, Reason: "history" });
      at = until;
    }
    return at;
  }

  #pass(entry: Entry): void {
    this.#last = entry.Offset;
    for (const sink of this.#sinks) sink.deliver(this, entry);
  }

  #skip(gap: Gap): void {
    for (const sink of this.#sinks) sink.skip(this, gap);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
