/**
 * Credentials that were found right a moment ago.
 *
 * A browser sends them with every request, and hashing takes as long as an attacker should need for a guess: 20 to 100
 * milliseconds, during which the process does nothing else.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import type { Credentials } from "./credentials.ts";
import { digest } from "./password.ts";

/** How long credentials count as right, in milliseconds. */
const lifetime = 60_000;
/** How many are remembered. */
const most = 1000;

/** Remembers right credentials for a while, by a digest of them. */
export class Verified {
  readonly #users = new Map<string, { user: User; until: number }>();

  find(credentials: Credentials): User | undefined {
    const key = keyOf(credentials);
    const known = this.#users.get(key);
    if (known === undefined || known.until > performance.now()) return known?.user;
    this.#users.delete(key);
    return undefined;
  }

  add(credentials: Credentials, user: User): void {
    if (this.#users.size >= most) this.#users.clear();
    this.#users.set(keyOf(credentials), { user, until: performance.now() + lifetime });
  }
}

/** The length of the name comes first: `a:b` with `c` is not `a` with `b:c`. */
function keyOf({ name, password }: Credentials): string {
  return digest(`${name.length}:${name}${password}`).toString("base64");
}
