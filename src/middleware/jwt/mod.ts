/**
 * Middleware that authenticates requests with JSON Web Tokens (JWT), and functions that sign tokens.
 *
 * The algorithm is fixed by the options, regardless of the token's header. Tokens must expire. `Issuer` and `Audience`
 * are checked if they are set. {@linkcode NewVerifier} returns typed claims validated by a schema, {@linkcode NewPairs}
 * issues access and refresh tokens with rotation, and a `Blocklist` in a store from `@fw/web/store` revokes tokens
 * before they expire.
 *
 * @example Log in and access a protected route
 * ```ts
 * import * as fw from "@fw/web";
 * import * as jwt from "@fw/web/middleware/jwt";
 *
 * const secret = "at least 32 bytes that are hard to guess"; // usually from the environment
 * const signer = jwt.NewSigner({ Algorithm: "HS256", Key: secret });
 * const app = fw.New();
 * app.Post("/login", async (ctx) => ctx.JSON({ token: await signer.Sign({ sub: "ada", roles: ["admin"] }) }));
 * const api = app.Party("/api");
 * api.Use(jwt.New({ Algorithms: ["HS256"], Key: secret }));
 * api.Get("/me", (ctx) => ctx.WriteString(`hello ${ctx.User()?.Name}`));
 *
 * const login = await app.fetch(new Request("http://localhost/login", { method: "POST" }));
 * const { token } = await login.json();
 * const headers = { authorization: `Bearer ${token}` };
 * const response = await app.fetch(new Request("http://localhost/api/me", { headers }));
 * await response.text(); // → "hello ada"
 * (await app.fetch(new Request("http://localhost/api/me"))).status; // → 401
 * ```
 *
 * @module
 */

import type { Handler } from "../../core/context/handler.ts";
import { NewVerifier, type Options } from "./guard.ts";

export { NewVerifier, type Options, type Verifier } from "./guard.ts";
export type { Algorithm, JWK, KeyMaterial } from "./key.ts";
export { NewPairs, type Pair, type PairOptions, type Pairs } from "./pairs.ts";
export { type Claims, NewSigner, type Signer, type SignerOptions, type TokenOptions } from "./signer.ts";
export { FromCookie, FromHeader, FromProtocol, FromQuery, type TokenSource } from "./guard.ts";
export type { VerificationOptions } from "./verifier.ts";

/**
 * Creates middleware that requires a valid bearer token. Responds with 401 if the token is missing or invalid, and with
 * 503 if the keys cannot be fetched. Shorthand for `NewVerifier(options).Handler()`.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New<T>(options: Options<T>): Handler {
  return NewVerifier(options).Handler();
}
