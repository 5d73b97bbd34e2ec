/**
 * Opens a shared store by its location, also from another process.
 *
 * @module
 */
import { NewMemory } from "../../../src/state/store/memory.ts";
import { New as newRedis } from "../../../src/state/redis/store.ts";
import { New as newSQLite } from "../../../src/state/store/sqlite.ts";
import type { Store } from "../../../src/state/store/store.ts";
import { withClient } from "../redis/clients.ts";

/** The location of a store, which is sufficient to open it from another process. */
export interface Place {
  readonly kind: "memory" | "sqlite" | "redis";
  readonly address: string;
  readonly prefix: string;
}

/** Opens a store. The timeout is long, because the tests do not measure the speed of a busy machine. */
export function openStore(place: Place): Store {
  if (place.kind === "sqlite") return newSQLite({ File: place.address });
  if (place.kind === "redis") {
    return withClient(place.address, (client) => newRedis(client, { Prefix: place.prefix, Timeout: 5000 }));
  }
  // The store must not evict keys, because the lists of blocked tokens reject such a store.
  return NewMemory({ WhenFull: "refuse" });
}
