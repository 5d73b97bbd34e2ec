/**
 * Tokens that say who a client is: signing them, and middleware that demands one (JWT).
 *
 * @example A login, and a route for who has logged in
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
 * The algorithm is pinned, whatever a token says of itself; tokens must expire; what a token was signed for, `Issuer`
 * and `Audience`, is checked where it is configured. {@linkcode NewVerifier} gives typed claims by a schema,
 * {@linkcode NewPairs} pairs of tokens with rotation, and a `Blocklist` in a store of `@fw/web/store` ends tokens
 * early.
 *
 * @module
 */

import type { Handler } from "../../context/handler.ts";
import { NewVerifier, type Options } from "./guard.ts";

export type { Awaitable } from "../../store/awaitable.ts";
export type { Rate, Taken } from "../../store/rate.ts";
export type { Store } from "../../store/store.ts";
export { NewVerifier, type Options, type Verifier } from "./guard.ts";
export type { Algorithm, JWK, KeyMaterial } from "./key.ts";
export { NewPairs, type Pair, type PairOptions, type Pairs } from "./pairs.ts";
export { type Claims, NewSigner, type Signer, type SignerOptions, type TokenOptions } from "./signer.ts";
export { FromCookie, FromHeader, FromProtocol, FromQuery, type TokenSource } from "./token_source.ts";
export type { VerificationOptions } from "./verifier.ts";

/**
 * Creates middleware that demands a token. Without one that counts the response is 401; when the keys cannot be
 * fetched,
 * 503. It is short for `NewVerifier(options).Handler()`.
 *
 * @param options Which tokens count.
 * @returns The middleware.
 */
export function New<T>(options: Options<T>): Handler {
  return NewVerifier(options).Handler();
}
