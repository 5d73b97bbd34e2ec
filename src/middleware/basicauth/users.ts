/**
 * The users that basic authentication knows: a list, a file, or whatever a function says.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { messageOf } from "../../base/to_error.ts";
import type { Context } from "../../context/context.ts";
import type { User } from "../../context/user.ts";
import type { Credentials } from "./credentials.ts";
import { type PasswordTest, passwordTest } from "./password.ts";

/** A user of a list. */
export interface Account {
  /** The name that the user logs in by; compared letter by letter. */
  readonly Name: string;
  /** The password, better as a hash by argon2 or bcrypt: see {@linkcode Hash}. */
  readonly Password: string;
  /** What the user may be. */
  readonly Roles?: readonly string[];
  /** What tells the user from all others; the name when left out. */
  readonly ID?: string;
}

/** Finds out who a name and a password belong to: the user, `true` for one without roles, or `undefined`. */
export type Lookup = (
  name: string,
  password: string,
  ctx: Context,
) => User | boolean | undefined | Promise<User | boolean | undefined>;

/** Finds the user of credentials. */
export type Finder = (credentials: Credentials, ctx: Context) => User | undefined | Promise<User | undefined>;

/** Prepares a function of the application's. */
export function finderByLookup(lookup: Lookup): Finder {
  function toUser(name: string, found: User | boolean | undefined): User | undefined {
    return found === true ? plainUser(name) : found || undefined;
  }
  return function ({ name, password }, ctx) {
    const found = lookup(name, password, ctx);
    return found instanceof Promise ? found.then((it) => toUser(name, it)) : toUser(name, found);
  };
}

/** Prepares a list. */
export function finderByList(accounts: readonly Account[]): Finder {
  const rows = new Map<string, { test: PasswordTest; user: User }>();
  for (const account of accounts) {
    checkAccount(account, rows);
    const { Name, Password, Roles = [], ID = Name } = account;
    rows.set(Name, { test: passwordTest(Name, Password), user: { ...plainUser(Name), ID, Roles: [...Roles] } });
  }
  const stand = slowestOf(accounts.map((account) => account.Password));
  const standTest = passwordTest("nobody", stand);
  return function ({ name, password }) {
    const row = rows.get(name);
    // A name that does not exist costs as much time as a wrong password: it would otherwise tell which names exist.
    const isRight = (row?.test ?? standTest)(password);
    if (isRight instanceof Promise) return isRight.then((it) => it ? row?.user : undefined);
    return isRight ? row?.user : undefined;
  };
}

/**
 * Reads a file of users: a JSON list, or lines of `name:hash` as `htpasswd -B` writes them.
 *
 * @param file The path.
 * @returns The users.
 */
export function readAccounts(file: string | URL): Account[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    throw new FrameworkError("FW_CONFIG", `Cannot read the users of "${file}": ${messageOf(error)}`, { cause: error });
  }
  return text.trimStart().startsWith("[") ? accountsOfJSON(file, text) : accountsOfLines(file, text);
}

function accountsOfJSON(file: string | URL, text: string): Account[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    // Without the parser's message, which repeats a piece of the file.
    throw new FrameworkError("FW_CONFIG", `Cannot read the users of "${file}": it is not JSON`);
  }
  if (Array.isArray(list)) return list;
  throw new FrameworkError("FW_CONFIG", `Cannot read the users of "${file}": it is not a list`);
}

function accountsOfLines(file: string | URL, text: string): Account[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (line === "" || line.startsWith("#")) return [];
    const colon = line.indexOf(":");
    if (colon > 0) return [{ Name: line.slice(0, colon), Password: line.slice(colon + 1) }];
    throw new FrameworkError("FW_CONFIG", `Cannot read the users of "${file}": line ${at + 1} is not "name:hash"`);
  });
}

/** The secret that takes longest to compare with: a hash, where there is one. */
function slowestOf(secrets: readonly string[]): string {
  const slowest = secrets.find((secret) => secret.startsWith("$")) ?? secrets[0];
  if (slowest === undefined) throw new FrameworkError("FW_CONFIG", "Cannot authenticate anyone: the list has no users");
  return slowest;
}

function checkAccount(account: Partial<Account> | null, rows: ReadonlyMap<string, unknown>): void {
  const { Name, Password, Roles = [] } = account ?? {};
  const isWhole = typeof Name === "string" && typeof Password === "string" && Array.isArray(Roles) &&
    Roles.every((role) => typeof role === "string");
  if (!isWhole || Name === "" || Name.includes(":")) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot take the user "${Name}": a user has a Name without colon, a Password, and Roles that are a list of texts`,
    );
  }
  if (rows.has(Name)) throw new FrameworkError("FW_CONFIG", `Cannot take the user "${Name}": the name is there twice`);
}

function plainUser(name: string): User {
  return { ID: name, Name: name, Roles: [], Method: "basic" };
}
