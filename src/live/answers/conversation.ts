/**
 * A conversation: the answer that is current, and the lease of the process that writes it.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Retention } from "../hub/backplane.ts";
import { ownChannel } from "../hub/channel_name.ts";
import { innerHub } from "../hub/hub.ts";
import type { InnerHub } from "../hub/inner_hub.ts";
import { payloadOf, readPayload } from "../hub/payload.ts";
import { AnswerLease } from "./answer_lease.ts";
import { AnswerLog } from "./answer_log.ts";
import type { AnswerSettings } from "./options.ts";

/** The number of entries that are not parts. */
const CONTROL = 1_000;

/** The current answer of a conversation. */
export interface Run {
  /** The ID of the answer. */
  readonly id: string;
  /** The key of the call that has started it, or an empty string. */
  readonly key: string;
}

/** A conversation of one owner. */
export class Conversation {
  readonly id: string;
  readonly owner: string;
  readonly lease: AnswerLease;
  readonly #hub: InnerHub;
  readonly #channel: string;
  readonly #settings: AnswerSettings;

  constructor(settings: AnswerSettings, owner: string, id: string) {
    // A client chooses the ID, so that it must neither reach the conversations of others nor determine key lengths.
    const name = createHash("sha256").update(JSON.stringify([owner, id])).digest("base64url");
    this.id = id;
    this.owner = owner;
    this.#settings = settings;
    this.#hub = innerHub(settings.Hub);
    this.#channel = ownChannel("answers", name);
    this.lease = new AnswerLease(this.#hub, name, settings.Lease);
  }

  /** Returns the current answer, which may have ended. */
  async current(): Promise<Run | undefined> {
    const { Entries } = await this.#hub.backplane.Read(this.#channel, 0, 10);
    const data = readPayload(Entries.at(-1)?.Payload ?? "")?.data;
    return isRun(data) ? data : undefined;
  }

  /** Replaces the current answer. */
  async begin(run: Run): Promise<void> {
    await this.#hub.backplane.Publish(this.#channel, payloadOf("run", run), this.#retention(1));
  }

  /** Returns the log of an answer. */
  logOf({ id }: Run): AnswerLog {
    return new AnswerLog(this.#hub, id, this.#retention(this.#settings.MaxParts + CONTROL));
  }

  #retention(History: number): Retention {
    return { History, For: this.#settings.For };
  }
}

function isRun(data: unknown): data is Run {
  return typeof data === "object" && data !== null && "id" in data && typeof data.id === "string" &&
    "key" in data && typeof data.key === "string";
}
