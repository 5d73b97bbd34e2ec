/**
 * The middleware that demands a token.
 *
 * @module
 */

import { FrameworkError, HTTPError, type Result } from "../../base/errors.ts";
import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { noteFacts } from "../../context/handler_facts.ts";
import type { User } from "../../context/user.ts";
import { Key } from "../../context/values.ts";
import { type StandardSchema, validate } from "../../input/schema.ts";
import { type Awaitable, goOn } from "../../store/awaitable.ts";
import type { Store } from "../../store/store.ts";
import { userOfClaims } from "../claims_user.ts";
import { Blocklist, type Token } from "./blocklist.ts";
import { KeysUnavailable } from "./key_set.ts";
import type { Claims } from "./signer.ts";
import { FromHeader, FromProtocol, type TokenSource } from "./token_source.ts";
import { verification, type VerificationOptions } from "./verifier.ts";

/** Which tokens count, and what they say. */
export interface Options<T = Claims> extends VerificationOptions {
  /** Checks the claims: any Standard Schema; its output is what `Verifier.Claims` returns. */
  Claims?: StandardSchema<T>;
  /** Where the token is found, the first place that has one counts; `Authorization: Bearer` when left out. */
  From?: readonly TokenSource[];
  /**
   * Where blocked tokens are stored. If omitted, a token is valid until it expires, also after a logout. Throws if the
   * store evicts keys, as `store.NewMemory()` does unless it is told to refuse.
   */
  Blocklist?: Store;
  /**
   * Creates a user from claims; responds with 401 if it returns none. Defaults to the user that `sub`, `name` and
   * `roles` describe. With several values of `Issuer`, `ID` is the issuer and `sub`, joined by `#`.
   */
  User?: (claims: T) => User | undefined;
  /**
   * True to let requests without a token pass, without a user. A request with a token that is malformed or not valid is
   * refused all the same.
   */
  Optional?: boolean;
}

/** Verifies tokens; created by {@linkcode NewVerifier}. */
export interface Verifier<T = Claims> {
  /**
   * The middleware that demands a token.
   *
   * @returns The middleware.
   */
  Handler(): Handler;
  /**
   * Verifies a token that was found elsewhere.
   *
   * @param token The token.
   * @returns The claims, or an error that says nothing an attacker could use.
   */
  Verify(token: string): Promise<Result<T>>;
  /**
   * The claims of the token that a request brought.
   *
   * @param ctx The request.
   * @returns The claims; `undefined` when it brought none.
   */
  Claims(ctx: Context): T | undefined;
  /**
   * Blocks a token until it expires, and with it all tokens of the same login if it is one of a pair; `ctx.Logout()`
   * does so with the token of the request.
   *
   * @param token The token, which may have expired; one whose signature is not valid is ignored.
   */
  Block(token: string): Promise<void>;
}

/** A token that counts, with what the schema made of its claims. */
interface Accepted<T> extends Token {
  readonly output: T;
}

/**
 * Creates a verifier.
 *
 * @param options Which tokens count.
 * @returns The verifier.
 */
