/**
 * The numbered messages of channels, in a JetStream stream.
 *
 * JetStream numbers the messages of a stream, but not those of a channel. Each stored batch therefore contains the
 * offset of its first message, and the server only accepts it directly after the batch that the offset was computed
 * from. If several processes publish to a channel at the same time, one of them succeeds, and the others try again.
 *
 * @module
 */
import { RecentMap } from "../../base/data/recent_map.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Entry, Listener, Log, Position, Retention } from "./backplane.ts";
import type { NatsConnection } from "./nats_connection.ts";
import type { StoredMessage } from "./nats_jetstream.ts";
import { NatsStream, tokenOf } from "./nats_stream.ts";
import type { NatsTable } from "./nats_table.ts";

/** The time after which publishing fails if other processes are always faster, in milliseconds. */
const GIVE_UP_MS = 5_000;
/** The number of characters after which a batch is full. */
const FULL = 16_384;
/** The minimum number of messages between two removals of old messages. */
const TRIM_EVERY = 100;
/** The time for which the last batch of a channel is remembered, in milliseconds. */
const KNOWN_MS = 5_000;
/** The distance in the stream within which a search for an offset ends. */
const NEAR = 50;

/** Messages that are stored together. */
interface Batch extends Retention {
  readonly Epoch: string;
  /** The offset of the first message. */
  readonly First: number;
  readonly Payloads: readonly string[];
  /** The longest history in this epoch. */
  readonly Longest: number;
}

/** A message that is not a batch. */
const unreadable: Batch = { Epoch: "", First: 1, Payloads: [], History: 0, For: 0, Longest: 0 };

/** A stored batch, with its sequence number in the stream and the server's time. */
interface Stored extends Batch {
  readonly seq: number;
  readonly time: number;
}

/** A batch that is being collected while the previous one is being stored. */
interface Group extends Retention {
  readonly payloads: string[];
  length: number;
  isClosed: boolean;
  stored: Promise<Batch> | undefined;
}

/** A listener and the function that ends its subscription. */
interface Subscribed {
  readonly listener: Listener;
  readonly end: Promise<() => void>;
}

/** The messages of all channels. */
export class NatsLog {
  readonly #connection: NatsConnection;
  readonly #table: NatsTable;
  readonly #stream: NatsStream;
  readonly #name: string;
  readonly #maxAge: number;
  readonly #groups = new Map<string, Group>();
  readonly #listeners = new Map<string, Subscribed>();
  /** The last batches of busy channels, which save a request before the next batch. */
  #known = newKnown();

  constructor(connection: NatsConnection, table: NatsTable, name: string, maxAge: number) {
    this.#connection = connection;
    this.#table = table;
    this.#name = name;
    this.#maxAge = maxAge;
    // NATS delivers messages to the subscribers of a subject even if the stream rejects them. The stream therefore
    // publishes the messages that it has stored under another subject, for listeners.
    const republish = { src: `${name}.log.*`, dest: `${name}.live.{{wildcard(1)}}` };
    this.#stream = new NatsStream(connection, { name, subjects: [republish.src], republish }, maxAge);
  }

  async publish(channel: string, payload: string, retention: Retention): Promise<Position> {
    if (retention.For > this.#maxAge) {
      throw new FrameworkError(
        "FW_LIVE",
        `Cannot publish to "${channel}": its messages are stored for ${retention.For} ms, longer than MaxAge`,
      );
    }
    let group = this.#groups.get(channel);
    if (group === undefined || group.isClosed || group.length + payload.length > FULL || !isSame(group, retention)) {
      const before = group?.stored;
      group = { ...retention, payloads: [], length: 0, isClosed: false, stored: undefined };
      this.#groups.set(channel, group);
      group.stored = this.#store(channel, group, before);
    }
    group.length += payload.length;
    const at = group.payloads.push(payload) - 1;
    const { Epoch, First } = await group.stored as Batch;
    return { Epoch, Offset: First + at };
  }

