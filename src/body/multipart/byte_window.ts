/**
 * The bytes of a body that are at hand, and the way to more of them.
 *
 * @module
 */

import { windowSize } from "../body_limits.ts";
import type { Source } from "../source.ts";

const none = new Uint8Array(0);

/** The part of a body that a parser looks at: `buffer[start..end)`. */
export class ByteWindow {
  buffer: Uint8Array<ArrayBuffer>;
  start = 0;
  end: number;
  readonly #source: Source | undefined;

  /**
   * Creates a window over a body.
   *
   * @param body All of its bytes, or where they come from.
   */
  constructor(body: Uint8Array<ArrayBuffer> | Source) {
    const isWhole = body instanceof Uint8Array;
    this.buffer = isWhole ? body : none;
    this.end = this.buffer.length;
    this.#source = isWhole ? undefined : body;
  }

  /** True if there is nothing to wait for: all bytes were there from the start. */
  get isWhole(): boolean {
    return this.#source === undefined;
  }

  /** True if bytes once seen stay where they are; else a view of them is good only until the next `more`. */
  get isStable(): boolean {
    return this.#source === undefined || !this.#source.open();
  }

  /**
   * Waits for more bytes and puts them behind those that are left.
   *
   * @returns False at the end of the body; what was left is gone then.
   */
  async more(): Promise<boolean> {
    const source = this.#source;
    const hasMore = source !== undefined && await (source.open() ? this.#fill(source) : this.#append(source));
    if (!hasMore) this.start = this.end = 0;
    return hasMore;
  }

  /** Reads into the one buffer of this window, behind what is left in it. */
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

  /** Takes the next chunk as it is; it is copied only when something is left before it. */
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
