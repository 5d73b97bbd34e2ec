/**
 * How much of all files together waits in memory to be sent.
 *
 * Large chunks are cheap: 10 MiB in chunks of 512 KiB take a fifth less processor time than in 64 KiB, and 1 MiB takes
 * no less than that (64 clients, medians of 5). But a chunk stays in memory until its client has read it, and 200
 * clients that read slowly must not hold 100 MiB. So chunks grow while there is room for all, and are small when there
 * is none.
 *
 * @module
 */

const smallest = 64 << 10;
const largest = 512 << 10;
const budget = 16 << 20;

let held = 0;

/** The share of one file. */
export class ChunkBudget {
  #chunk = 0;
  #size: number;

  /**
   * Creates a share that holds nothing.
   *
   * @param first The size of the first chunk.
   */
  constructor(first: number = smallest) {
    this.#size = Math.max(1, first);
  }

  /**
   * Gives the last chunk back, which the client has read, and asks for the next.
   *
   * @param wanted How many bytes are left to be sent.
   * @returns The size of the next chunk.
   */
  next(wanted: number): number {
    this.release();
    const size = Math.min(held + this.#size > budget ? smallest : this.#size, wanted);
    this.#size = Math.min(2 * this.#size, largest);
    this.#chunk = size;
    held += size;
    return size;
  }

  /** Gives back what is held. */
  release(): void {
    held -= this.#chunk;
    this.#chunk = 0;
  }
}
