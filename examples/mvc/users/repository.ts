import type { User } from "./user.ts";

/** Where users are kept. Controllers and services ask for this class; another one may stand for it. */
export abstract class UserRepository {
  abstract all(): User[];
  abstract find(id: bigint): User | undefined;
  abstract save(user: User): void;
  abstract remove(id: bigint): boolean;
  abstract nextId(): bigint;
}

/** Keeps users as long as the program runs. */
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
