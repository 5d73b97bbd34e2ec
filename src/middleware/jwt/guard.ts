/**
 * The middleware that requires a token.
 *
 * @module
 */

import { returnedUser } from "../../core/context/user.ts";
import { returnedString } from "../../base/config/returned.ts";
import { schemaOption, type StandardSchema, validate } from "../../core/accessors/schema.ts";
import { filled, flag, func, listOf } from "../../base/config/option_kinds.ts";
import { nonEmpty } from "../../base/config/option_shapes.ts";
import { checkArgument, optionTable, readOptions } from "../../base/config/option_table.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import type { User } from "../../core/context/user.ts";
import { FrameworkError, HTTPError, type Result } from "../../base/errors/errors.ts";
import { exchangesOf, valueOf } from "../../core/exchange/exchange.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import { noteOwnInput } from "../../core/exchange/own_inputs.ts";
import { Key } from "../../core/exchange/values.ts";
import { type Store, storeOption } from "../../state/store/store.ts";
import { userOfClaims } from "../claims_user.ts";
import { Blocklist, type Token } from "./blocklist.ts";
import { KeysUnavailable } from "./key_set.ts";
import type { Claims } from "./signer.ts";
import { verification, type VerificationOptions, verificationRows } from "./verifier.ts";

/**
 * Returns the token of a request, or an empty string if there is none. If the result is not empty, it must be a valid
 * token, even if the verifier is `Optional`.
 */
export type TokenSource = (ctx: Context) => string;

/**
 * Reads the token from the `Authorization: Bearer` header.
 *
 * @param ctx The request context.
 * @returns The token, or an empty string if the header is missing or has another scheme. If the header is malformed,
 *   such as `Bearer a b`, returns a string that is not a token, so that the request is rejected.
 */
export function FromHeader(ctx: Context): string {
  const header = ctx.GetHeader("authorization");
  if (header === "") return "";
  const token = /^bearer +([\w~+/.-]+=*) *$/i.exec(header)?.[1];
  return token ?? (isMeantAsToken(header) ? malformed : "");
}

const malformed = "malformed";

