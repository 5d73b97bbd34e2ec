/**
 * The notices of the board; a database in a real application.
 *
 * @module
 */

/** One notice. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly from: string;
}

/** Keeps the last hundred notices. */
export class Notices {
  #list: Notice[] = [];
  #next = 1;

  /** The notices, the newest first. */
  list(): readonly Notice[] {
    return this.#list;
  }

  /** Puts a notice up. */
  add(notice: Omit<Notice, "id">): void {
    this.#list = [{ id: this.#next++, ...notice }, ...this.#list].slice(0, 100);
  }

  /** Takes a notice down. */
  remove(id: number): Notice | undefined {
    const found = this.#list.find((notice) => notice.id === id);
    this.#list = this.#list.filter((notice) => notice !== found);
    return found;
  }
}
