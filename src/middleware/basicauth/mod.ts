/**
 * Middleware for HTTP basic authentication. The browser prompts for a name and a password.
 *
 * The password is sent in plain text with every request, so use basic authentication only over TLS.
 *
 * Checking a wrong password takes 40 to 100 milliseconds of CPU time for each kind of hash in the list, even if the
 * name does not exist. Hashes are computed one at a time, and other requests run in between. Correct credentials are
 * cached for a minute. Use the same kind of hash for all passwords, and keep `MaxTries` enabled.
 *
 * @example Authenticate users from a list
 * ```ts
 * import * as fw from "@fw/web";
 * import * as auth from "@fw/web/middleware/auth";
 * import * as basicauth from "@fw/web/middleware/basicauth";
 *
 * const app = fw.New();
 * app.Use(basicauth.New({ Users: [{ Name: "ada", Password: await auth.HashPassword("engine"), Roles: ["admin"] }] }));
 * app.Get("/", (ctx) => ctx.WriteString(`hello ${ctx.User()?.Name}`));
 *
 * const headers = { authorization: `Basic ${btoa("ada:engine")}` };
 * const response = await app.fetch(new Request("http://localhost/", { headers }));
 * await response.text(); // → "hello ada"
 * const stranger = await app.fetch(new Request("http://localhost/"));
 * [stranger.status, stranger.headers.has("www-authenticate")]; // → [401, true]
 * ```
 *
 * @module
 */

import {
  count,
  either,
  filled,
  flag,
  func,
  listOf,
  milliseconds,
  record,
  text,
} from "../../base/config/option_kinds.ts";
import { instance } from "../../base/config/option_shapes.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { RecentMap } from "../../base/data/recent_map.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Context } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import type { User } from "../../core/context/user.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import { checkHeaderValue } from "../../http/headers/header.ts";
import { NewMemory } from "../../state/store/memory.ts";
import { type Store, storeOption } from "../../state/store/store.ts";
import { challenge, type Credentials, readCredentials } from "./credentials.ts";
import { digest } from "./password.ts";
import { tooMany, Tries } from "./tries.ts";
import { type Account, type Finder, finderByList, finderByLookup, type Lookup, readAccounts } from "./users.ts";

export type { Account, Lookup } from "./users.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The users, as an array or as a lookup function. Omit it if `File` is set. A lookup function is called for every
   * request and must compare passwords in constant time.
   */
  Users?: readonly Account[] | Lookup;
  /** The path of a user file, read once: a JSON array, or lines of `name:hash` as written by `htpasswd -B`. */
  File?: string | URL;
  /**
   * The realm, which some browsers show to the user.
   *
   * @default {"Restricted"}
   */
  Realm?: string;
  /**
   * The maximum number of wrong passwords per IP address within `TriesPeriod`. `0` disables the limit.
   *
   * @default {10}
   */
  MaxTries?: number;
  /**
   * The period in which wrong passwords are counted, in milliseconds.
   *
   * @default {900000}
   */
  TriesPeriod?: number;
  /** The store for counting wrong passwords. If omitted, they are counted in the memory of one thread. */
  Store?: Store;
  /**
   * Whether to respond with 403 to plain HTTP requests, whose passwords can be intercepted.
   *
   * @default {false}
   */
  HTTPSOnly?: boolean;
}

const table = optionTable<Options>("middleware/basicauth.Options", "basicauth")({
  Users: either(undefined, listOf(record(), "users"), func()),
  File: either<string | URL, undefined>(undefined, filled(), instance(URL, "a URL")),
  Realm: text("Restricted"),
  MaxTries: count(10, { from: 0 }),
  TriesPeriod: milliseconds(900_000, { isPositive: true }),
  Store: storeOption,
  HTTPSOnly: flag(false),
});

/**
 * Creates middleware that requires basic authentication, the password prompt of browsers. Responds with 401 if the
 * credentials are missing or wrong. After too many wrong passwords, responds with 429 even if the password is correct,
 * unless it was verified within the last minute. `ctx.Logout()` responds with 401, which makes browsers discard the
 * stored credentials.
 *
 * @param options The options.
 * @returns The middleware.
 * @throws {FrameworkError} If the users cannot be read or an option is invalid.
 */
export function New(options: Options): Handler {
  const { Users, File, Realm, MaxTries, TriesPeriod, Store, HTTPSOnly } = readOptions(table, options);
  const find = finderOf(Users, File);
  const tries = MaxTries === 0 ? undefined : new Tries(Store ?? NewMemory(), MaxTries, TriesPeriod);
  // Browsers send the credentials with every request, and verifying a hash is slow by design.
  // The result of a lookup function is not cached, because it may depend on more than the credentials, such as the
  // host.
  const verified = typeof Users === "function" ? undefined : new RecentMap<User>({ lifetime: 60_000, most: 1000 });
  const demand = checkHeaderValue("www-authenticate", challenge(Realm));

  function ask(ctx: Context): void {
    ctx.Header("WWW-Authenticate", demand);
    ctx.StopWithStatus(401);
  }

  function enter(ctx: Context, user: User): void | Promise<void> {
    ctx.SetUser(user, ask);
    return ctx.Next();
  }

  function refuse(ctx: Context): void {
    ctx.Header("Retry-After", String(Math.ceil(TriesPeriod / 1000)));
    ctx.StopWithStatus(429);
  }

  async function attempt(ctx: Context, credentials: Credentials): Promise<void> {
    // Another request may have verified the same credentials in the meantime.
    const check = () => verified?.get(keyOf(credentials)) ?? find(credentials, ctx);
    const user = tries === undefined ? await check() : await tries.attempt(ctx, check);
    if (user === tooMany) return refuse(ctx);
    if (user === undefined) return ask(ctx);
    verified?.set(keyOf(credentials), user);
    await enter(ctx, user);
  }

  return noteFacts(function basicauth(ctx: Context): void | Promise<void> {
    if (HTTPSOnly && ctx.Scheme() !== "https") return ctx.StopWithStatus(403);
    const header = ctx.GetHeader("authorization");
    const credentials = readCredentials(header);
    if (credentials === undefined) return ask(ctx);
    const known = verified?.get(keyOf(credentials));
    return known === undefined ? attempt(ctx, credentials) : enter(ctx, known);
  }, { guard: "basicauth", security: { name: "basic", scheme: { type: "http", scheme: "basic" } } });
}

function finderOf(Users: Options["Users"], File: Options["File"]): Finder {
  if ((Users === undefined) === (File === undefined)) {
    throw new FrameworkError("FW_CONFIG", "Cannot create basic authentication: set either Users or File");
  }
  if (typeof Users === "function") return finderByLookup(Users);
  return finderByList(Users ?? readAccounts(File ?? ""));
}

/** Returns the key of verified credentials. The length prefix prevents collisions such as `a:b` with `c`. */
function keyOf({ name, password }: Credentials): string {
  return digest(`${name.length}:${name}${password}`).toString("base64");
}
