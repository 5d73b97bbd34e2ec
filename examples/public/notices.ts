/**
 * Stores the notices. A real application would use a database.
 *
 * @module
 */

/** A notice on the board. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly from: string;
}

/** Stores the latest hundred notices. */
export class Notices {
  #list: Notice[] = [];
  #next = 1;

  /** Returns all notices, newest first. */
  list(): readonly Notice[] {
    return this.#list;
  }

  /** Adds a notice. */
  add(notice: Omit<Notice, "id">): void {
    this.#list = [{ id: this.#next++, ...notice }, ...this.#list].slice(0, 100);
  }

  /** Removes a notice. */
  remove(id: number): Notice | undefined {
    const found = this.#list.find((notice) => notice.id === id);
    this.#list = this.#list.filter((notice) => notice !== found);
    return found;
  }
}
