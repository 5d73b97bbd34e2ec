/**
 * A channel in one process. Every message is delivered once and in order, or a gap is reported.
 *
 * @module
 */

import type { Backplane, Entry, Listener, Log, Position } from "./backplane.ts";

/** The maximum number of messages to read at once. */
const PAGE = 500;
/** The initial and the maximum delay before reading again after a failure, in milliseconds. */
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

/** A subscriber of a channel. */
export interface Sink {
  /** Whether the subscriber still receives messages. */
  readonly isOpen: boolean;
  /** Called with each message. */
  deliver(channel: Channel, entry: Entry): void;
  /** Called when messages are missing. */
  skip(channel: Channel, gap: Gap): void;
}

/** Logs a background failure of a channel. */
export type Report = (message: string, error: unknown) => void;

/** A channel in this process. */
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
  /**
   * The messages that arrived while missing messages were being read. Afterwards, the channel may have to be read
   * again.
   */
  #waiting: { epoch: string; entry: Entry }[] = [];
  #isDue = false;

  constructor(name: string, backplane: Backplane, report: Report) {
    this.name = name;
    this.#backplane = backplane;
    this.#report = report;
  }

  /** Returns the number of subscribers in this process. */
  get size(): number {
    return this.#sinks.size;
  }

  /** Returns the current position. All messages up to this position have been delivered. */
  get position(): Position {
    return { Epoch: this.#epoch, Offset: this.#last };
  }

  /** Adds a subscriber for new messages. Returns a promise if the channel is not open yet. */
  add(sink: Sink): void | Promise<void> {
    if (this.#isOpen) return void this.#sinks.add(sink);
    return this.#open().then(() => void this.#sinks.add(sink));
  }

  /**
   * Adds a subscriber that has received messages before. It first receives the stored messages after its position.
   *
   * @param sink The subscriber.
   * @param from The position of the last message that the subscriber received.
   */
  async resume(sink: Sink, from: Position): Promise<void> {
    await this.#open();
    let at = from.Offset;
    // A position after the last message means that the numbering has been lost as well.
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

  /** Closes the channel. */
  close(): void {
    this.#isClosed = true;
    this.#backplane.Unlisten(this.name);
  }

  /** Compares the position with the backplane's, because the most recent message may be lost as well. */
  check(): void {
    if (this.#isOpen) void this.#fill();
  }

  Receive(epoch: string, entry: Entry): void {
    if (!this.#isOpen || this.#isFilling) {
      // Waiting messages are also stored. If there are too many, the read in progress returns the others.
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
      // Request the position after delivery has started. Otherwise, messages published in between would be lost.
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

  /** Reads missing messages until none are left. */
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

  /** Reads one page. Reports whether there are more messages. */
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

  /** Delivers a page's messages and the gaps between them, up to an offset. Returns the last delivered offset. */
  #replay(log: Log, after: number, until: number, take: (entry: Entry) => void, skip: (gap: Gap) => void): number {
    let at = after;
    for (const entry of log.Entries) {
      if (entry.Offset > until) return at;
      if (entry.Offset > at + 1) skip({ From: at + 1, To: entry.Offset - 1, Reason: "history" });
      at = entry.Offset;
      take(entry);
    }
    // An empty page means that none of the missing messages are stored.
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
