/**
 * A backplane in a SQLite file. It shares topics and rooms between the processes of a machine, and their messages
 * survive restarts.
 *
 * @example Keep the messages of a topic across restarts
 * ```ts
 * import * as live from "@fw/web/live";
 * import * as sqlite from "@fw/web/live/sqlite";
 *
 * const folder = await Deno.makeTempDir();
 * const hub = live.New({ Backplane: sqlite.New({ File: `${folder}/live.db` }) });
 * const news = hub.Topic("news");
 * (await news.Publish("headline", "It rains")).Offset; // → 1
 * await hub.Close();
 *
 * // After a restart, the numbering continues.
 * const restarted = live.New({ Backplane: sqlite.New({ File: `${folder}/live.db` }) });
 * (await restarted.Topic("news").Publish("headline", "It still rains")).Offset; // → 2
 * await restarted.Close();
 * await Deno.remove(folder, { recursive: true });
 * ```
 *
 * @module
 */
import { markBounded } from "../unavailable.ts";
import { startShared } from "../../../base/async/shared_timer.ts";
import { boundedKey } from "../../../state/store/store.ts";
import { openDatabase, type Options } from "../../../state/store/sqlite_file.ts";
import { Table } from "../../../state/store/sqlite_table.ts";
import type { Backplane, Entry, Listener, Log, Position, Retention } from "../backplane.ts";
import { schema, statements } from "./schema.ts";

/** The interval for looking for the messages of other processes, in milliseconds. */
const POLL_MS = 20;
/** The time to keep a channel's numbering after its messages have expired, in milliseconds. */
const NUMBERING_MS = 86_400_000;
/** The number of messages without retention that other processes can still receive. */
const PASSING = 500;
/** The interval between sweeps for expired rows, in milliseconds, and the maximum number of rows per sweep. */
const SWEEP_MS = 10_000;
const SWEPT = 200;
const decoder = new TextDecoder();

/**
 * Opens a backplane in a SQLite file. All processes that open the same file share its topics and rooms.
 *
 * @param config The options; see `Options` of `@fw/web/store/sqlite`.
 * @returns The backplane. The hub closes it.
 * @throws {FrameworkError} If the file cannot be opened.
 */
export function New(config: Options): Backplane {
  const database = openDatabase(config, { schema, noun: "backplane file", code: "FW_LIVE" });
  return markBounded(new SQLiteBackplane(new Table(database, statements)));
}

/** The state of a channel. */
interface ChannelRow extends Position {
  /** The time until which its messages are stored. */
  readonly until: number;
}

/** A listener and the position of the last message that it has received. */
interface Ear {
  readonly listener: Listener;
  epoch: string;
  offset: number;
}

class SQLiteBackplane implements Backplane {
  readonly IsLossless = false;
  readonly #table: Table<keyof typeof statements>;
  readonly #ears = new Map<string, Ear>();
  /** The version of the file, which changes if another process writes, and the last message that was looked at. */
  #version: unknown = undefined;
  #seen = 0;
  #nextSweep = 0;
  #isClosed = false;
  #stopPolling: (() => void) | undefined = undefined;

  constructor(table: Table<keyof typeof statements>) {
    this.#table = table;
  }

  async Publish(channel: string, payload: string, retention: Retention): Promise<Position> {
    const name = boundedKey(channel);
    const position = await this.#table.transaction((now) => this.#append(name, payload, retention, now));
    this.#deliver(name);
    return position;
  }

  async Read(channel: string, after: number, limit: number): Promise<Log> {
    const name = boundedKey(channel);
    const { Epoch, Offset, until } = await this.#row(name);
    if (after >= Offset || until <= Date.now()) return { Epoch, Offset, Entries: [] };
    const rows = await this.#table.reading(() => this.#table.all("read", name, after, limit));
    return { Epoch, Offset, Entries: rows.map(entryOf) };
  }

