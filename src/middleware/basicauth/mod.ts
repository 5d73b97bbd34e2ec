/**
 * Middleware that asks for a name and a password by the browser's own dialog (basic authentication).
 *
 * @example Users in a list
 * ```ts
 * import * as fw from "@fw/web";
 * import * as basicauth from "@fw/web/middleware/basicauth";
 *
 * const app = fw.New();
 * app.Use(basicauth.New({ Users: [{ Name: "ada", Password: await basicauth.Hash("engine"), Roles: ["admin"] }] }));
 * app.Get("/", (ctx) => ctx.WriteString(`hello ${ctx.User()?.Name}`));
 *
 * const headers = { authorization: `Basic ${btoa("ada:engine")}` };
 * const response = await app.fetch(new Request("http://localhost/", { headers }));
 * await response.text(); // → "hello ada"
 * const stranger = await app.fetch(new Request("http://localhost/"));
 * [stranger.status, stranger.headers.has("www-authenticate")]; // → [401, true]
 * ```
 *
 * The password is sent with every request and readable on the way: use it over TLS only.
 *
 * A guess at a list of hashes costs 40 to 100 milliseconds of processor time per kind of hash in the list, the same
 * for names that exist and for those that do not. One is computed at a time, and other requests have their turn in
 * between. The right password of a user is remembered for a minute. Hash all passwords in the same way, and leave
 * `MaxTries` on.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import { noteFacts } from "../../context/handler_facts.ts";
import type { User } from "../../context/user.ts";
import { checkHeaderValue } from "../../http/header.ts";
import { type Awaitable, goOn } from "../../store/awaitable.ts";
import { NewMemory } from "../../store/memory.ts";
import type { Store } from "../../store/store.ts";
import { challenge, type Credentials, readCredentials } from "./credentials.ts";
import { hashPassword } from "../password_hash.ts";
import { Tries } from "./tries.ts";
import { type Account, type Finder, finderByList, finderByLookup, type Lookup, readAccounts } from "./users.ts";
import { Verified } from "./verified.ts";

export type { Account, Lookup } from "./users.ts";
export type { User } from "../../context/user.ts";
export type { Awaitable } from "../../store/awaitable.ts";
export type { Rate, Taken } from "../../store/rate.ts";
export type { Store } from "../../store/store.ts";

/** Who is let in, and how they are asked. */
export interface Options {
  /**
   * The users: a list, or a function that looks one up; left out where `File` names them. The function is asked for
   * every request, and compares in constant time itself.
   */
  Users?: readonly Account[] | Lookup;
  /** A file of users, read once: a JSON list, or lines of `name:hash` as `htpasswd -B` writes them. */
  File?: string | URL;
  /** What the password is for, which some browsers show; `"Restricted"` when left out. */
  Realm?: string;
  /** How many wrong passwords one address may send per `TriesPeriod`; 10 when left out, 0 for any number. */
  MaxTries?: number;
  /** The period of `MaxTries`, in milliseconds; 15 minutes when left out. */
  TriesPeriod?: number;
  /** Where tries are counted; in memory when left out. */
  Store?: Store;
  /** True to respond 403 to requests over plain HTTP, where all on the way can read the password. */
  HTTPSOnly?: boolean;
}

/**
 * Creates the middleware. Without a right name and password the response is 401, after too many wrong ones 429,
 * whatever the password then is. `ctx.Logout()` responds 401, at which browsers forget what they were told.
 *
 * @param options Who is let in.
 * @returns The middleware.
 */
export function New(options: Options): Handler {
  const find = finderOf(options);
  const { MaxTries = 10, TriesPeriod = 900_000 } = options;
  const tries = MaxTries === 0 ? undefined : new Tries(options.Store ?? NewMemory(), MaxTries, TriesPeriod);
  // What a function says may depend on more than the credentials, such as the host: it is asked every time.
  const verified = typeof options.Users === "function" ? undefined : new Verified();
  const demand = checkHeaderValue("www-authenticate", challenge(options.Realm ?? "Restricted"));

  function ask(ctx: Context): void {
    ctx.Header("WWW-Authenticate", demand);
    ctx.StopWithStatus(401);
  }

  function enter(ctx: Context, user: User): void | Promise<void> {
    ctx.SetUser(user, () => ask(ctx));
    return ctx.Next();
  }

  function refuse(ctx: Context, max: Tries): void {
    ctx.Header("Retry-After", max.retryAfter);
    ctx.StopWithStatus(429);
  }

  function attempt(ctx: Context, credentials: Credentials): Awaitable<void> {
    return goOn(find(credentials, ctx), (user) => {
      if (user === undefined) return ask(ctx);
      verified?.add(credentials, user);
      return tries === undefined ? enter(ctx, user) : goOn(tries.succeed(ctx), () => enter(ctx, user));
    });
  }

  return noteFacts(function basicauth(ctx: Context): void | Promise<void> {
    if (options.HTTPSOnly === true && ctx.Scheme() !== "https") return ctx.StopWithStatus(403);
    const header = ctx.GetHeader("authorization");
    const credentials = readCredentials(header);
    if (credentials === undefined) return ask(ctx);
    const known = verified?.find(credentials);
    if (known !== undefined) return enter(ctx, known);
    if (tries === undefined) return attempt(ctx, credentials);
    return goOn(tries.begin(ctx), (isAllowed) => isAllowed ? attempt(ctx, credentials) : refuse(ctx, tries));
  }, { security: { name: "basic", scheme: { type: "http", scheme: "basic" } } });
}

/**
 * Hashes a password with argon2id, for a list or a file of users.
 *
 * @param password The password.
 * @returns The hash, which begins with `$argon2id$`.
 */
export function Hash(password: string): Promise<string> {
  return hashPassword(password);
}

function finderOf(options: Options): Finder {
  const { Users, File } = options;
  if ((Users === undefined) === (File === undefined)) {
    throw new FrameworkError("FW_CONFIG", "Cannot authenticate anyone: either Users or File names the users");
  }
  if (typeof Users === "function") return finderByLookup(Users);
  return finderByList(Users ?? readAccounts(File ?? ""));
}
