/**
 * A JetStream stream. It is created on first use, and again if the server has lost it.
 *
 * @module
 */
import { RecentMap } from "../../base/data/recent_map.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { boundedKey } from "../../state/store/store.ts";
import type { NatsConnection, NatsLink } from "./nats_connection.ts";
import { callAPI, codeOf, readMessage, type StoredMessage, storeMessage, subjectsOf } from "./nats_jetstream.ts";

/** The maximum number of messages to request at once. */
const PARALLEL = 64;
/** The time for which a message that was read is remembered, in milliseconds. */
const RECENT_MS = 1_000;
/** The number of bytes of a message that are reserved for its headers. */
const HEADERS = 128;
/** The error codes of JetStream. Nothing responds to the subjects of a stream that does not exist. */
const NO_RESPONSE = 0;
const STREAM_EXISTS = 10058;
const STREAM_MISSING = 10059;
const WRONG_SEQUENCES: readonly number[] = [10071, 10164];
/** The maximum number of attempts to use a stream that is being created. */
const MOST_TRIES = 50;

/** The options of a stream. */
export interface NatsStreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly "max_msgs_per_subject"?: number;
  readonly republish?: { readonly src: string; readonly dest: string };
}

/** A stream, with the calls that the backplane needs. */
export class NatsStream {
  readonly #connection: NatsConnection;
  readonly #config: NatsStreamConfig & Readonly<Record<string, unknown>>;
  readonly #name: string;
  /** The connection on which the stream is known to exist, and the messages that were read from it. */
  #created: NatsLink | undefined = undefined;
  #recent = newRecent();

  constructor(connection: NatsConnection, config: NatsStreamConfig, maxAge: number) {
    this.#connection = connection;
    // Servers before 2.11 do not reliably check the expected last message of a stream with several replicas.
    this.#config = { ...config, "allow_direct": true, "max_age": maxAge * 1_000_000, "num_replicas": 1 };
    this.#name = config.name;
  }

  /** Returns the last message of a subject. There is only one replica, so it cannot be stale. */
  last(subject: string): Promise<StoredMessage | null> {
    return this.#run((link) => readMessage(link, this.#name, { "last_by_subj": subject }));
  }

  /**
   * Returns the first message of a subject at or after a sequence number. Stored messages do not change, so that
   * requests are shared by clients that resume at the same time.
   */
  next(subject: string, seq: number): Promise<StoredMessage | null> {
    const key = `${seq} ${subject}`;
    let found = this.#recent.get(key);
    if (found === undefined) {
      const query = { seq, "next_by_subj": subject };
      found = this.#run((link) => readMessage(link, this.#name, query));
      this.#recent.set(key, found);
      found.then((message) => message ?? this.#recent.delete(key), () => this.#recent.delete(key));
    }
    return found;
  }

  /** Reads the messages of a subject between two sequence numbers, until the callback returns `false`. */
  async read(subject: string, from: number, to: number, take: (message: StoredMessage) => boolean): Promise<void> {
    for (let [at, width] = [from, PARALLEL]; at <= to;) {
      const length = Math.min(width, to - at + 1);
      const found = await Promise.all(Array.from({ length }, (_, step) => this.next(subject, at + step)));
      width = 0;
      for (const message of found) {
        if (message === null || message.seq > to) return;
        // If messages of other subjects are in between, several requests find the same message.
        if (message.seq < at) continue;
        if (!take(message)) return;
        at = message.seq + 1;
        width = Math.min(width + 2, PARALLEL);
      }
    }
  }

  /** Returns the last message of each subject that matches a filter, in the order of the subjects. */
  async lasts(filter: string): Promise<StoredMessage[]> {
    const subjects = (await this.#run((link) => subjectsOf(link, this.#name, filter))).sort();
    const found: StoredMessage[] = [];
    for (let at = 0; at < subjects.length; at += PARALLEL) {
      const page = await Promise.all(subjects.slice(at, at + PARALLEL).map((subject) => this.last(subject)));
      found.push(...page.filter((message) => message !== null));
    }
    return found;
  }

  /**
   * Stores a message.
   *
   * @param subject The subject.
   * @param text The message.
   * @param last The sequence number of the subject's last message, or 0 if there is none. If omitted, any is accepted.
   * @returns The message's sequence number, or `undefined` if the last message is another one.
   */
  store(subject: string, text: string, last?: number): Promise<number | undefined> {
    const data = new TextEncoder().encode(text);
    return this.#run(async (link) => {
      const most = link.maxPayload - HEADERS;
      if (data.length > most) {
        const message = `Cannot store ${data.length} bytes in NATS: its max_payload allows at most ${most} bytes`;
        throw new FrameworkError("FW_LIVE", message);
      }
      try {
        return await storeMessage(link, subject, data, last);
      } catch (error) {
        if (isConflict(error)) return undefined;
        throw error;
      }
    });
  }