/** Reports whether a header contains a token in the wrong form: malformed, repeated or without its scheme. */
function isMeantAsToken(header: string): boolean {
  return /(?:^|,)\s*bearer(?![\w!#$%&'*+.^`|~-])/i.test(header) || /^[\w-]+\.[\w-]+\.[\w-]*\s*$/.test(header);
}

/**
 * Reads the token from the `bearer.TOKEN` subprotocol of a WebSocket handshake, because browsers do not allow pages to
 * set the headers of a handshake. The subprotocol is never included in the response.
 *
 * @param ctx The request context.
 * @returns The token, or an empty string if the request is not a handshake or offers no such subprotocol.
 */
export function FromProtocol(ctx: Context): string {
  if (ctx.GetHeader("upgrade") === "") return "";
  const offered = ctx.GetHeader("sec-websocket-protocol").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith("bearer."))?.slice("bearer.".length) ?? "";
}

/**
 * Creates a source that reads the token from a cookie, which scripts cannot access. Browsers also send cookies with
 * requests from other sites, so protect the routes with `csrf`.
 *
 * @param name The cookie name.
 * @returns The source, for `From`.
 */
export function FromCookie(name: string): TokenSource {
  checkArgument(name, filled(), "name", "jwt.FromCookie");
  return (ctx) => ctx.GetCookie(name);
}

/**
 * Creates a source that reads the token from a query parameter, for clients that cannot send headers. Query strings
 * appear in logs and in the browser history, so use it only for very short-lived tokens.
 *
 * @param name The parameter name.
 * @returns The source, for `From`.
 */
export function FromQuery(name: string): TokenSource {
  checkArgument(name, filled(), "name", "jwt.FromQuery");
  return (ctx) => {
    noteOwnInput(exchangeOf(ctx).request, "query", name);
    return ctx.URLParam(name);
  };
}

/** Options for {@linkcode New} and {@linkcode NewVerifier}. */
export interface Options<T = Claims> extends VerificationOptions {
  /** The schema that validates the claims (any Standard Schema). `Verifier.Claims` returns its output. */
  Claims?: StandardSchema<T>;
  /**
   * The sources from which the token is read, in order of precedence. If omitted, the sources are `Authorization:
   * Bearer` and the subprotocol of a WebSocket handshake.
   */
  From?: readonly TokenSource[];
  /**
   * The store for blocked tokens. It must not evict keys, which `store.NewMemory()` does by default. If omitted, a
   * token is valid until it expires, and `ctx.Logout()` throws.
   */
  Blocklist?: Store;
  /**
   * Creates a user from the claims. If it returns `undefined`, responds with 401. If omitted, the user is created from
   * `sub`, `name` and `roles`. If `Issuer` contains several issuers, the user's `ID` is the issuer and `sub`, joined by
   * `#`.
   */
  User?: (claims: T) => User | undefined;
  /**
   * Whether to accept requests without a token, which then have no user. Requests with a malformed or invalid token are
   * always rejected.
   *
   * @default {false}
   */
  Optional?: boolean;
}

/** A token verifier, created by {@linkcode NewVerifier}. */
export interface Verifier<T = Claims> {
  /**
   * Returns the middleware that requires a token.
   *
   * @returns The middleware.
   */
  Handler(): Handler;
  /**
   * Verifies a token that was not sent in a request.
   *
   * @param token The token.
   * @returns The claims, or an error that does not reveal why the token was rejected.
   */
  Verify(token: string): Promise<Result<T>>;
  /**
   * Returns the claims of the request's token.
   *
   * @param ctx The request context.
   * @returns The claims, or `undefined` if the request has no token.
   */
  Claims(ctx: Context): T | undefined;
  /**
   * Blocks a token until it expires. If the token belongs to a pair, blocks all tokens of the same login.
   * `ctx.Logout()` does this for the request's token.
   *
   * @param token The token, which may have expired. A token with an invalid signature is ignored.
   */
  Block(token: string): Promise<void>;
}

/** A valid token and its parsed claims. */
interface Accepted<T> extends Token {
  readonly output: T;
}

const table = optionTable<Options>("middleware/jwt.Options", "jwt")({
  ...verificationRows,
  Claims: schemaOption(),
  From: nonEmpty(listOf(func<TokenSource>(), "functions", [FromHeader, FromProtocol])),
  Blocklist: storeOption,
  User: func(),
  Optional: flag(false),
});

/**
 * Creates a token verifier.
 *
 * @param options The options.
 * @returns The verifier.
 * @throws {FrameworkError} If an option is invalid.
 */
export function NewVerifier<T = Claims>(options: Options<T>): Verifier<T> {
  const settings = readOptions(table, options);
  const verify = verification(settings);
  const blocklist = settings.Blocklist && new Blocklist(settings.Blocklist);
  const hasIssuers = Array.isArray(options.Issuer) && options.Issuer.length > 1;
  const toUser = options.User ?? ((claims: T) => userOfClaims(claims as Claims, "jwt", hasIssuers));
  const acceptedKey = Key<Accepted<T>>("jwt");

  /** Accepts a valid token. Throws or rejects if the token is not valid. */
  async function accept(ctx: Context | undefined, text: string): Promise<Accepted<T>> {
    const claims = await verify(text);
    if (await blocklist?.has(ctx, { text, claims })) throw new TypeError("The token is blocked");
    const [output, error] = await validate(claims, options.Claims);
    if (error !== null) throw new TypeError("The claims do not match the schema", { cause: error });
    return { text, claims, output };
  }

  function enter(ctx: Context, accepted: Accepted<T>): void | Promise<void> {
    const user = returnedUser(toUser(accepted.output), "User of jwt");
    if (user === undefined) return refuse(ctx, invalidToken);
    ctx.Values().Set(acceptedKey, accepted);
    ctx.SetUser(user, () => {
      if (blocklist === undefined) {
        throw new FrameworkError(
          "FW_CONFIG",
          "Cannot log out: the token would stay valid until it expires; set the option Blocklist of jwt",
        );
      }
      for (const { values } of exchangesOf(exchangeOf(ctx))) values?.Remove(acceptedKey);
      return blocklist.add(ctx, accepted);
    });
    return ctx.Next();
  }

  async function jwt(ctx: Context): Promise<void> {
    const text = findToken(ctx, settings.From);
    if (text === "") return settings.Optional ? await ctx.Next() : refuse(ctx, "Bearer");
    let accepted: Accepted<T>;
    try {
      accepted = await accept(ctx, text);
    } catch (error) {
      return refuseToken(ctx, error);
    }
    await enter(ctx, accepted);
  }

  const handler = noteFacts(jwt, {
    security: { name: "bearer", scheme: bearerScheme },
    guard: settings.Optional ? undefined : "jwt",
    warning: warningFor(options),
  });
  const verifier: Verifier<T> = {
    Handler: () => handler,
    Claims: (ctx) => valueOf(exchangeOf(ctx), acceptedKey)?.output,
    async Verify(token) {
      try {
        return [(await accept(undefined, token)).output, null];
      } catch (error) {
        if (isOfServer(error)) throw error;
        return [undefined, new FrameworkError("FW_AUTH", "Cannot accept the token: it is not valid", { cause: error })];
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

/**
 * Returns a warning if the issuer or the audience is not checked. A key server usually signs tokens for many
 * applications.
 */
function warningFor({ JWKS, Issuer, Audience }: VerificationOptions): string | undefined {
  if (JWKS === undefined || Issuer !== undefined && Audience !== undefined) return undefined;
  const missing = [Issuer === undefined && "Issuer", Audience === undefined && "Audience"].filter(Boolean).join(
    " and ",
  );
  return `Tokens signed with the keys from ${JWKS} are accepted for any issuer and audience: set ${missing} for jwt`;
}

function findToken(ctx: Context, sources: readonly TokenSource[]): string {
  for (const source of sources) {
    const text = returnedString(source(ctx), "a source of jwt");
    if (text !== "") return text;
  }
  return "";
}

function refuseToken(ctx: Context, error: unknown): void {
  if (error instanceof KeysUnavailable) throw new HTTPError(503, "", { cause: error, Code: "FW_AUTH" });
  if (isOfServer(error)) throw error;
  refuse(ctx, invalidToken);
}

/** Reports whether an error was caused by the blocklist store or the key server rather than by the token. */
function isOfServer(error: unknown): boolean {
  return error instanceof HTTPError || error instanceof FrameworkError || error instanceof KeysUnavailable;
}

function refuse(ctx: Context, challenge: string): void {
  ctx.Header("WWW-Authenticate", challenge);
  ctx.StopWithStatus(401);
}