export function NewVerifier<T = Claims>(options: Options<T>): Verifier<T> {
  const verify = verification(options);
  const blocklist = options.Blocklist && new Blocklist(options.Blocklist);
  const sources = options.From ?? [FromHeader, FromProtocol];
  const hasIssuers = Array.isArray(options.Issuer) && options.Issuer.length > 1;
  const toUser = options.User ?? ((claims: T) => userOfClaims(claims as Claims, "jwt", hasIssuers));
  const acceptedKey = Key<Accepted<T>>("jwt");

  /** Accepts a token; throws, or rejects, for one that does not count. */
  function accept(ctx: Context | undefined, text: string): Awaitable<Accepted<T>> {
    return goOn(verify(text), (claims) => {
      const token = { text, claims };
      if (blocklist === undefined) return check(token);
      return goOn(blocklist.has(ctx, token), (isBlocked) => {
        if (isBlocked) throw new TypeError("It is blocked");
        return check(token);
      });
    });
  }

  function check(token: Token): Awaitable<Accepted<T>> {
    if (options.Claims === undefined) return { ...token, output: token.claims as T };
    return validate(token.claims, options.Claims).then(([output, error]) => {
      if (error !== null) throw new TypeError("Its claims do not fit the schema", { cause: error });
      return { ...token, output };
    });
  }

  function enter(ctx: Context, accepted: Accepted<T>): void | Promise<void> {
    const user = toUser(accepted.output);
    if (user === undefined) return refuse(ctx, invalidToken);
    ctx.Values().Set(acceptedKey, accepted);
    ctx.SetUser(user, () => {
      ctx.Values().Remove(acceptedKey);
      return blocklist?.add(ctx, accepted);
    });
    return ctx.Next();
  }

  function jwt(ctx: Context): void | Promise<void> {
    const text = findToken(ctx, sources);
    if (text === "") return options.Optional === true ? ctx.Next() : refuse(ctx, "Bearer");
    let accepted: Awaitable<Accepted<T>>;
    try {
      accepted = accept(ctx, text);
    } catch (error) {
      return refuseToken(ctx, error);
    }
    if (!(accepted instanceof Promise)) return enter(ctx, accepted);
    // Two functions: what handlers throw is not a failure of the token.
    return accepted.then((it) => enter(ctx, it), (error) => refuseToken(ctx, error));
  }

  const handler = noteFacts(jwt, {
    security: { name: "bearer", scheme: bearerScheme },
    warning: warningFor(options),
  });
  const verifier: Verifier<T> = {
    Handler: () => handler,
    Claims: (ctx) => ctx.Values().Get(acceptedKey)?.output,
    async Verify(token) {
      try {
        return [(await accept(undefined, token)).output, null];
      } catch (error) {
        if (isOfServer(error)) throw error;
        return [undefined, new FrameworkError("FW_AUTH", "Cannot take the token: it is not valid", { cause: error })];
      }
    },
    async Block(token) {
      if (blocklist === undefined) {
        throw new FrameworkError("FW_CONFIG", "Cannot block a token: the verifier has no Blocklist");
      }
      const claims = await verify.whenever(token).catch((error) => {
        if (error instanceof KeysUnavailable) throw error;
        return undefined;
      });
      if (claims !== undefined) await blocklist.add(undefined, { text: token, claims });
    },
  };
  return verifier;
}

const invalidToken = 'Bearer error="invalid_token"';
const bearerScheme = { type: "http", scheme: "bearer", bearerFormat: "JWT" };

/** A key server usually signs for many applications: without these checks, a token for any of them opens this one. */
function warningFor({ JWKS, Issuer, Audience }: VerificationOptions): string | undefined {
  if (JWKS === undefined || Issuer !== undefined && Audience !== undefined) return undefined;
  const missing = [Issuer === undefined && "Issuer", Audience === undefined && "Audience"].filter(Boolean).join(
    " and ",
  );
  return `Tokens signed by the keys of ${JWKS} are accepted whatever they were issued for: set ${missing} of jwt`;
}

function findToken(ctx: Context, sources: readonly TokenSource[]): string {
  for (const source of sources) {
    const text = source(ctx);
    if (text !== "") return text;
  }
  return "";
}

function refuseToken(ctx: Context, error: unknown): void {
  if (error instanceof KeysUnavailable) throw new HTTPError(503, "", { cause: error, Code: "FW_AUTH" });
  if (isOfServer(error)) throw error;
  refuse(ctx, invalidToken);
}

/** Reports whether the store of blocked tokens or the key server failed, which is not the client's fault. */
function isOfServer(error: unknown): boolean {
  return error instanceof HTTPError || error instanceof FrameworkError || error instanceof KeysUnavailable;
}

function refuse(ctx: Context, challenge: string): void {
  ctx.Header("WWW-Authenticate", challenge);
  ctx.StopWithStatus(401);
}
