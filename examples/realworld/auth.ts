import type * as fw from "jsr:@fw/web";
import * as mvc from "jsr:@fw/web/mvc";
import * as jwt from "jsr:@fw/web/middleware/jwt";
import { unauthorized } from "./errors.ts";
import { type User, Users } from "./users.ts";

const lifetime = 30 * 24 * 60 * 60 * 1000;

/** Signs and verifies user tokens. */
export class Tokens {
  readonly #signer: jwt.Signer;
  readonly #verifier: jwt.Verifier<jwt.Claims>;

  constructor(secret: string) {
    this.#signer = jwt.NewSigner({ Algorithm: "HS256", Key: secret, MaxAge: lifetime });
    // The algorithm is fixed, because a token must not determine how it is verified.
    this.#verifier = jwt.NewVerifier({ Algorithms: ["HS256"], Key: secret });
  }

  /** Creates a token for a user. */
  async sign(user: User): Promise<string> {
    return await this.#signer.Sign({ sub: String(user.id) });
  }

  /** Verifies a token and returns the user's ID. Throws if the token is forged or expired. */
  async read(token: string): Promise<number> {
    const [claims, error] = await this.#verifier.Verify(token);
    if (error !== null) throw error;
    return Number(claims["sub"]);
  }
}

/** Returns the user of a request, if there is a token. Invalid tokens are rejected, not ignored. */
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

/** Returns the user of a request that requires one. Handlers that inject it run only for authenticated users. */
export function currentUser(_ctx: fw.Context, user: User | undefined = mvc.Inject(viewer)): User {
  return user ?? unauthorized("token", "is missing");
}
