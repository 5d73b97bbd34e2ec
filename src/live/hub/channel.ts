/**
 * A channel in one process. Every message is delivered once and in order, or a gap is reported.
 *
 * @module
 */

import { sleep } from "../../http/server/wait.ts";
import { notify } from "../../base/async/callback.ts";
import { runShared } from "../../base/async/async_context.ts";
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

/** The messages that arrive before they can be delivered, and whether any have arrived since the last read. */
type Held = { arrived: { readonly epoch: string; readonly entry: Entry }[]; isDue: boolean };

/** The first messages of a new epoch may be missing as well, and the subscribers receive one notice of both. */
type Lost = { readonly gap: Gap; readonly sinks: readonly Sink[] };

/** A channel that reads missing messages, and the gap before a new epoch that it has found. */
type Filling = { readonly is: "filling"; lost: Lost | undefined } & Held;

/**
 * The states of a channel. Messages are delivered at once only while it is live.
 *
 * ```text
 * new ←→ opening ─→ live ←→ filling
 * any ─→ closed
 * ```
 */
type State =
  | { readonly is: "new" | "live" | "closed" }
  | { readonly is: "opening"; readonly done: Promise<void> } & Held
  | Filling;

/** A channel in this process. */
export class Channel implements Listener {
  readonly name: string;
  readonly #backplane: Backplane;
  readonly #report: Report;
  readonly #isReadable: (payload: string) => boolean;
  readonly #sinks = new Set<Sink>();
  #state: State = { is: "new" };
  #epoch = "";
  #last = 0;
  /** The number of subscribers that are being added. */
  #adding = 0;

  /**
   * Creates a channel that is not open yet.
   *
   * @param name The channel's name.
   * @param backplane The backplane.
   * @param report Logs failures.
   * @param isReadable Reports whether a payload can be delivered. Others may write to the backplane.
   */
  constructor(name: string, backplane: Backplane, report: Report, isReadable = (_payload: string): boolean => true) {
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
    const { is } = this.#state;
    if (is !== "new" && is !== "opening") return void this.#sinks.add(sink);
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
    this.#state = { is: "closed" };
    notify(
      () => this.#backplane.Unlisten(this.name),
      (error) => this.#report(`Cannot stop listening to "${this.name}":`, error),
    );
  }

