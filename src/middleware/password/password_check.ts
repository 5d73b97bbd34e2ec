/**
 * Checks new passwords, according to NIST SP 800-63B-4: by length, and by lists of passwords that attackers try first.
 * Rules on the kinds of characters lead to weaker passwords, so there are none.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { count, func, texts } from "../../base/config/option_kinds.ts";
import { checkText, optionTable, readOptions } from "../../base/config/option_table.ts";
import { returnedBoolean } from "../../base/config/returned.ts";

/** Options for {@linkcode CheckPassword}. */
export interface PasswordOptions {
  /**
   * The minimum length, in characters. If every login requires a second factor, 8 are enough.
   *
   * @default {15}
   */
  MinLength?: number;
  /**
   * The maximum length, in characters. Hashing an endless password would take all of the server's time.
   *
   * @default {256}
   */
  MaxLength?: number;
  /**
   * Words that others know, such as the user's name and address and the name of the site. A password that consists
   * mainly of them is refused.
   *
   * @default {[]}
   */
  Words?: readonly string[];
  /**
   * Reports whether a password is known from a data breach, for example by looking it up in a list or at a service. If
   * omitted, nothing is looked up, so that no password leaves the server. If it throws, so does the check: catch the
   * errors of a service that may be unavailable, and return `false`.
   */
  Breached?: (password: string) => boolean | Promise<boolean>;
}

/** The reason why a password is refused. */
export type PasswordProblem = "short" | "long" | "common" | "known" | "breached";

const table = optionTable<PasswordOptions>("middleware/auth.PasswordOptions", "auth.CheckPassword")({
  MinLength: count(15),
  MaxLength: count(256),
  Words: texts([]),
  Breached: func(),
});

/**
 * Checks a new password, at a sign-up or when it is changed. Do not check passwords at logins.
 *
 * @param password The password.
 * @param options The lengths, the words that others know, and a function that finds breached passwords.
 * @returns The reason to refuse the password, or `undefined` if it is accepted: it is too `short` or too `long`, it is
 * `common`, it consists of the words that are `known` to others, or it was `breached`.
 * @throws {FrameworkError} If an option is invalid, or if `Breached` does not return a boolean.
 *
 * @example Refuse weak passwords
 * ```ts
 * import * as auth from "@fw/web/middleware/auth";
 *
 * await auth.CheckPassword("tea"); // → "short"
 * await auth.CheckPassword("Password12345678"); // → "common"
 * await auth.CheckPassword("ada.lovelace2026", { Words: ["Ada Lovelace"] }); // → "known"
 * await auth.CheckPassword("the kettle sings at dawn"); // → undefined
 * ```
 */
export async function CheckPassword(
  password: string,
  options: PasswordOptions = {},
): Promise<PasswordProblem | undefined> {
  const { MinLength, MaxLength, Words, Breached } = readOptions(table, options);
  checkText(password, "password", "CheckPassword");
  const length = [...password].length;
  if (length < MinLength) return "short";
  if (length > MaxLength) return "long";
  const { isCommon, isKnown } = await loadModule(() => import("./common_passwords.ts"));
  if (isCommon(password)) return "common";
  if (isKnown(password, Words)) return "known";
  if (Breached !== undefined && returnedBoolean(await Breached(password), "Breached of CheckPassword")) {
    return "breached";
  }
  return undefined;
}
