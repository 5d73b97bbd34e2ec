/**
 * The users for basic authentication, from a list, a file or a lookup function.
 *
 * @module
 */

import { returnedUser } from "../../core/context/user.ts";
import type { Context } from "../../core/context/context.ts";
import type { User } from "../../core/context/user.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import type { Credentials } from "./credentials.ts";
import { passwordKind, type PasswordTest, passwordTest } from "./password.ts";

/** A user in a list or file. */
export interface Account {
  /** The login name, case-sensitive. */
  readonly Name: string;
  /** The password, preferably as an argon2 or bcrypt hash, as returned by
   * `auth.HashPassword`. */
  readonly Password: string;
  /** The user's roles. */
  readonly Roles?: readonly string[];
  /** The unique ID of the user. If omitted, the name is used. */
  readonly ID?: string;
}

/**
 * Looks up a user by name and password. Returns the user, `true` for a user without roles, or `undefined` to refuse.
 */
export type Lookup = (
  name: string,
  password: string,
  ctx: Context,
) => User | boolean | undefined | Promise<User | boolean | undefined>;

/** Finds the user with the given credentials. */
export type Finder = (credentials: Credentials, ctx: Context) => User | undefined | Promise<User | undefined>;

/** Creates a finder from a lookup function of the application. */
export function finderByLookup(lookup: Lookup): Finder {
  return async function ({ name, password }, ctx) {
    const found = await lookup(name, password, ctx);
    return found === true ? plainUser(name) : found === false ? undefined : returnedUser(found, "Users of basicauth");
  };
}

/** Creates a finder from a list of users. */
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
  if (rows.size === 0) {
    throw new FrameworkError("FW_CONFIG", "Cannot create basic authentication: the list has no users");
  }
  // Plain-text passwords are compared synchronously. Unknown names take the same time.
  if (kinds.size === 1 && kinds.has("")) {
    const [first] = kinds.values();
    return function ({ name, password }) {
      const row = rows.get(name);
      return (row?.test ?? first)?.(password) === true ? row?.user : undefined;
    };
  }
  return ({ name, password }) => findSlowly(rows.get(name), kinds, password);
}

/** A user and the test for the user's password. */
interface Row {
  readonly test: PasswordTest;
  readonly kind: string;
  readonly user: User;
}

/**
 * Finds a user in a list that contains hashes. For a wrong password, one hash of every kind in the list is computed,
 * even if the name does not exist. Otherwise, the response time would reveal which names exist.
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
 * Reads a user file: a JSON array, or lines of `name:hash` as written by `htpasswd -B`.
 *
 * @param file The path.
 * @returns The users.
 * @throws {FrameworkError} If the file cannot be read or parsed.
 */
export function readAccounts(file: string | URL): Account[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    throw new FrameworkError("FW_CONFIG", `Cannot read the users from "${file}": ${messageOf(error)}`, {
      cause: error,
    });
  }
  return text.trimStart().startsWith("[") ? accountsOfJSON(file, text) : accountsOfLines(file, text);
}

function accountsOfJSON(file: string | URL, text: string): Account[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    // The parser's message would contain a part of the file.
    throw new FrameworkError("FW_CONFIG", `Cannot read the users from "${file}": invalid JSON`);
  }
  if (Array.isArray(list)) return list;
  throw new FrameworkError("FW_CONFIG", `Cannot read the users from "${file}": the JSON is not an array`);
}

function accountsOfLines(file: string | URL, text: string): Account[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (line === "" || line.startsWith("#")) return [];
    const colon = line.indexOf(":");
    if (colon > 0) return [{ Name: line.slice(0, colon), Password: line.slice(colon + 1) }];
    throw new FrameworkError("FW_CONFIG", `Cannot read the users from "${file}": line ${at + 1} is not "name:hash"`);
  });
}

function checkAccount(account: Partial<Account> | null, rows: ReadonlyMap<string, unknown>): void {
  const { Name, Password, Roles = [] } = account ?? {};
  const isWhole = typeof Name === "string" && typeof Password === "string" && Array.isArray(Roles) &&
    Roles.every((role) => typeof role === "string");
  if (!isWhole || Name === "" || Name.includes(":")) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot add the user "${Name}": Name must be a string without a colon, Password a string, and Roles an array of strings`,
    );
  }
  if (rows.has(Name)) {
    throw new FrameworkError("FW_CONFIG", `Cannot add the user "${Name}": the name is already in use`);
  }
}

function plainUser(name: string): User {
  return { ID: name, Name: name, Roles: [], Method: "basic" };
}
