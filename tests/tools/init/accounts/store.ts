import { HTTPError, type User } from "@fw/web";
import type { Keys as APIKeys } from "@fw/web/apikeys";
import type { Keys } from "@fw/web/keys";
import type { Sessions } from "@fw/web/sessions";
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Factors } from "./factors.ts";
import type { Links } from "./links.ts";

/** The cost of password hashes. It is the recommendation of OWASP by default. Tests lower it, to be fast. */
export const cost: { Memory?: number; Iterations?: number } = {};

/** An account. */
export interface Account {
  readonly id: number;
  readonly mail: string;
  readonly hash: string;
  /** The encrypted secret of the second factor. */
  readonly totp: string | null;
}

/** The parts that the pages need. */
export interface Parts {
  readonly accounts: Accounts;
  readonly links: Links;
  readonly factors: Factors;
  readonly manager: Sessions;
  readonly keys: Keys;
  readonly apiKeys: APIKeys;
  /** The name of the cookie of known devices. */
  readonly deviceCookie: string;
}

/** A passkey. */
export interface Passkey {
  readonly id: string;
  readonly account: number;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  /** The time of creation, in milliseconds. */
  readonly created: number;
}

const day = 24 * 3_600_000;
const passkeys = "SELECT id, account, public_key AS publicKey, counter, created * 1000 AS created FROM passkey";
/** The condition of all changes: no other request has changed the account since it was read. */
const isUnchanged = "id = ? AND hash = ? AND mail = ? AND totp IS ?";

/** The accounts in the database. Every change is one statement or one transaction. */
export class Accounts {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  byID(id: string | number): Account | undefined {
    return this.#get("SELECT id, mail, hash, totp FROM account WHERE id = ?", id) as Account | undefined;
  }

  /** Returns the account of a user. Another request may have deleted it since the user was loaded. */
  ofUser(user: User | undefined): Account {
    const account = this.byID(user?.ID ?? "");
    if (account === undefined) throw new HTTPError(401);
    return account;
  }

  byMail(mail: string): Account | undefined {
    return this.#get("SELECT id, mail, hash, totp FROM account WHERE mail = ?", mail) as Account | undefined;
  }

  /** Returns the values that a link for a sign-up is bound to. They change if the account is created or deleted. */
  stampOfAddress(mail: string): [string | null, number | null] {
    const deleted = this.#get("SELECT until FROM attempt WHERE key = ?", digest(`deleted ${mail.toLowerCase()}`));
    return [this.byMail(mail)?.hash ?? null, deleted?.["until"] as number | undefined ?? null];
  }

  /** Adds an account. Returns `undefined` if there is one with this address. */
  add(mail: string, hash: string): number | undefined {
    const sql = "INSERT INTO account (mail, hash) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id";
    return this.#get(sql, mail, hash)?.["id"] as number | undefined;
  }

  /** Replaces a value, unless another request has changed the account, or the address belongs to another one. */
  change({ id, hash, mail, totp }: Account, column: "hash" | "mail" | "totp", value: string | null): boolean {
    return this.#run(`UPDATE OR IGNORE account SET ${column} = ? WHERE ${isUnchanged}`, value, id, hash, mail, totp);
  }