  async Listen(channel: string, listener: Listener): Promise<void> {
    const name = boundedKey(channel);
    const { Epoch, Offset } = await this.#row(name);
    this.#ears.set(name, { listener, epoch: Epoch, offset: Offset });
    if (this.#stopPolling !== undefined) return;
    this.#seen = Number((await this.#table.reading(() => this.#table.first("newest")))?.[0] ?? 0);
    this.#stopPolling ??= startShared(() => setInterval(() => this.#poll(), POLL_MS));
  }

  Unlisten(channel: string): void {
    this.#ears.delete(boundedKey(channel));
    if (this.#ears.size > 0) return;
    this.#stopPolling?.();
    this.#stopPolling = undefined;
  }

  async Renew(node: string, lifetime: number): Promise<void> {
    await this.#table.transaction((now) => this.#table.run("renew", node, now + lifetime));
  }

  async Put(table: string, node: string, field: string, value: string | null): Promise<void> {
    const name = boundedKey(table);
    await this.#table.transaction(() =>
      value === null ? this.#table.run("drop", name, field) : this.#table.run("put", name, field, node, value)
    );
  }

  async Rows(table: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#table.reading(() => this.#table.all("rows", boundedKey(table), Date.now()));
    return new Map(rows.map(([field, value]) => [String(field), textOf(value)]));
  }

  async Claim(key: string, value: string, lifetime: number): Promise<string | null> {
    const name = boundedKey(key);
    return await this.#table.transaction((now) => {
      const found = this.#table.first("claimed", name, now);
      if (found !== undefined) return textOf(found[0]);
      this.#table.run("settle", name, value, now + Math.ceil(lifetime));
      return null;
    });
  }

  async Settle(key: string, value: string | null, lifetime: number): Promise<void> {
    const name = boundedKey(key);
    await this.#table.transaction((now) =>
      value === null
        ? this.#table.run("release", name)
        : this.#table.run("settle", name, value, now + Math.ceil(lifetime))
    );
  }

  Close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopPolling?.();
    this.#ears.clear();
    this.#table.close();
  }

  #append(name: string, payload: string, { History, For }: Retention, now: number): Position {
    const before = this.#find(name, now);
    const Epoch = before?.Epoch ?? newEpoch();
    const Offset = (before?.Offset ?? 0) + 1;
    // Expired messages must not be stored again with the new one.
    if (before === undefined || before.until <= now) this.#table.run("trim", name, 1, Offset);
    const until = History > 0 ? now + Math.ceil(For) : before?.until ?? 0;
    this.#table.run("number", name, Epoch, Offset, until, now + Math.ceil(For) + NUMBERING_MS);
    this.#table.run("append", name, Offset, History > 0 ? 1 : 0, payload);
    if (History > 0) this.#table.run("trim", name, 1, Offset - History);
    else this.#table.run("trim", name, 0, Offset - PASSING);
    this.#sweep(now);
    return { Epoch, Offset };
  }

  /** Returns the state of a channel. If there is none, its numbering begins. */
  async #row(name: string): Promise<ChannelRow> {
    const found = await this.#table.reading(() => this.#find(name, Date.now()));
    if (found !== undefined) return found;
    return await this.#table.transaction((now) => {
      const row = this.#find(name, now) ?? { Epoch: newEpoch(), Offset: 0, until: 0 };
      this.#table.run("number", name, row.Epoch, row.Offset, row.until, now + NUMBERING_MS);
      return row;
    });
  }

  #find(name: string, now: number): ChannelRow | undefined {
    const row = this.#table.first("channel", name, now);
    return row === undefined ? undefined : { Epoch: String(row[0]), Offset: Number(row[1]), until: Number(row[2]) };
  }

  /** Looks for messages of other processes. If the file is locked, the next call finds them. */
  async #poll(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const version = this.#table.first("version")?.[0];
      if (version === this.#version) return;
      const changed = await this.#table.reading(() => this.#table.all("changed", this.#seen));
      this.#version = version;
      for (const [name, seq] of changed) {
        this.#seen = Math.max(this.#seen, Number(seq));
        this.#deliver(String(name));
      }
    } catch {
      for (const { listener } of this.#ears.values()) listener.Missed();
    }
  }

  /** Delivers the messages that the listener of a channel has not received yet. */
  #deliver(name: string): void {
    const ear = this.#ears.get(name);
    if (ear === undefined) return;
    try {
      const row = this.#find(name, Date.now());
      if (row === undefined) return;
      if (row.Epoch !== ear.epoch) [ear.epoch, ear.offset] = [row.Epoch, 0];
      for (const entry of this.#table.all("deliver", name, ear.offset, PASSING).map(entryOf)) {
        ear.offset = entry.Offset;
        ear.listener.Receive(ear.epoch, entry);
      }
      if (ear.offset < row.Offset) ear.listener.Missed();
      ear.offset = row.Offset;
    } catch {
      // The message is stored, so a failure must not be reported to its publisher.
      ear.listener.Missed();
    }
  }

  #sweep(now: number): void {
    if (performance.now() < this.#nextSweep) return;
    const expired = this.#table.all("expired", now, SWEPT);
    for (const [name] of expired) {
      this.#table.run("clear", String(name));
      this.#table.run("emptied", String(name));
      // The numbering outlives the messages.
      this.#table.run("forget", String(name), now);
    }
    const unclaimed = this.#table.run("unclaim", now, SWEPT);
    const removed = Math.max(expired.length, unclaimed, this.#table.run("leave", now, SWEPT));
    this.#table.run("unlease", now);
    this.#nextSweep = performance.now() + (removed < SWEPT ? SWEEP_MS : 0);
  }
}

function entryOf([offset, payload]: unknown[]): Entry {
  return { Offset: Number(offset), Payload: textOf(payload) };
}

/** Decodes text that was read as bytes, because the driver truncates text at the first NUL. */
function textOf(bytes: unknown): string {
  return decoder.decode(bytes as Uint8Array);
}

function newEpoch(): string {
  return crypto.randomUUID().slice(0, 8);
}
