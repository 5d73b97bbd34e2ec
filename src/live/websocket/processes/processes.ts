/**
 * Sends requests to the processes of a server and collects their responses.
 *
 * @module
 */

import { ownChannel } from "../../hub/channel_name.ts";
import { type Hub, innerHub, publish } from "../../hub/hub.ts";
import { payloadOf } from "../../hub/payload.ts";
import type { RoomPresence } from "../../hub/presence.ts";
import { Subscription } from "../../hub/subscription.ts";
import type { Fetched, FetchedConn } from "./fetched.ts";

/** The maximum time to wait for responses, in milliseconds. */
export const RESPONSE_MS = 2_000;
/** The length of the JSON after which a response is split. Some backplanes limit the size of messages. */
const PART_CHARACTERS = 64 << 10;
/** The name of the room whose members are processes. Clients cannot join it, because it has a control character. */
const ROOM = "\nprocesses";

/** A part of a response. The ID of a request begins with that of the process that has sent it. */
interface ResponsePart {
  readonly id: string;
  readonly from: string;
  readonly rows: readonly FetchedConn[];
  readonly isLast: boolean;
}

/** A request that is waiting for responses. */
class Pending {
  readonly #rows: FetchedConn[] = [];
  readonly #responded = new Set<string>();
  readonly #done = Promise.withResolvers<void>();
  #expected = Infinity;

  take({ from, rows, isLast }: ResponsePart): void {
    this.#rows.push(...rows);
    if (isLast) this.#responded.add(from);
    this.#check();
  }

  /** Waits for a number of processes. */
  async wait(expected: number, timeout: number): Promise<Fetched> {
    this.#expected = expected;
    this.#check();
    const timer = setTimeout(this.#done.resolve, timeout);
    await this.#done.promise;
    clearTimeout(timer);
    const responded = this.#responded.size;
    return { Conns: this.#rows, Responded: responded, Expected: Math.max(expected, responded) };
  }

  #check(): void {
    if (this.#responded.size >= this.#expected) this.#done.resolve();
  }
}

/** The number of servers with connections in this process, by hub and name. */
const locals = new WeakMap<Hub, Map<string, number>>();

/** The processes of a server. Those with connections respond to requests. */
export class Processes {
  readonly #hub: Hub;
  readonly #name: string;
  readonly #id = crypto.randomUUID().slice(0, 12);
  readonly #requests = new Map<string, Pending>();
  #subscription: Subscription | undefined = undefined;
  #lastID = 0;

  constructor(hub: Hub, name: string) {
    this.#hub = hub;
    this.#name = name;
  }

  /** Records that this process has connections. */
  enter(): void {
    if (this.#isLocal) return this.#count(1);
    // The hub repeats this until it succeeds, and the subscriptions of the server report that it fails.
    this.#processes().Add(this.#id, null).catch(() => {});
  }

  /** Records that this process has no connections. */
  leave(): void {
    if (this.#isLocal) return this.#count(-1);
    this.#processes().Remove(this.#id).catch(() => {});
  }

  /**
   * Sends a request to all processes with connections.
   *
   * @param publish Publishes the request with an ID.
   * @param timeout The maximum time to wait, in milliseconds.
   */
  async ask(publish: (id: string) => Promise<void>, timeout: number = RESPONSE_MS): Promise<Fetched> {
    const request = new Pending();
    const id = `${this.#id}:${++this.#lastID}`;
    this.#requests.set(id, request);
    try {
      await this.#listen().attempted();
      const expected = this.#isLocal ? this.#countOf() : (await this.#processes().List()).length;
      await publish(id);
      return await request.wait(expected, timeout);
    } finally {
      this.#requests.delete(id);
      this.#unlistenIfUnused();
    }
  }

  /** Responds to a request. A long response has several parts. */
  respond(id: string, rows: readonly FetchedConn[]): void {
    const channel = channelOf(String(id).split(":", 1)[0] ?? "");
    for (const { part, isLast } of partsOf(rows)) {
      const response: ResponsePart = { id, from: this.#id, rows: part, isLast };
      // The hub logs the failure.
      void publish(this.#hub, channel, payloadOf("response", response));
    }
  }

  get #isLocal(): boolean {
    return innerHub(this.#hub).backplane.IsLossless;
  }

  #processes(): RoomPresence {
    return innerHub(this.#hub).presence(this.#name, ROOM, "");
  }

  #count(change: number): void {
    const counts = locals.get(this.#hub) ?? new Map();
    locals.set(this.#hub, counts.set(this.#name, this.#countOf() + change));
  }

  #countOf(): number {
    return locals.get(this.#hub)?.get(this.#name) ?? 0;
  }

  #listen(): Subscription {
    return this.#subscription ??= new Subscription(innerHub(this.#hub), channelOf(this.#id), {
      receive: ({ data }) => this.#requests.get((data as ResponsePart).id)?.take(data as ResponsePart),
      missed() {},
    });
  }

  #unlistenIfUnused(): void {
    if (this.#requests.size > 0) return;
    this.#subscription?.stop();
    this.#subscription = undefined;
  }
}

function channelOf(process: string): string {
  return ownChannel("responses", process);
}

/** Splits rows into parts of a limited size. There is at least one part, which may be empty. */
function partsOf(rows: readonly FetchedConn[]): { part: FetchedConn[]; isLast: boolean }[] {
  const parts: FetchedConn[][] = [[]];
  let size = 0;
  for (const row of rows) {
    const { length } = JSON.stringify(row);
    if (size > 0 && size + length > PART_CHARACTERS) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(row);
    size += length;
  }
  return parts.map((part, at) => ({ part, isLast: at === parts.length - 1 }));
}
