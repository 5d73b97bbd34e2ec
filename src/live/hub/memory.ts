/**
 * A backplane in process memory.
 *
 * @module
 */

import { markBounded } from "./unavailable.ts";
import type { Awaitable } from "../../state/store/store.ts";
import type { Backplane, Entry, Listener, Log, Position, Retention } from "./backplane.ts";

/** The number of messages after which expired channels are removed. */
const SWEEP_EVERY = 1024;
/** The number of counters for removed channels. Several channels share a counter. */
const COUNTERS = 1024;

/** Creates a backplane for an application that runs in a single process and thread. */
export function newMemory(): Backplane {
  return markBounded(new MemoryBackplane());
}

/** The stored messages of one channel. */
class MemoryLog {
  readonly epoch: string;
  last = 0;
  #entries: Entry[] = [];
  #start = 0;
  expiresAt = 0;

  constructor(epoch: string) {
    this.epoch = epoch;
  }

  append(payload: string, { History, For }: Retention): Entry {
    const entry = { Offset: ++this.last, Payload: payload };
    if (History > 0) {
      this.#expire();
      this.#entries.push(entry);
      this.#start = Math.max(this.#start, this.#entries.length - History);
      // Trimming copies the whole array, so it is only done if at least half of the array is unused.
      if (this.#start > 64 && this.#start * 2 > this.#entries.length) this.#cut(this.#start);
      this.expiresAt = performance.now() + For;
    }
    return entry;
  }

  read(after: number, limit: number): Entry[] {
    this.#expire();
    const first = this.#entries[this.#start]?.Offset ?? Infinity;
    let begin = this.#start + Math.max(0, after + 1 - first);
    // Messages that were published without retention leave gaps, so later messages are stored further to the front.
    begin = Math.min(begin, this.#entries.length);
    while (begin > this.#start && (this.#entries[begin - 1]?.Offset ?? 0) > after) begin--;
    return this.#entries.slice(begin, begin + limit);
  }

  #expire(): void {
    if (this.#entries.length > 0 && performance.now() >= this.expiresAt) this.#cut(this.#entries.length);
  }

  #cut(count: number): void {
    this.#entries = this.#entries.slice(count);
    this.#start = 0;
  }
}

interface Row {
  readonly node: string;
  readonly value: string;
}

/** A backplane in process memory. The leading thread of a multi-threaded process also uses it as its log. */
export class MemoryBackplane implements Backplane {
  readonly IsLossless = true;
  readonly #epoch = crypto.randomUUID().slice(0, 8);
  /**
   * The numbers of removed channels that had messages. An empty channel that is removed and created again keeps its
   * epoch. Otherwise, the only member of a quiet room would receive a gap notice when it reconnects.
   */
  readonly #removed = new Uint32Array(COUNTERS);
  readonly #logs = new Map<string, MemoryLog>();
  readonly #listeners = new Map<string, Listener>();
  readonly #tables = new Map<string, Map<string, Row>>();
  readonly #leases = new Map<string, number>();
  readonly #claims = new Map<string, { value: string; until: number }>();
  #published = 0;

  Publish(channel: string, payload: string, retention: Retention): Position {
    const log = this.#logOf(channel);
    const entry = log.append(payload, retention);
    if (++this.#published % SWEEP_EVERY === 0) this.#sweep();
    this.#listeners.get(channel)?.Receive(log.epoch, entry);
    return { Epoch: log.epoch, Offset: entry.Offset };
  }

  Read(channel: string, after: number, limit: number): Log {
    const log = this.#logOf(channel);
    return { Epoch: log.epoch, Offset: log.last, Entries: log.read(after, limit) };
  }

  Listen(channel: string, listener: Listener): void {
    this.#listeners.set(channel, listener);
  }

  Unlisten(channel: string): void {
    this.#listeners.delete(channel);
    // Without stored messages, clients cannot resume, so the numbering can be discarded.
    const log = this.#logs.get(channel);
    if (log?.expiresAt === 0) this.#remove(channel, log);
  }

  Renew(node: string, lifetime: number): void {
    this.#leases.set(node, performance.now() + lifetime);
  }

  Put(table: string, node: string, field: string, value: string | null): void {
    const rows = this.#tables.get(table);
    if (value !== null) {
      if (rows === undefined) this.#tables.set(table, new Map([[field, { node, value }]]));
      else rows.set(field, { node, value });
    } else if (rows?.delete(field) === true && rows.size === 0) {
      this.#tables.delete(table);
    }
  }

  Rows(table: string): ReadonlyMap<string, string> {
    const now = performance.now();
    const found = new Map<string, string>();
    for (const [field, { node, value }] of this.#tables.get(table) ?? []) {
      if ((this.#leases.get(node) ?? 0) > now) found.set(field, value);
      else this.Put(table, node, field, null);
    }
    return found;
  }

  Claim(key: string, value: string, lifetime: number): string | null {
    const found = this.#claims.get(key);
    const now = performance.now();
    if (found !== undefined && found.until > now) return found.value;
    this.#claims.set(key, { value, until: now + lifetime });
    if (this.#claims.size % SWEEP_EVERY === 0) this.#sweepClaims(now);
    return null;
  }

  Settle(key: string, value: string | null, lifetime: number): void {
    if (value === null) this.#claims.delete(key);
    else this.#claims.set(key, { value, until: performance.now() + lifetime });
  }

  Close(): Awaitable<void> {
    this.#listeners.clear();
  }

  #logOf(channel: string): MemoryLog {
    let log = this.#logs.get(channel);
    if (log === undefined) {
      const removed = this.#removed[counterOf(channel)] ?? 0;
      this.#logs.set(channel, log = new MemoryLog(this.#epoch + (removed > 0 ? removed.toString(36) : "")));
    }
    return log;
  }

  #remove(channel: string, log: MemoryLog): void {
    this.#logs.delete(channel);
    const counter = counterOf(channel);
    if (log.last > 0) this.#removed[counter] = (this.#removed[counter] ?? 0) + 1;
  }

  /**
   * Removes expired channels. The next message in such a channel starts a new epoch, so late clients receive a gap
   * notice.
   */
  #sweep(): void {
    const now = performance.now();
    for (const [channel, log] of this.#logs) {
      if (now >= log.expiresAt && !this.#listeners.has(channel)) this.#remove(channel, log);
    }
  }

  #sweepClaims(now: number): void {
    for (const [key, { until }] of this.#claims) if (until <= now) this.#claims.delete(key);
  }
}

/** Returns the index of a channel's counter. */
function counterOf(channel: string): number {
  let hash = 0;
  for (let at = 0; at < channel.length; at++) hash = (Math.imul(hash, 31) + channel.charCodeAt(at)) >>> 0;
  return hash % COUNTERS;
}
