/**
 * A channel in one process. Every message is delivered once and in order, or a gap is reported.
 *
 * @module
 */

import { runShared } from "../async/async_context.ts";
import type { Backplane, Entry, Listener, Log, Position } from "./backplane.ts";

/** The maximum number of messages to read at once. */
const PAGE = 500;
/** The initial and the maximum delay before reading again after a failure, in milliseconds. */
const RETRY_MS = 100;
const RETRY_MOST_MS = 2_000;
/** The time to wait for messages that the channel has not received yet, in milliseconds. */
const BEHIND_MS = 20;
/** The number of stored messages, and of their characters, to deliver before waiting for the subscriber. */
const SLICE = 32;
const SLICE_CHARACTERS = 64 << 10;

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
  /**
   * Called when messages are missing.
   *
   * @param channel The channel.
   * @param gap The missing messages.
   * @param at The offset after which the subscriber continues.
   */
  skip(channel: Channel, gap: Gap, at: number): void;
  /** Waits until the subscriber can take stored messages of a size. New messages are delivered without waiting. */
  ready?(size: number): Promise<void>;
}

/** Logs a background failure of a channel. */
export type Report = (message: string, error: unknown) => void;

/** A channel in this process. */
export class Channel implements Listener {
  readonly name: string;
  readonly #backplane: Backplane;
  readonly #report: Report;
  readonly #isReadable: (payload: string) => boolean;
  readonly #sinks = new Set<Sink>();
  #epoch = "";
  #last = 0;
  #opening: Promise<void> | undefined = undefined;
  #isOpen = false;
  #isClosed = false;
  #isFilling = false;
  /** The number of subscribers that are being added. */
  #adding = 0;
  /**
   * The messages that arrived while missing messages were being read. Afterwards, the channel may have to be read
   * again.
   */
  #waiting: { epoch: string; entry: Entry }[] = [];
  /**
   * The gap before a new epoch, and the subscribers to notify of it. The first messages of the epoch may be missing as
   * well, and the subscribers receive one notice of both.
   */
  #lost: { readonly gap: Gap; readonly sinks: readonly Sink[] } | undefined = undefined;
  #isDue = false;

  /**
   * Creates a channel that is not open yet.
   *
   * @param name The channel's name.
   * @param backplane The backplane.
   * @param report Logs failures.
   * @param isReadable Reports whether a payload can be delivered. Others may write to the backplane.
   */
  constructor(name: string, backplane: Backplane, report: Report, isReadable: (payload: string) => boolean = always) {
    this.name = name;
    this.#backplane = backplane;
    this.#report = report;
    this.#isReadable = isReadable;
  }

  /**
   * Reports whether the channel has subscribers, including those that are being added. Without the latter, the channel
   * could be closed before they receive anything.
   */
  get isUsed(): boolean {
    return this.#sinks.size > 0 || this.#adding > 0;
  }

  /** Returns the current position. All messages up to this position have been delivered. */
  get position(): Position {
    return { Epoch: this.#epoch, Offset: this.#last };
  }

  /**
   * Adds a subscriber for new messages. Returns a promise if the channel is not open yet. If the subscriber is removed
   * before the promise resolves, it has to be removed again afterwards.
   */
  add(sink: Sink): void | Promise<void> {
    if (this.#isOpen) return void this.#sinks.add(sink);
    return this.#whileAdding(async () => {
      await this.#open();
      this.#sinks.add(sink);
    });
  }

  /**
   * Adds a subscriber that has received messages before. It first receives the stored messages after its position.
   *
   * @param sink The subscriber.
   * @param from The position of the last message that the subscriber received.
   */
  resume(sink: Sink, from: Position): Promise<void> {
    return this.#whileAdding(() => this.#resume(sink, from));
  }