  async read(channel: string, after: number, limit: number, epoch?: string): Promise<Log> {
    const subject = this.#subject(channel);
    const last = await this.#last(subject, after, epoch);
    const [Offset, Entries]: [number, Entry[]] = [endOf(last), []];
    if (after >= Offset) return { Epoch: last.Epoch, Offset, Entries };
    const now = await this.#table.now();
    await this.#stream.read(subject, await this.#seek(subject, after + 1, last), last.seq, (message) => {
      const { Epoch, First, Payloads, History, For } = storedOf(message);
      const isStored = Epoch === last.Epoch && now < last.time + For;
      for (const [at, Payload] of isStored ? Payloads.entries() : []) {
        const each = First + at;
        if (each > after && each > Offset - History && Entries.length < limit) Entries.push({ Offset: each, Payload });
      }
      return Entries.length < limit;
    });
    return { Epoch: last.Epoch, Offset, Entries };
  }

  async listen(channel: string, listener: Listener): Promise<void> {
    const subject = this.#subject(channel);
    const end = this.#connection.subscribe(`${this.#name}.live.${tokenOf(channel)}`, (message) => {
      const batch = batchOf(message.string());
      if (batch === unreadable) return listener.Missed();
      this.#note(subject, batch, Number(message.headers?.get("Nats-Sequence")));
      try {
        for (const [at, Payload] of batch.Payloads.entries()) {
          listener.Receive(batch.Epoch, { Offset: batch.First + at, Payload });
        }
      } catch {
        // An exception would make the client stop reading. The channel reads the messages again and reports it.
        listener.Missed();
      }
    });
    this.#listeners.set(channel, { listener, end });
    await end;
  }

  unlisten(channel: string): void {
    this.#listeners.get(channel)?.end.then((end) => end(), ignore);
    this.#listeners.delete(channel);
  }

  /** Notifies all listeners that messages may have been lost. */
  missed(): void {
    // A server that has lost its data may have another batch with the same sequence number.
    this.#known = newKnown();
    for (const { listener } of this.#listeners.values()) listener.Missed();
  }

  /**
   * Returns the last batch. If there is none, or if the server has lost messages that were already received, starts a
   * new epoch, so that every subscriber receives a gap notice. If another process has already done so, its epoch is
   * used.
   */
  #last(subject: string, received: number, epoch?: string): Promise<Stored> {
    return this.#append(subject, (last) => {
      const isReceived = (end: number) => received === Infinity || received <= end;
      if (last?.Epoch && (isReceived(endOf(last)) || epoch !== undefined && epoch !== last.Epoch)) return last;
      return { ...unreadable, Epoch: newEpoch() };
    });
  }

  /** Stores a group of messages after the previous one. Messages that are published until then join the group. */
  async #store(channel: string, group: Group, before: Promise<unknown> | undefined): Promise<Batch> {
    await before?.catch(ignore);
    group.isClosed = true;
    const { payloads: Payloads, History, For } = group;
    const subject = this.#subject(channel);
    try {
      const batch = await this.#append(subject, (last) => ({
        Epoch: last?.Epoch || newEpoch(),
        First: last === undefined ? 1 : endOf(last) + 1,
        Payloads,
        History,
        For,
        Longest: Math.max(History, last?.Longest ?? 0),
      }), this.#known.get(subject));
      this.#note(subject, batch, batch.seq);
      await this.#trim(subject, batch);
      return batch;
    } finally {
      if (this.#groups.get(channel) === group) this.#groups.delete(channel);
    }
  }

  /**
   * Stores a batch directly after the last one.
   *
   * @param subject The channel's subject.
   * @param follow Returns the batch to store, or the last batch if nothing is to be stored.
   * @param known The batch that is probably the last one. If omitted, the last one is requested.
   * @returns The batch that is now the last one.
   */
  async #append(subject: string, follow: (last: Stored | undefined) => Batch, known?: Stored): Promise<Stored> {
    const begin = performance.now();
    for (let last = known;; last = undefined) {
      const start = performance.now();
      last ??= storedOf(await this.#stream.last(subject));
      const batch = follow(last);
      if (batch === last) return last;
      const seq = await this.#stream.store(subject, JSON.stringify(batch), last?.seq ?? 0);
      if (seq !== undefined) return { ...batch, seq, time: 0 };
      const now = performance.now();
      if (now - begin > GIVE_UP_MS) {
        throw new FrameworkError("FW_LIVE", `Cannot publish to "${subject}": other processes publish too often`);
      }
      // Of two processes that try again in lockstep, the same one would always win.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (now - start)));
    }
  }

  /** Removes old messages now and then. There may be more messages than the history until the next call. */
  async #trim(subject: string, batch: Batch): Promise<void> {
    const every = Math.max(batch.Longest, TRIM_EVERY);
    if (Math.floor(endOf(batch) / every) === Math.floor((batch.First - 1) / every)) return;
    // The batch is stored, so a failure must not be reported. The next call removes these messages as well.
    await this.#stream.purge(subject, { keep: Math.max(batch.Longest, 1) }).catch(ignore);
  }

  /** Finds a sequence number that is not after an offset, but near it. */
  async #seek(subject: string, offset: number, last: Stored): Promise<number> {
    const isLater = async (seq: number) => {
      const { Epoch, First } = storedOf(await this.#stream.next(subject, seq)) ?? last;
      return Epoch === last.Epoch && First > offset;
    };
    const back = (distance: number) => Math.max(1, last.seq - distance);
    let [low, high] = [back(NEAR), last.seq];
    // Readers usually miss the most recent messages only.
    for (let step = 8 * NEAR; low > 1 && await isLater(low); step *= 8) [low, high] = [back(step), low];
    while (high - low > NEAR) {
      const middle = Math.floor((low + high) / 2);
      if (await isLater(middle)) high = middle;
      else low = middle;
    }
    return low;
  }

  /** Remembers the last batch of a channel, without its messages. */
  #note(subject: string, batch: Batch, seq: number): void {
    this.#known.set(subject, { ...batch, First: endOf(batch) + 1, Payloads: [], seq, time: 0 });
  }

  #subject(channel: string): string {
    return `${this.#name}.log.${tokenOf(channel)}`;
  }
}

function storedOf(message: StoredMessage): Stored;
function storedOf(message: StoredMessage | null): Stored | undefined;
function storedOf(message: StoredMessage | null): Stored | undefined {
  if (message === null) return undefined;
  return { ...batchOf(message.text), seq: message.seq, time: message.time };
}

/** Parses a batch. Other programs may write to the subjects as well. A new epoch starts after such a message. */
function batchOf(text: string): Batch {
  try {
    const batch: Partial<Batch> | null = JSON.parse(text);
    const isBatch = typeof batch?.Epoch === "string" && Number.isSafeInteger(batch.First) &&
      Array.isArray(batch.Payloads) && batch.Payloads.every((payload) => typeof payload === "string");
    return isBatch ? batch as Batch : unreadable;
  } catch {
    return unreadable;
  }
}

/** Returns the offset of a batch's last message. */
function endOf({ First, Payloads }: Batch): number {
  return First + Payloads.length - 1;
}

function isSame(one: Retention, other: Retention): boolean {
  return one.History === other.History && one.For === other.For;
}

function newKnown(): RecentMap<Stored> {
  return new RecentMap({ most: 1_000, lifetime: KNOWN_MS });
}

function newEpoch(): string {
  return crypto.randomUUID().slice(0, 8);
}

function ignore(): void {}
