import type * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";
import { userInput } from "./input.ts";
import { UserService } from "./service.ts";
import type { User, UserInput } from "./user.ts";

/** Serves users at the path of its party. */
export class UserController {
  Ctx!: fw.Context;
  readonly #users = mvc.Inject(UserService);

  /** Lists all users (GET /users). */
  Get(): User[] {
    return this.#users.all();
  }

  /** Returns a user (GET /users/{id:long}). Responds with 404 if the user does not exist. */
  GetBy(id = 0n): mvc.Tuple<User | undefined, boolean> {
    const user = this.#users.find(id);
    return mvc.Tuple(user, user !== undefined);
  }

  /** Creates a user (POST /users). */
  Post(input: UserInput = mvc.Inject(userInput)): mvc.Tuple<User, number> {
    const user = this.#users.create(input);
    this.Ctx.Header("location", `${this.Ctx.RequestPath()}/${user.id}`);
    return mvc.Tuple(user, 201);
  }

  /** Updates a user (PUT /users/{id:long}). */
  PutBy(id = 0n, input: UserInput = mvc.Inject(userInput)): User {
    return this.#users.update(id, input);
  }

  /** Deletes a user (DELETE /users/{id:long}). */
  DeleteBy(id = 0n): number {
    return this.#users.remove(id) ? 204 : 404;
  }
}
