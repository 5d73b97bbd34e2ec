/**
 * Lets slow readers skip to the latest messages.
 *
 * @module
 */

import type { Message } from "./codec.ts";

/** The connection of a slow reader. */
export interface SlowLink {
  readonly buffered: number;
  readonly host: { readonly settings: { readonly MaxBuffered: number } };
  send(packet: Message): void;
  watch(): void;
}

/** Returns the notice about missing messages. */
type Notice = () => string | undefined;

interface Held {
  readonly packet: Message;
  readonly lost: Notice | undefined;
}

/** Holds the latest message of each event and room until the reader has caught up. */
export class SlowReader {
  readonly #link: SlowLink;
  #latest: Map<string, Held> | undefined = undefined;
  #lost: Map<string, Notice> | undefined = undefined;

  constructor(link: SlowLink) {
    this.#link = link;
  }

  /**
   * Takes a message if the reader is not keeping up.
   *
   * @param packet The message.
   * @param key The key. A later message with the same key replaces this message.
   * @param lost Returns the notice about missing messages for this key.
   * @returns Whether the message was taken.
   */
  takes(packet: Message, key: string, lost?: Notice): boolean {
    if (this.#latest === undefined) {
      if (this.#link.buffered <= this.#link.host.settings.MaxBuffered) return false;
      this.#latest = new Map();
      this.#link.watch();
    }
    // The first message that was replaced determines where the gap begins.
    const replaced = this.#latest.get(key)?.lost;
    if (replaced !== undefined && !this.#lost?.has(key)) (this.#lost ??= new Map()).set(key, replaced);
    // The messages of different keys are sent in the order in which they were published.
    this.#latest.delete(key);
    this.#latest.set(key, { packet, lost });
    return true;
  }

  /** Sends the notices about missing messages, then the latest messages. */
  caughtUp(): void {
    const [latest, lost] = [this.#latest, this.#lost];
    this.#latest = this.#lost = undefined;
    for (const notice of lost?.values() ?? []) this.#link.send(notice());
    for (const { packet } of latest?.values() ?? []) this.#link.send(packet);
  }
}
