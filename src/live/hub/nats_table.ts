/**
 * The rows, leases and claims of processes, in a JetStream stream that stores one message per subject.
 *
 * @module
 */
import type { NatsConnection } from "./nats_connection.ts";
import type { StoredMessage } from "./nats_jetstream.ts";
import { NatsStream, tokenOf } from "./nats_stream.ts";

/** The maximum time to store a value, in milliseconds. */
const VALUE_MS = 86_400_000;
/** The time after which the server's time is requested again, in milliseconds. */
const CLOCK_MS = 10_000;

/** A row. A row without a value is being removed. */
type Row = readonly [node: string, field: string, value: string | null];

/** A value with a lifetime, in milliseconds. Leases have an empty value. */
interface Lease {
  readonly lifetime: number;
  readonly value: string;
}

/** The tables of all processes. All lifetimes use the clock of the server, because the machines' clocks may differ. */
export class NatsTable {
  readonly #stream: NatsStream;
  readonly #prefix: string;
  #clock = { offset: 0, until: 0 };

  constructor(connection: NatsConnection, name: string) {
    this.#prefix = `${name}.state`;
    const config = { name: `${name}_state`, subjects: [`${this.#prefix}.>`], "max_msgs_per_subject": 1 };
    this.#stream = new NatsStream(connection, config, VALUE_MS);
  }

  async renew(node: string, lifetime: number): Promise<void> {
    await this.#stream.store(this.#subject("node", node), leaseText(lifetime, ""));
  }

  async put(table: string, row: Row): Promise<void> {
    const [node, field, value] = row;
    const subject = this.#subject("row", table, node, field);
    const seq = await this.#stream.store(subject, JSON.stringify(row));
    // An earlier value may still be in flight, so removing the message alone is not enough.
    if (value === null && seq !== undefined) await this.#stream.purge(subject, { seq: seq + 1 });
  }

  async rows(table: string): Promise<Map<string, string>> {
    const now = await this.now();
    const found = new Map<string, string>();
    const leases = new Map<string, boolean>();
    const dead = new Map<string, number>();
    for (const message of await this.#stream.lasts(`${this.#subject("row", table)}.*.*`)) {
      const [node, field, value]: Row = JSON.parse(message.text);
      const isAlive = leases.get(node) ?? isValid(await this.#stream.last(this.#subject("node", node)), now);
      leases.set(node, isAlive);
      if (!isAlive) dead.set(node, Math.max(dead.get(node) ?? 0, message.seq));
      else if (value !== null) found.set(field, value);
    }
    for (const [node, seq] of dead) {
      // A process that was only slow has stored newer rows in the meantime.
      await this.#stream.purge(`${this.#subject("row", table, node)}.*`, { seq: seq + 1 });
    }
    return found;
  }

  async claim(key: string, value: string, lifetime: number): Promise<string | null> {
    const subject = this.#subject("claim", key);
    for (let expected = 0;;) {
      if (await this.#stream.store(subject, leaseText(lifetime, value), expected) !== undefined) return null;
      const current = await this.#stream.last(subject);
      if (current !== null && isValid(current, await this.now())) return leaseOf(current).value;
      expected = current?.seq ?? 0;
    }
  }

  async settle(key: string, value: string | null, lifetime: number): Promise<void> {
    // A claim that has expired can be claimed again, even if the clock of this process is late.
    const text = value === null ? leaseText(-VALUE_MS, "") : leaseText(lifetime, value);
    await this.#stream.store(this.#subject("claim", key), text);
  }

  /** Returns the server's time. It is derived from the time at which the server last stored a message for this. */
  async now(): Promise<number> {
    if (performance.now() > this.#clock.until) {
      const subject = this.#subject("clock");
      await this.#stream.store(subject, "");
      const message = await this.#stream.last(subject);
      const now = performance.now();
      this.#clock = { offset: (message?.time ?? 0) - now, until: now + CLOCK_MS };
    }
    return performance.now() + this.#clock.offset;
  }

  #subject(kind: string, ...names: readonly string[]): string {
    return [this.#prefix, kind, ...names.map(tokenOf)].join(".");
  }
}

function leaseText(lifetime: number, value: string): string {
  return JSON.stringify({ lifetime, value } satisfies Lease);
}

function isValid(message: StoredMessage | null, now: number): boolean {
  return message !== null && now < message.time + leaseOf(message).lifetime;
}

function leaseOf(message: StoredMessage): Lease {
  return JSON.parse(message.text);
}
