/**
 * Credentials that were found right a moment ago.
 *
 * A browser sends them with every request, and hashing takes as long as an attacker should need for a guess: 20 to 100
 * milliseconds, during which the process does nothing else.
 *
 * @module
 */

import type { User } from "../../context/user.ts";
import { Recently } from "../recently.ts";
import type { Credentials } from "./credentials.ts";
import { digest } from "./password.ts";

/** Remembers right credentials for a minute, by a digest of them. */
export class Verified {
  readonly #users = new Recently<User>({ lifetime: 60_000, most: 1000 });

  find(credentials: Credentials): User | undefined {
    return this.#users.find(keyOf(credentials));
  }

  add(credentials: Credentials, user: User): void {
    this.#users.add(keyOf(credentials), user);
  }
}

/** The length of the name comes first: `a:b` with `c` is not `a` with `b:c`. */
function keyOf({ name, password }: Credentials): string {
  return digest(`${name.length}:${name}${password}`).toString("base64");
}
