/**
 * A window over the bytes of a body.
 *
 * @module
 */

import { windowSize } from "../source/body_limits.ts";
import type { Source } from "../source/source.ts";

const none = new Uint8Array(0);

/** The part of a body that is available to a parser: `buffer[start..end)`. */
export class ByteWindow {
  buffer: Uint8Array<ArrayBuffer>;
  start = 0;
  end: number;
  readonly #source: Source | undefined;

  /**
   * Creates a window over a body.
   *
   * @param body All bytes of the body, or their source.
   */
  constructor(body: Uint8Array<ArrayBuffer> | Source) {
    const isWhole = body instanceof Uint8Array;
    this.buffer = isWhole ? body : none;
    this.end = this.buffer.length;
    this.#source = isWhole ? undefined : body;
  }

  /** Reports whether all bytes were available from the start, so that reading never has to wait. */
  get isWhole(): boolean {
    return this.#source === undefined;
  }

  /** Reports whether bytes stay in place. If not, a view of them is only valid until the next call to `more`. */
  get isStable(): boolean {
    return this.#source === undefined || !this.#source.open();
  }

  /**
   * Waits for more bytes and appends them to the remaining ones.
   *
   * @returns `false` at the end of the body, when the remaining bytes are discarded.
   */
  async more(): Promise<boolean> {
    const source = this.#source;
    const hasMore = source !== undefined && await (source.open() ? this.#fill(source) : this.#append(source));
    if (!hasMore) this.start = this.end = 0;
    return hasMore;
  }

  /** Reads into the window's buffer, after the remaining bytes. */
  async #fill(source: Source): Promise<boolean> {
    const held = this.end - this.start;
    if (this.buffer.length === 0) {
      this.buffer = new Uint8Array(windowSize);
    } else if (held > this.buffer.length / 2) {
      const wider = new Uint8Array(2 * this.buffer.length);
      wider.set(this.buffer.subarray(this.start, this.end));
      this.buffer = wider;
    } else {
      this.buffer.copyWithin(0, this.start, this.end);
    }
    this.start = 0;
    const chunk = await source.read(this.buffer.subarray(held));
    if (chunk === null) return false;
    this.buffer = new Uint8Array(chunk.buffer);
    this.end = held + chunk.length;
    return true;
  }

  /** Uses the next chunk without copying it, unless there are unread bytes before it. */
  async #append(source: Source): Promise<boolean> {
    const chunk = await source.read(none);
    if (chunk === null) return false;
    const held = this.end - this.start;
    if (held === 0) {
      this.buffer = chunk;
    } else {
      const joined = new Uint8Array(held + chunk.length);
      joined.set(this.buffer.subarray(this.start, this.end));
      joined.set(chunk, held);
      this.buffer = joined;
    }
    this.start = 0;
    this.end = this.buffer.length;
    return true;
  }
}
