/** Stores the visitors' notes and notifies listeners. */

/** A note. */
export interface Note {
  readonly id: number;
  readonly text: string;
}

/** Stores the latest notes. */
export class Wall {
  static readonly #most = 100;
  readonly #notes: Note[] = [];
  #last = 0;
  #changed = Promise.withResolvers<void>();

  /** Adds a note and wakes all listeners. */
  add(text: string): Note {
    const note = { id: ++this.#last, text };
    this.#notes.push(note);
    if (this.#notes.length > Wall.#most) this.#notes.shift();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    return note;
  }

  /**
   * Yields the notes after an ID, then each new note until the signal is aborted.
   *
   * All listeners read the same array at their own pace, so a slow listener does not need additional memory.
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
