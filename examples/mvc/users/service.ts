import * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";
import { UserRepository } from "./repository.ts";
import type { User, UserInput } from "./user.ts";

/** The business rules for users. */
export class UserService {
  readonly #repository = mvc.Inject(UserRepository);

  all(): User[] {
    return this.#repository.all();
  }

  find(id: bigint): User | undefined {
    return this.#repository.find(id);
  }

  create(input: UserInput): User {
    return this.#store(this.#repository.nextId(), input);
  }

  update(id: bigint, input: UserInput): User {
    if (this.find(id) === undefined) throw new fw.HTTPError(404, `There is no user ${id}`);
    return this.#store(id, input);
  }

  remove(id: bigint): boolean {
    return this.#repository.remove(id);
  }

  #store(id: bigint, { name, mail }: UserInput): User {
    const other = this.all().find((user) => user.mail === mail && user.id !== id);
    if (other !== undefined) throw new fw.HTTPError(409, `${mail} is taken`);
    const user = { id, name, mail };
    this.#repository.save(user);
    return user;
  }
}
