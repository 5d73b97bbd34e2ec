/**
 * One-time tokens for links in mails, such as those that reset a password or verify an address. They need no table.
 *
 * A token is bound to a purpose, to an account, to an expiry, and to a stamp of the account, which consists of the
 * values that the token is to change. When they change, the token is not valid anymore, so each token works once. The
 * stamp is part of the signature and not of the token, so clients cannot read it.
 *
 * Programs that scan mails follow the links in them. So a GET request with a token shows a page with a button, and only
 * the POST request of the button redeems it, with one conditional statement:
 * `UPDATE account SET password = ? WHERE id = ? AND password = ?`. If it changes no row, another request was faster.
 *
 * Request logs contain the paths of links. fw masks the signatures of tokens in all of its logs and on the development
 * pages, so the tokens in them cannot be used.
 *
 * @example Reset a password
 * ```ts
 * import * as keys from "@fw/web/keys";
 * import * as tokens from "@fw/web/tokens";
 *
 * const account = { id: "7", password: "$argon2id$v=19$…", mail: "ada@example.com" };
 * const stampOf = (id: string) => id === account.id ? [account.password, account.mail] : undefined;
 *
 * const reset = tokens.New({ Keys: keys.New(keys.Generate()), Purpose: "reset password", Lifetime: 60 * 60 * 1000 });
 * const token = reset.Issue(account.id, stampOf(account.id) ?? []); // for the link in the mail
 *
 * await reset.Verify(token, stampOf); // → "7"
 * account.password = "$argon2id$v=19$… of another password";
 * await reset.Verify(token, stampOf); // → undefined
 * ```
 *
 * @module
 */

import { createHash } from "node:crypto";
import { methods, milliseconds, required, text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Keys } from "./keys.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The key ring from `@fw/web/keys`. Tokens are verified with any of its keys and issued with the current one. */
  Keys: Pick<Keys, "Sign" | "Verify">;
  /** The purpose, such as `reset password`. A token is not valid for any other purpose. */
  Purpose: string;
  /**
   * The lifetime of a token, in milliseconds.
   *
   * @default {3600000}
   */
  Lifetime?: number;
}

const table = optionTable<Options>("tokens.Options", "tokens")({
  Keys: required(methods("Sign", "Verify")),
  Purpose: required(text()),
  Lifetime: milliseconds(3_600_000, { isPositive: true }),
});

/**
 * The state of an account that a token is bound to: its password hash, its address, its second factor, or other values
 * that the token is to change. Numbers and `null` are distinguished from strings with the same characters.
 */
export type Stamp = readonly (string | number | null)[];

/** The maximum length of a subject, so that a token fits in a URL. */
const longest = 500;

/**
 * Creates tokens for one purpose.
 *
 * @param options The keys, the purpose and the lifetime.
 * @returns The tokens.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(options: Options): Tokens {
  return new Tokens(options);
}

/** Tokens for one purpose, created by {@linkcode New}. */
export class Tokens {
  readonly #keys: Options["Keys"];
  readonly #purpose: string;
  readonly #lifetime: number;

  /**
   * Created by {@linkcode New}.
   *
   * @param options The keys, the purpose and the lifetime.
   */
  constructor(options: Options) {
    const { Keys, Purpose, Lifetime } = readOptions(table, options);
    if (Purpose === "") throw new FrameworkError("FW_CONFIG", "Purpose must not be empty");
    this.#keys = Keys;
    this.#purpose = Purpose;
    this.#lifetime = Lifetime;
  }

  /**
   * Issues a token.
   *
   * @param subject The ID of the account, which the token contains in readable form.
   * @param stamp The state of the account. At least one of its values must change when the token is redeemed.
   * @returns The token, which consists of letters, digits, hyphens, underscores and periods.
   * @throws {FrameworkError} If the subject is empty or too long, or if the stamp is empty.
   */
  Issue(subject: string, stamp: Stamp): string {
    if (subject === "" || subject.length > longest) {
      throw new FrameworkError("FW_AUTH", `Cannot issue a token: the subject must have 1 to ${longest} characters`);
    }
    const encoded = new TextEncoder().encode(subject).toBase64({ alphabet: "base64url", omitPadding: true });
    return this.#keys.Sign(this.#purposeWith(stamp), encoded, this.#lifetime);
  }

  /**
   * Verifies a token. It can be called any number of times: a token is used up by the change of the account.
   *
   * @param token The token, as sent by the client.
   * @param stampOf Returns the stamp of an account by its ID, or `undefined` or `null` if there is no such account.
   * @returns The ID of the account, or `undefined` if the token is malformed, has expired, was issued for another
   * purpose, or has been used.
   */
  async Verify(
    token: string,
    stampOf: (subject: string) => Stamp | null | undefined | Promise<Stamp | null | undefined>,
  ): Promise<string | undefined> {
    const subject = subjectOf(token);
    if (subject === undefined) return undefined;
    const stamp = await stampOf(subject);
    if (stamp === undefined || stamp === null) return undefined;
    return this.#keys.Verify(this.#purposeWith(stamp), token) === undefined ? undefined : subject;
  }

  /** Returns the purpose of a signature. The digest keeps the secrets of the stamp out of error messages. */
  #purposeWith(stamp: Stamp): string {
    if (!Array.isArray(stamp) || stamp.length === 0 || !stamp.every(isPart)) {
      throw new FrameworkError("FW_AUTH", "Cannot use the stamp: it must be an array of strings, numbers or null");
    }
    return `fw token ${createHash("sha256").update(JSON.stringify([this.#purpose, ...stamp])).digest("base64url")}`;
  }
}

function isPart(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number" && Number.isFinite(value);
}

/** Returns the subject of a token, before the token is verified. */
function subjectOf(token: unknown): string | undefined {
  if (typeof token !== "string" || token.length > 2 * longest + 200) return undefined;
  const encoded = /^([\w-]+)\.[\da-z]+\.[\w-]{43}$/.exec(token)?.[1];
  if (encoded === undefined) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { alphabet: "base64url" });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
