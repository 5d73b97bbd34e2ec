/**
 * Opening a shared store by its place, also from another process.
 *
 * @module
 */
import { NewMemory } from "../../src/store/memory.ts";
import { New as newRedis } from "../../src/store/redis.ts";
import { New as newSQLite } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";

/** Where a store keeps its state: enough to open it again, also from another process. */
export interface Place {
  readonly kind: "memory" | "sqlite" | "redis";
  readonly address: string;
  readonly prefix: string;
}

/** Opens a store; patient, as what is tested is not how fast a busy machine is. */
export function openStore(place: Place): Store {
  if (place.kind === "sqlite") return newSQLite({ File: place.address });
  if (place.kind === "redis") return newRedis({ URL: place.address, Prefix: place.prefix, Timeout: 5000 });
  // One that keeps what it is given, as the others do: lists of blocked tokens refuse one that evicts.
  return NewMemory({ WhenFull: "refuse" });
}
