/** Notes that visitors leave: kept for a while, and told to all who listen. */

/** One note. */
export interface Note {
  readonly id: number;
  readonly text: string;
}

/** Keeps the last notes. */
export class Wall {
  static readonly #most = 100;
  readonly #notes: Note[] = [];
  #last = 0;
  #changed = Promise.withResolvers<void>();

  /** Adds a note and wakes those who wait for one. */
  add(text: string): Note {
    const note = { id: ++this.#last, text };
    this.#notes.push(note);
    if (this.#notes.length > Wall.#most) this.#notes.shift();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    return note;
  }

  /**
   * Yields the notes after an id, then each new one, until the signal says that no more are wanted.
   *
   * Every listener reads the same list at its own pace: one that is slow costs nothing but its place in it.
   */
  async *after(id: number, signal: AbortSignal): AsyncGenerator<Note> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    while (!signal.aborted) {
      const changed = this.#changed.promise;
      for (const note of this.#notes.filter((each) => each.id > id)) {
        yield note;
        id = note.id;
      }
      await Promise.race([changed, stopped]);
    }
  }
}
