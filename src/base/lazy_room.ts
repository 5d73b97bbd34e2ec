/**
 * Parts that are loaded on first use: a program pays at its start for what its first request needs, and for nothing
 * else.
 *
 * @module
 */

const rooms = new Set<LazyRoom<unknown>>();

/**
 * A module that is loaded on first use.
 *
 * The function that loads it imports by a literal path, so that `deno compile` takes the module along, the publication
 * knows it, and no permission is asked for.
 */
export class LazyRoom<T> {
  readonly #load: () => Promise<T>;
  #module: T | undefined = undefined;

  /** Names the module. */
  constructor(load: () => Promise<T>) {
    this.#load = load;
    rooms.add(this);
  }

  /** Returns the module, without a promise where it is loaded. */
  get(): T | Promise<T> {
    return this.#module ?? this.#open();
  }

  async #open(): Promise<T> {
    return this.#module = await this.#load();
  }
}

/** Loads every module that is not loaded yet, so that no request has to wait for it. */
export async function loadRooms(): Promise<void> {
  await Promise.all(Array.from(rooms, (room) => room.get()));
}
