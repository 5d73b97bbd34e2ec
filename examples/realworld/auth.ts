import type * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";
import { jwtVerify, SignJWT } from "npm:jose@^6";
import { unauthorized } from "./errors.ts";
import { type User, Users } from "./users.ts";

const lifetime = "30d";

/** Signs the tokens of users, and reads them. */
export class Tokens {
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = new TextEncoder().encode(secret);
  }

  /** Creates the token of a user. */
  async sign(user: User): Promise<string> {
    const token = new SignJWT().setProtectedHeader({ alg: "HS256" }).setSubject(String(user.id));
    return await token.setIssuedAt().setExpirationTime(lifetime).sign(this.#key);
  }

  /** Reads whose token it is; a token that is forged or too old fails. */
  async read(token: string): Promise<number> {
    // The algorithm is pinned: a token must not choose how it is checked.
    const { payload } = await jwtVerify(token, this.#key, { algorithms: ["HS256"] });
    return Number(payload.sub);
  }
}

/** The user of a request, if it says who it is; a token that is not valid is refused, not ignored. */
export async function viewer(
  ctx: fw.Context,
  tokens: Tokens = mvc.Inject(Tokens),
  users: Users = mvc.Inject(Users),
): Promise<User | undefined> {
  const [, token] = /^(?:Token|Bearer) (\S+)$/i.exec(ctx.GetHeader("authorization")) ?? [];
  if (token === undefined) return undefined;
  const id = await tokens.read(token).catch(() => unauthorized("token", "is invalid"));
  return users.byID(id) ?? unauthorized("token", "is invalid");
}

/** The user of a request that needs one: what asks for it is reached only by those who are logged in. */
export function currentUser(_ctx: fw.Context, user: User | undefined = mvc.Inject(viewer)): User {
  return user ?? unauthorized("token", "is missing");
}
