/**
 * A reader that is skipped to the latest messages if it does not keep up.
 *
 * @module
 */

import type { Message } from "./codec.ts";

/** What a slow reader needs of its connection. */
export interface SlowLink {
  readonly buffered: number;
  readonly host: { readonly settings: { readonly maxBuffered: number } };
  send(packet: Message): void;
  watch(): void;
}

/** Writes the notice that messages are missing. */
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
   * Takes a message if the reader does not keep up.
   *
   * @param packet The message.
   * @param key Later messages of the same key replace it.
   * @param lost Writes the notice that messages of this key are missing.
   * @returns Whether the message was taken.
   */
  takes(packet: Message, key: string, lost?: Notice): boolean {
    if (this.#latest === undefined) {
      if (this.#link.buffered <= this.#link.host.settings.maxBuffered) return false;
      this.#latest = new Map();
      this.#link.watch();
    }
    // The first message that is replaced knows where the gap begins.
    const replaced = this.#latest.get(key)?.lost;
    if (replaced !== undefined && !this.#lost?.has(key)) (this.#lost ??= new Map()).set(key, replaced);
    this.#latest.set(key, { packet, lost });
    return true;
  }

  /** Sends what was held: first what is missing, then the latest messages. */
  caughtUp(): void {
    const [latest, lost] = [this.#latest, this.#lost];
    this.#latest = this.#lost = undefined;
    for (const notice of lost?.values() ?? []) this.#link.send(notice());
    for (const { packet } of latest?.values() ?? []) this.#link.send(packet);
  }
}