  /** Removes messages of a subject: all but the newest ones, or all before a sequence number. */
  async purge(filter: string, which: { readonly keep: number } | { readonly seq: number }): Promise<void> {
    await this.#run((link) => callAPI(link, `STREAM.PURGE.${this.#name}`, { filter, ...which }));
  }

  #run<T>(call: (link: NatsLink) => Promise<T>): Promise<T> {
    return this.#connection.run(async (link) => {
      if (this.#created !== link) await this.#create(link);
      try {
        return await call(link);
      } catch (error) {
        this.#created = undefined;
        if (!isMissing(error)) throw error;
        await this.#create(link);
        return await call(link);
      }
    });
  }

  /** Creates or updates the stream, and waits until it can be used, because another process may be creating it. */
  async #create(link: NatsLink): Promise<void> {
    await callAPI(link, `STREAM.CREATE.${this.#name}`, this.#config).catch(async (error) => {
      if (codeOf(error) !== STREAM_EXISTS) throw error;
      const { config } = await callAPI<{ config: object }>(link, `STREAM.INFO.${this.#name}`, {});
      await callAPI(link, `STREAM.UPDATE.${this.#name}`, { ...config, ...this.#config });
    });
    for (let tries = 1; !await this.#isReady(link); tries++) {
      if (tries === MOST_TRIES) throw new Error(`The stream "${this.#name}" does not accept messages`);
      await new Promise((resolve) => setTimeout(resolve, tries));
    }
    this.#created = link;
    this.#recent = newRecent();
  }

  /** Reports whether the stream checks messages. It rejects this one, because it expects an impossible number. */
  async #isReady(link: NatsLink): Promise<boolean> {
    const [subject = ""] = this.#config.subjects;
    try {
      await storeMessage(link, subject.replace(/[*>]$/, "probe"), "", Number.MAX_SAFE_INTEGER);
    } catch (error) {
      if (!isConflict(error) && !isMissing(error)) throw error;
      return isConflict(error);
    }
    return true;
  }
}

/**
 * Encodes a name as one token of a subject. Different names have different tokens. Long names are hashed, because NATS
 * closes connections that send a line of more than 4096 bytes.
 */
export function tokenOf(name: string): string {
  if (name === "") return "=";
  return boundedKey(name.replaceAll(/[^\w-]/g, (unit) => `=${unit.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

function newRecent(): RecentMap<Promise<StoredMessage | null>> {
  return new RecentMap({ most: 2_000, lifetime: RECENT_MS });
}

/** Reports whether a call failed because the stream does not exist. */
function isMissing(error: unknown): boolean {
  return [STREAM_MISSING, NO_RESPONSE].includes(codeOf(error));
}

/** Reports whether a call failed because the last message is another one than expected. */
function isConflict(error: unknown): boolean {
  return WRONG_SEQUENCES.includes(codeOf(error));
}
