import type { Keys } from "@fw/web/keys";
import type { Sessions } from "@fw/web/sessions";
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Factors } from "./factors.ts";
import type { Links } from "./links.ts";

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
}

/** A passkey. */
export interface Passkey {
  readonly id: string;
  readonly account: number;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
}

/** The number of wrong attempts that cost nothing, and the longest delay, in milliseconds. */
const [free, longest] = [5, 15 * 60_000];

/** The accounts in the database. Every change is one statement or one transaction. */
export class Accounts {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  byID(id: string | number): Account | undefined {
    return this.#get("SELECT id, mail, hash, totp FROM account WHERE id = ?", id) as Account | undefined;
  }

  byMail(mail: string): Account | undefined {
    return this.#get("SELECT id, mail, hash, totp FROM account WHERE mail = ?", mail) as Account | undefined;
  }

  /** Returns the values that links for an account are bound to. When one of them changes, the links are used up. */
  stampOf(id: string): [string, string, string | null] | undefined {
    const account = this.byID(id);
    return account && [account.hash, account.mail, account.totp];
  }

  /** Adds an account. Returns `undefined` if there is one with this address. */
  add(mail: string, hash: string): number | undefined {
    const sql = "INSERT INTO account (mail, hash) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id";
    return this.#get(sql, mail, hash)?.["id"] as number | undefined;
  }

  /** Replaces a password, unless another request was faster. */
  setHash({ id, hash: before }: Account, hash: string): boolean {
    return this.#run("UPDATE account SET hash = ? WHERE id = ? AND hash = ?", hash, id, before);
  }

  /** Replaces an address, unless it belongs to another account. */
  setMail({ id, mail: before }: Account, mail: string): boolean {
    return this.#run("UPDATE OR IGNORE account SET mail = ? WHERE id = ? AND mail = ?", mail, id, before);
  }

  /** Sets the second factor and its recovery codes, unless there is one. */
  setFactor(id: number, totp: string, codes: readonly string[]): boolean {
    return this.#transaction(() => {
      if (!this.#run("UPDATE account SET totp = ? WHERE id = ? AND totp IS NULL", totp, id)) return false;
      for (const code of codes) this.#run("INSERT INTO recovery VALUES (?, ?)", id, digest(code));
      return true;
    });
  }

  removeFactor(id: number): void {
    this.#transaction(() => {
      this.#run("UPDATE account SET totp = NULL WHERE id = ?", id);
      return this.#run("DELETE FROM recovery WHERE account = ?", id);
    });
  }

  /** Uses up the code of a time step, so that it cannot be used again. */
  useStep(id: number, step: number): boolean {
    return this.#run("UPDATE account SET step = ? WHERE id = ? AND step < ?", step, id, step);
  }

  useRecovery(id: number, code: string): boolean {
    return this.#run("DELETE FROM recovery WHERE account = ? AND digest = ?", id, digest(code));
  }

  remove(id: number): void {
    this.#run("DELETE FROM account WHERE id = ?", id);
  }

  addPasskey(id: string, account: number, publicKey: Uint8Array, counter: number): boolean {
    const sql = "INSERT INTO passkey (id, account, public_key, counter) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
    return this.#run(sql, id, account, publicKey, counter);
  }

  passkey(id: string): Passkey | undefined {
    const sql = "SELECT id, account, public_key AS publicKey, counter FROM passkey WHERE id = ?";
    return this.#get(sql, id) as unknown as Passkey | undefined;
  }

  passkeysOf(account: number): Passkey[] {
    const sql = "SELECT id, account, public_key AS publicKey, counter FROM passkey WHERE account = ? ORDER BY created";
    return this.#database.prepare(sql).all(account) as unknown as Passkey[];
  }

  usePasskey({ id, counter: before }: Passkey, counter: number): boolean {
    return this.#run("UPDATE passkey SET counter = ? WHERE id = ? AND counter = ?", counter, id, before);
  }

  removePasskey(account: number, id: string): boolean {
    return this.#run("DELETE FROM passkey WHERE account = ? AND id = ?", account, id);
  }

  /** Returns the time until the next attempt with a key is allowed, in milliseconds. */
  delayOf(key: string): number {
    const until = this.#get("SELECT until FROM attempt WHERE key = ?", digest(key))?.["until"] as number | undefined;
    return Math.max(0, (until ?? 0) - Date.now());
  }

  /** Counts a wrong attempt. Each one after the first few doubles the delay. */
  countWrong(key: string): void {
    const now = Date.now();
    this.#run("DELETE FROM attempt WHERE until < ?", now - 24 * 3_600_000);
    const sql = `INSERT INTO attempt VALUES (?, 1, ?)
      ON CONFLICT (key) DO UPDATE SET count = count + 1 RETURNING count`;
    const { count } = this.#get(sql, digest(key), now) as { count: number };
    const delay = count <= free ? 0 : Math.min(longest, 1_000 * 2 ** (count - free));
    this.#run("UPDATE attempt SET until = ? WHERE key = ?", now + delay, digest(key));
  }

  forgetWrong(key: string): void {
    this.#run("DELETE FROM attempt WHERE key = ?", digest(key));
  }

  #get(sql: string, ...values: (string | number)[]) {
    return this.#database.prepare(sql).get(...values);
  }

  #run(sql: string, ...values: (string | number | Uint8Array)[]): boolean {
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
