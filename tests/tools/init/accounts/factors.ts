import type * as fw from "@fw/web";
import type { Keys } from "@fw/web/keys";
import { VerifyPassword } from "@fw/web/middleware/auth";
import * as sessions from "@fw/web/sessions";
import { Secret, TOTP } from "npm:otpauth@^9";
import { renderSVG } from "npm:uqr@^0";
import type { Account, Accounts } from "./store.ts";

const period = 30;
/** The characters of recovery codes, without those that look alike. 24 of them have 118 random bits. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

/** Second factors: codes of an app (TOTP), and recovery codes. */
export class Factors {
  readonly #accounts: Accounts;
  readonly #keys: Keys;
  readonly #issuer: string;

  /** Creates the factors of a site, which apps show by its name. */
  constructor(accounts: Accounts, keys: Keys, issuer: string) {
    this.#accounts = accounts;
    this.#keys = keys;
    this.#issuer = issuer;
  }

  /** Returns a new secret, encrypted for the session and the database. */
  create(id: number): string {
    return this.#keys.Encrypt(`totp ${id}`, new Secret({ size: 20 }).base32);
  }

  /** Returns the address that apps open, a picture of it that they scan, and the secret to type in. */
  describe({ id, mail }: Account, sealed: string): { uri: string; picture: string; secret: string } {
    const totp = Object.assign(this.#open(id, sealed), { label: mail });
    const [uri, secret] = [totp.toString(), totp.secret.base32.replace(/(.{4})(?=.)/g, "$1 ")];
    return { uri, picture: renderSVG(uri, { border: 4 }), secret };
  }

  /** Reports whether a code is valid. Each code can be used once. */
  verify({ id }: Account, sealed: string, code: string): boolean {
    const now = Date.now();
    const delta = this.#open(id, sealed).validate({ token: code.replaceAll(" ", ""), window: 1, timestamp: now });
    return delta !== null && this.#accounts.useStep(id, Math.floor(now / 1000 / period) + delta);
  }

  /** Reports whether a code of the app or a recovery code is valid, and uses it up. */
  verifyAny(account: Account, code: string): boolean {
    const plain = code.toLowerCase().replace(/[^a-z0-9]/g, "");
    const { id, totp } = account;
    return totp !== null && (this.verify(account, totp, code) || this.#accounts.useRecovery(id, plain));
  }

  /**
   * Authenticates a user again, with all factors, which may be values of JSON. Attempts are counted by session, so that
   * a thief with another one cannot keep the owner from ending it.
   *
   * @returns The reason if it fails.
   */
  async refusal(ctx: fw.Context, account: Account, password: unknown, code: unknown): Promise<string | undefined> {
    const key = `confirm ${account.id} ${sessions.Get(ctx)?.ID()}`;
    if (this.#accounts.attempt(key) > 0) return "too_many";
    if (typeof password !== "string" || !await VerifyPassword(password, account.hash)) return "wrong_password";
    if (account.totp !== null && !this.verifyAny(account, typeof code === "string" ? code : "")) return "wrong_code";
    this.#accounts.forget(key);
    sessions.Get(ctx)?.Regenerate();
  }

  /** Turns the second factor on. Returns the recovery codes, which are shown once. */
  enable(account: Account, sealed: string): string[] | undefined {
    const letter = (number: number) => letters[number % letters.length];
    const newCode = () => Array.from(crypto.getRandomValues(new Uint32Array(24)), letter).join("");
    const codes = Array.from({ length: 10 }, newCode);
    return this.#accounts.setFactor(account, sealed, codes) ? codes : undefined;
  }

  #open(id: number, sealed: string): TOTP {
    const secret = this.#keys.Decrypt(`totp ${id}`, sealed);
    if (secret === undefined) throw new Error("Cannot decrypt the second factor: the SECRET has changed");
    return new TOTP({ issuer: this.#issuer, algorithm: "SHA1", digits: 6, period, secret: Secret.fromBase32(secret) });
  }
}