  /**
   * Adds a subscriber that first receives the last stored messages.
   *
   * @param sink The subscriber.
   * @param count The maximum number of stored messages. Fewer are delivered if the history is shorter.
   */
  rewind(sink: Sink, count: number): Promise<void> {
    return this.#whileAdding(async () => {
      await this.#open();
      let begin: Position | undefined;
      while (begin === undefined) begin = await this.#begins(Math.max(0, this.#last - count));
      await this.#resume(sink, begin);
    });
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

  /**
   * Compares the position with the backplane's, because the most recent message may be lost as well. New messages are
   * delivered in the meantime, so that a busy channel does not fall behind because it is checked.
   */
  async check(): Promise<void> {
    if (!this.#isOpen || this.#isFilling) return;
    try {
      const log = await this.#backplane.Read(this.name, this.#last, 1, this.#epoch);
      // Messages that are not stored may still be on their way.
      if (this.#isBehind(log) && log.Entries.length === 0) await sleep(BEHIND_MS);
      if (this.#isBehind(log)) await this.#fill();
    } catch {
      // Reports the failure, and tries again until it succeeds.
      await this.#fill();
    }
  }

  Receive(epoch: string, entry: Entry): void {
    if (!this.#isOpen || this.#isFilling) {
      // Waiting messages are also stored. If there are too many, the read in progress returns the others.
      if (this.#waiting.length < PAGE) this.#waiting.push({ epoch, entry });
      this.#isDue = true;
    } else if (epoch === this.#epoch && entry.Offset === this.#last + 1 && this.#isReadable(entry.Payload)) {
      this.#pass(entry);
    } else if (epoch !== this.#epoch || entry.Offset > this.#last) {
      void this.#fill();
    }
  }

  Missed(): void {
    if (this.#isOpen) void this.#fill();
  }

  #isBehind({ Epoch, Offset }: Position): boolean {
    return Epoch !== this.#epoch || this.#last < Offset;
  }

  async #resume(sink: Sink, from: Position): Promise<void> {
    await this.#open();
    let at = from.Offset;
    let epoch = await this.#isReached(sink, from) ? from.Epoch : "";
    while (sink.isOpen && (at < this.#last || epoch !== this.#epoch)) {
      if (epoch !== this.#epoch) {
        const begin = await this.#begins();
        if (begin === undefined) continue;
        sink.skip(this, { From: at + 1, To: at, Reason: "epoch" }, begin.Offset);
        [epoch, at] = [begin.Epoch, begin.Offset];
        continue;
      }
      const until = this.#last;
      const log = await this.#backplane.Read(this.name, at, PAGE, epoch);
      if (log.Epoch !== epoch) {
        await this.#fill();
        continue;
      }
      const before = at;
      at = await this.#resend(sink, log, { after: at, until, epoch });
      if (at > before) continue;
      // All messages up to the channel's position have been removed from the history, so it has to catch up first.
      void this.#fill();
      await sleep(BEHIND_MS);
    }
    if (sink.isOpen) this.#sinks.add(sink);
  }

  /**
   * Waits until the channel has reached a position. Another process may have delivered messages that this one has not
   * received yet.
   *
   * @returns `false` if there is no such position, which means that the numbering has been lost.
   */
  async #isReached(sink: Sink, { Epoch, Offset }: Position): Promise<boolean> {
    if (Offset <= this.#last || Epoch !== this.#epoch) return Epoch === this.#epoch;
    const log = await this.#backplane.Read(this.name, Infinity, 1);
    if (log.Epoch !== Epoch || log.Offset < Offset) return false;
    while (sink.isOpen && this.#epoch === Epoch && this.#last < Offset) {
      void this.#fill();
      await sleep(BEHIND_MS);
    }
    return true;
  }

  /**
   * Returns the position before the first stored message of this epoch after an offset, or `undefined` if there is
   * another epoch.
   */
  async #begins(after = 0): Promise<Position | undefined> {
    const Epoch = this.#epoch;
    const log = await this.#backplane.Read(this.name, after, 1, Epoch);
    if (log.Epoch !== Epoch) await this.#fill();
    if (this.#epoch !== Epoch) return undefined;
    // Messages may have arrived since the read, and they belong to the stored messages.
    return { Epoch, Offset: Math.min((log.Entries[0]?.Offset ?? Infinity) - 1, log.Offset, this.#last) };
  }

  /** Delivers a page of stored messages to one subscriber, at its pace. Returns the last delivered offset. */
  async #resend(
    sink: Sink,
    log: Log,
    { after, until, epoch }: { readonly after: number; readonly until: number; readonly epoch: string },
  ): Promise<number> {
    let at = after;
    for (const { Entries, size } of slicesOf(log.Entries)) {
      await sink.ready?.(size);
      if (!sink.isOpen || this.#epoch !== epoch) return at;
      const slice = { ...log, Entries };
      at = this.#replay(slice, at, until, (entry) => sink.deliver(this, entry), (gap) => sink.skip(this, gap, gap.To));
    }
    return at;
  }

  async #whileAdding(add: () => Promise<void>): Promise<void> {
    this.#adding++;
    try {
      await add();
    } finally {
      this.#adding--;
    }
  }

  #open(): Promise<void> {
    return this.#isOpen ? Promise.resolve() : this.#opening ??= runShared(() => this.#begin());
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
    const log = await this.#backplane.Read(this.name, this.#last, PAGE, this.#epoch);
    if (log.Epoch !== this.#epoch) {
      const gap: Gap = { From: this.#last + 1, To: this.#last, Reason: "epoch" };
      this.#lost ??= { gap, sinks: [...this.#sinks] };
      [this.#epoch, this.#last] = [log.Epoch, 0];
      return true;
    }
    // Messages that are not stored may still be on their way.
    if (log.Entries.length === 0 && this.#mergeWaiting(log).length < log.Offset - this.#last) await sleep(BEHIND_MS);
    const page = { ...log, Entries: this.#mergeWaiting(log) };
    this.#replay(page, this.#last, log.Offset, (entry) => {
      this.#reportLost();
      this.#pass(entry);
    }, (gap) => {
      this.#last = gap.To;
      if (!this.#reportLost()) this.#skip(gap);
    });
    this.#reportLost();
    this.#waiting = this.#waiting.filter(({ epoch, entry }) => epoch !== this.#epoch || entry.Offset > this.#last);
    return this.#last < log.Offset;
  }

  /** Returns the messages of a page and those that have arrived in the meantime, which may not be stored. */
  #mergeWaiting(log: Log): Entry[] {
    const entries = new Map(log.Entries.map((entry) => [entry.Offset, entry]));
    const end = log.Entries.length < PAGE ? log.Offset : log.Entries.at(-1)?.Offset ?? 0;
    for (const { epoch, entry } of this.#waiting) {
      const isMissing = epoch === log.Epoch && entry.Offset > this.#last && !entries.has(entry.Offset);
      if (isMissing && entry.Offset <= end && this.#isReadable(entry.Payload)) entries.set(entry.Offset, entry);
    }
    return [...entries.values()].sort((a, b) => a.Offset - b.Offset);
  }

  /** Delivers a page's messages and the gaps between them, up to an offset. Returns the last delivered offset. */
  #replay(log: Log, after: number, until: number, take: (entry: Entry) => void, skip: (gap: Gap) => void): number {
    let at = after;
    for (const entry of log.Entries) {
      if (entry.Offset > until) return at;
      const isReadable = this.#isReadable(entry.Payload);
      const lost = isReadable ? entry.Offset - 1 : entry.Offset;
      if (lost > at) skip({ From: at + 1, To: lost, Reason: "history" });
      at = entry.Offset;
      if (isReadable) take(entry);
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
    for (const sink of this.#sinks) {
      try {
        sink.deliver(this, entry);
      } catch (error) {
        // A message that one subscriber cannot read must not be lost for the others.
        this.#report(`Cannot deliver a message of "${this.name}":`, error);
      }
    }
  }

  #skip(gap: Gap, sinks: Iterable<Sink> = this.#sinks): void {
    for (const sink of sinks) sink.skip(this, gap, this.#last);
  }

  /** Notifies subscribers of a new epoch, if they have not been notified yet. Reports whether there was a notice. */
  #reportLost(): boolean {
    const lost = this.#lost;
    if (lost === undefined) return false;
    this.#lost = undefined;
    this.#skip(lost.gap, lost.sinks.filter((sink) => this.#sinks.has(sink)));
    return true;
  }
}

/** The messages of a page to deliver together, and their size. */
interface Slice {
  readonly Entries: Entry[];
  size: number;
}

/**
 * Splits a page into slices of a limited size. There is at least one slice, which may be empty. A long message has a
 * slice of its own.
 */
function slicesOf(entries: readonly Entry[]): Slice[] {
  let slice: Slice = { Entries: [], size: 0 };
  const slices = [slice];
  for (const entry of entries) {
    const { length } = entry.Payload;
    const isFull = slice.Entries.length === SLICE || slice.size + length > SLICE_CHARACTERS;
    if (isFull && slice.Entries.length > 0) slices.push(slice = { Entries: [], size: 0 });
    slice.Entries.push(entry);
    slice.size += length;
  }
  return slices;
}

function always(): boolean {
  return true;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