  /**
   * Compares the position with the backplane's, because the most recent message may be lost as well. New messages are
   * delivered in the meantime, so that a busy channel does not fall behind because it is checked.
   */
  async check(): Promise<void> {
    if (this.#state.is !== "live") return;
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
    const state = this.#state;
    switch (state.is) {
      case "opening":
      case "filling":
        // Waiting messages are also stored. If there are too many, the read in progress returns the others.
        if (state.arrived.length < PAGE) state.arrived.push({ epoch, entry });
        return void (state.isDue = true);
      case "live": {
        const isNext = epoch === this.#epoch && entry.Offset === this.#last + 1;
        if (isNext && this.#isReadable(entry.Payload)) this.#pass(entry);
        else if (epoch !== this.#epoch || entry.Offset > this.#last) void this.#fill();
      }
    }
  }

  Missed(): void {
    void this.#fill();
  }

  #isBehind({ Epoch, Offset }: Position): boolean {
    return Epoch !== this.#epoch || this.#last < Offset;
  }

  async #resume(sink: Sink, from: Position): Promise<void> {
    await this.#open();
    let at = from.Offset;
    let epoch = await this.#isReached(sink, from) ? from.Epoch : "";
    while (sink.isOpen && this.#state.is !== "closed" && (at < this.#last || epoch !== this.#epoch)) {
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
    while (sink.isOpen && this.#state.is !== "closed" && this.#epoch === Epoch && this.#last < Offset) {
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

  async #open(): Promise<void> {
    const isNew = this.#state.is === "new";
    if (isNew) this.#state = { is: "opening", done: runShared(() => this.#begin()), arrived: [], isDue: false };
    if (this.#state.is === "opening") await this.#state.done;
  }

  async #begin(): Promise<void> {
    const state = this.#state;
    try {
      await this.#backplane.Listen(this.name, this);
      // Request the position after delivery has started. Otherwise, messages published in between would be lost.
      const { Epoch, Offset } = await this.#backplane.Read(this.name, Infinity, 1);
      [this.#epoch, this.#last] = [Epoch, Offset];
    } catch (error) {
      if (this.#state === state) this.#state = { is: "new" };
      throw error;
    }
    this.#resumeLive(state);
  }

  /** Delivers the messages that have arrived in the meantime, unless the channel has been closed. */
  #resumeLive(state: State): void {
    if (this.#state !== state || state.is !== "opening" && state.is !== "filling") return;
    this.#state = { is: "live" };
    for (const { epoch, entry } of state.arrived) this.Receive(epoch, entry);
  }

  /** Reads missing messages until none are left. */
  async #fill(): Promise<void> {
    if (this.#state.is === "filling") this.#state.isDue = true;
    if (this.#state.is !== "live") return;
    const state: Filling = this.#state = { is: "filling", arrived: [], isDue: true, lost: undefined };
    for (let pause = RETRY_MS; this.#state === state;) {
      try {
        state.isDue = false;
        if (!await this.#fillOnce(state) && !state.isDue) break;
        pause = RETRY_MS;
      } catch (error) {
        if (this.#state !== state) return;
        if (pause === RETRY_MS) this.#report(`Cannot read the messages of "${this.name}" yet:`, error);
        await sleep(pause);
        pause = Math.min(pause * 2, RETRY_MOST_MS);
        state.isDue = true;
      }
    }
    this.#resumeLive(state);
  }

  /** Reads one page. Reports whether there are more messages. */
  async #fillOnce(state: Filling): Promise<boolean> {
    const log = await this.#backplane.Read(this.name, this.#last, PAGE, this.#epoch);
    if (log.Epoch !== this.#epoch) {
      const gap: Gap = { From: this.#last + 1, To: this.#last, Reason: "epoch" };
      state.lost ??= { gap, sinks: [...this.#sinks] };
      [this.#epoch, this.#last] = [log.Epoch, 0];
      return true;
    }
    // Messages that are not stored may still be on their way.
    if (log.Entries.length === 0 && this.#merge(log, state).length < log.Offset - this.#last) await sleep(BEHIND_MS);
    const page = { ...log, Entries: this.#merge(log, state) };
    this.#replay(page, this.#last, log.Offset, (entry) => {
      this.#reportLost(state);
      this.#pass(entry);
    }, (gap) => {
      this.#last = gap.To;
      if (!this.#reportLost(state)) this.#skip(gap);
    });
    this.#reportLost(state);
    state.arrived = state.arrived.filter(({ epoch, entry }) => epoch !== this.#epoch || entry.Offset > this.#last);
    return this.#last < log.Offset;
  }

  /** Returns the messages of a page and those that have arrived in the meantime, which may not be stored. */
  #merge(log: Log, { arrived }: Filling): Entry[] {
    const entries = new Map(log.Entries.map((entry) => [entry.Offset, entry]));
    const end = log.Entries.length < PAGE ? log.Offset : log.Entries.at(-1)?.Offset ?? 0;
    for (const { epoch, entry } of arrived) {
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
  #reportLost(state: Filling): boolean {
    const { lost } = state;
    if (lost === undefined) return false;
    state.lost = undefined;
    this.#skip(lost.gap, lost.sinks.filter((sink) => this.#sinks.has(sink)));
    return true;
  }
}

/**
 * Splits a page into slices of a limited size. There is at least one slice, which may be empty. A long message has a
 * slice of its own.
 */
function* slicesOf(entries: readonly Entry[]): Generator<{ readonly Entries: Entry[]; readonly size: number }> {
  let [start, size] = [0, 0];
  for (const [at, { Payload: { length } }] of entries.entries()) {
    if (at > start && (at - start === SLICE || size + length > SLICE_CHARACTERS)) {
      yield { Entries: entries.slice(start, at), size };
      [start, size] = [at, 0];
    }
    size += length;
  }
  yield { Entries: entries.slice(start), size };
}
