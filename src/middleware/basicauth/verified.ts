/**
 * A cache of recently verified credentials.
 *
 * Browsers send the credentials with every request. Verifying a hash is slow by design and blocks the process for 20 to
 * 100 milliseconds.
 *
 * @module
 */

import { RecentMap } from "../../base/data/recent_map.ts";
import type { User } from "../../core/context/user.ts";
import type { Credentials } from "./credentials.ts";
import { digest } from "./password.ts";

/** Caches correct credentials for a minute, keyed by a digest. */
export class Verified {
  readonly #users = new RecentMap<User>({ lifetime: 60_000, most: 1000 });

  find(credentials: Credentials): User | undefined {
    return this.#users.get(keyOf(credentials));
  }

  add(credentials: Credentials, user: User): void {
    this.#users.set(keyOf(credentials), user);
  }
}

/** Returns the cache key. The length prefix prevents collisions such as `a:b` with `c` and `a` with `b:c`. */
function keyOf({ name, password }: Credentials): string {
  return digest(`${name.length}:${name}${password}`).toString("base64");
}
