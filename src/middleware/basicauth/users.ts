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
import { passwordKind, type PasswordTest, passwordTest } from "./password.ts";

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
  const rows = new Map<string, Row>();
  const kinds = new Map<string, PasswordTest>();
  for (const account of accounts) {
    checkAccount(account, rows);
    const { Name, Password, Roles = [], ID = Name } = account;
    const [test, kind] = [passwordTest(Name, Password), passwordKind(Password)];
    rows.set(Name, { test, kind, user: { ...plainUser(Name), ID, Roles: [...Roles] } });
    if (!kinds.has(kind)) kinds.set(kind, test);
  }
  if (rows.size === 0) throw new FrameworkError("FW_CONFIG", "Cannot authenticate anyone: the list has no users");
  // Passwords as text are compared at once, and so are those of names that do not exist.
  if (kinds.size === 1 && kinds.has("")) {
    const [first] = kinds.values();
    return function ({ name, password }) {
      const row = rows.get(name);
      return (row?.test ?? first)?.(password) === true ? row?.user : undefined;
    };
  }
  return ({ name, password }) => findSlowly(rows.get(name), kinds, password);
}

/** A user and the test of its password. */
interface Row {
  readonly test: PasswordTest;
  readonly kind: string;
  readonly user: User;
}

/**
 * Finds a user whose password, or another's, is a hash. A guess costs one hash of every kind in the list, whether the
 * name exists or not, and whatever its own password is: the time would otherwise tell which names exist.
 */
async function findSlowly(
  row: Row | undefined,
  kinds: ReadonlyMap<string, PasswordTest>,
  password: string,
): Promise<User | undefined> {
  if (row !== undefined && await row.test(password)) return row.user;
  for (const [kind, test] of kinds) if (kind !== row?.kind) await test(password);
  return undefined;
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