  /** Replaces a forgotten password, and removes all passkeys except those to keep. */
  reset(account: Account, hash: string, kept: readonly string[]): boolean {
    return this.#transaction(() => {
      const sql = "DELETE FROM passkey WHERE account = ? AND id NOT IN (SELECT value FROM json_each(?))";
      if (!this.change(account, "hash", hash)) return false;
      this.#run(sql, account.id, JSON.stringify(kept));
      return true;
    });
  }

  /** Sets the second factor and its recovery codes, or removes both. */
  setFactor(account: Account, totp: string | null, codes: readonly string[]): boolean {
    return this.#transaction(() => {
      if (!this.change(account, "totp", totp)) return false;
      this.#run("DELETE FROM recovery WHERE account = ?", account.id);
      for (const code of codes) this.#run("INSERT INTO recovery VALUES (?, ?)", account.id, digest(code));
      return true;
    });
  }

  /** Uses up the code of a time step, so that it cannot be used again. */
  useStep(id: number, step: number): boolean {
    return this.#run("UPDATE account SET step = ? WHERE id = ? AND step < ?", step, id, step);
  }

  useRecovery(id: number, code: string): boolean {
    return this.#run("DELETE FROM recovery WHERE account = ? AND digest = ?", id, digest(code));
  }

  /** Deletes an account. The second row makes links for a sign-up invalid, and is deleted when they have expired. */
  remove({ id, mail }: Account): void {
    this.#transaction(() => {
      this.#run("INSERT OR REPLACE INTO attempt VALUES (?, 0, ?)", digest(`deleted ${mail.toLowerCase()}`), Date.now());
      return this.#run("DELETE FROM account WHERE id = ?", id);
    });
  }

  /** Adds a passkey, unless another request has changed the account, such as a reset. */
  addPasskey({ id: account, hash, mail, totp }: Account, id: string, publicKey: Uint8Array, counter: number): boolean {
    const sql = `INSERT INTO passkey (id, account, public_key, counter) SELECT ?, id, ?, ? FROM account
      WHERE ${isUnchanged} ON CONFLICT DO NOTHING`;
    return this.#run(sql, id, publicKey, counter, account, hash, mail, totp);
  }

  passkey(id: string): Passkey | undefined {
    return this.#get(`${passkeys} WHERE id = ?`, id) as unknown as Passkey | undefined;
  }

  passkeysOf(account: number): Passkey[] {
    const statement = this.#database.prepare(`${passkeys} WHERE account = ? ORDER BY created`);
    return statement.all(account) as unknown as Passkey[];
  }

  usePasskey({ id, counter: before }: Passkey, counter: number): boolean {
    return this.#run("UPDATE passkey SET counter = ? WHERE id = ? AND counter = ?", counter, id, before);
  }

  removePasskey(account: number, id: string): boolean {
    return this.#run("DELETE FROM passkey WHERE account = ? AND id = ?", account, id);
  }

  /**
   * Counts an attempt, before its outcome is known, so that attempts at the same time are counted, too. Five attempts
   * cost nothing. Each further one doubles the delay, up to 15 minutes. A longer delay is that of a wrong clock.
   *
   * @returns The time until an attempt is allowed, in milliseconds, or 0 if this one is.
   */
  attempt(key: string): number {
    const now = Date.now();
    this.#run("DELETE FROM attempt WHERE until < ?", now - day);
    const sql = `INSERT INTO attempt VALUES (?1, 1, ?2) ON CONFLICT (key) DO UPDATE SET count = count + 1, until = ?2 +
      iif(count < 5, 0, min(900000, 1000 << min(count - 4, 10))) WHERE until NOT BETWEEN ?2 + 1 AND ?2 + 900000`;
    if (this.#run(sql, digest(key), now)) return 0;
    const { until } = this.#get("SELECT until FROM attempt WHERE key = ?", digest(key)) as { until: number };
    return until - now;
  }

  /** Forgets the attempts after one that was right. */
  forget(key: string): void {
    this.#run("DELETE FROM attempt WHERE key = ?", digest(key));
  }

  #get(sql: string, ...values: (string | number)[]) {
    return this.#database.prepare(sql).get(...values);
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): boolean {
    return this.#database.prepare(sql).run(...values).changes > 0;
  }

  #transaction(work: () => boolean): boolean {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Returns a digest. Recovery codes are random, so they need no slow hash. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Returns the values that links for an account are bound to. When one of them changes, the links are used up. */
export function stampOf(account: Account | undefined): [string, string, string | null] | undefined {
  return account && [account.hash, account.mail, account.totp];
}
