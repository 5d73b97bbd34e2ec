/**
 * Forgets the singletons that a shutdown disposes of, so that they are created again if the application is run again.
 *
 * @module
 */

/** A value that all units of work share. */
export interface Singleton {
  isReady: boolean;
  value: unknown;
  pending: Promise<unknown> | undefined;
  /** The dependencies that it was created from. */
  readonly asks: readonly { readonly binding: Singleton | undefined }[];
}

/** The values that are disposed of. */
interface Disposed {
  has(value: unknown): boolean;
}

/**
 * Forgets the singletons that are disposed of, those that were created from them, and those that are still being
 * created. All others are kept, because other parts of the application may use them.
 *
 * @param singletons The singletons. Those that are forgotten are removed.
 * @param disposed The values that are disposed of.
 */
export function forgetStale(singletons: Set<Singleton>, disposed: Disposed): void {
  const known = new Map<Singleton, boolean>();
  for (const singleton of singletons) {
    if (!isStale(singleton, disposed, known)) continue;
    singletons.delete(singleton);
    singleton.isReady = false;
    singleton.value = singleton.pending = undefined;
  }
}

function isStale(singleton: Singleton, disposed: Disposed, known: Map<Singleton, boolean>): boolean {
  let isFound = known.get(singleton);
  if (isFound === undefined) {
    isFound = !singleton.isReady || disposed.has(singleton.value) ||
      singleton.asks.some(({ binding }) => binding !== undefined && isStale(binding, disposed, known));
    known.set(singleton, isFound);
  }
  return isFound;
}
