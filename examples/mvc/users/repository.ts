import type { User } from "./user.ts";

/** Stores users. Controllers and services depend on this class, and the application chooses the implementation. */
export abstract class UserRepository {
  abstract all(): User[];
  abstract find(id: bigint): User | undefined;
  abstract save(user: User): void;
  abstract remove(id: bigint): boolean;
  abstract nextId(): bigint;
}

/** Stores users in memory. */
export class MemoryUserRepository extends UserRepository {
  readonly #users = new Map<bigint, User>();
  #lastId = 0n;

  all(): User[] {
    return [...this.#users.values()];
  }

  find(id: bigint): User | undefined {
    return this.#users.get(id);
  }

  save(user: User): void {
    this.#users.set(user.id, user);
  }

  remove(id: bigint): boolean {
    return this.#users.delete(id);
  }

  nextId(): bigint {
    return ++this.#lastId;
  }
}
