/**
 * Issues API keys.
 *
 * @module
 */

import { latestTime } from "../../base/async/callback.ts";
import { filled, func, milliseconds, required, text, texts, where } from "../../base/config/option_kinds.ts";
import { checkText, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";
import type { Handler } from "../../core/context/handler.ts";
import type { User } from "../../core/context/user.ts";
import { boundedCalls, type CallRules } from "../../state/store/bounded_calls.ts";
import { isBoolean } from "../../state/store/store_results.ts";
import { guardWith } from "./guard.ts";
import { newKeyText, patternOf } from "./key_text.ts";
import { isExpired, isFound, isList, type KeyInfo, keyStoreOption, type Store, type StoredKey } from "./store.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The store of the keys. */
  Store: Store;
  /**
   * The first part of every key, which programs that search for leaked secrets recognize. Use the name of the
   * application. It has 2 to 20 letters, digits and underscores.
   *
   * @default {"fw"}
   */
  Prefix?: string;
  /**
   * The header that contains the key. In `Authorization`, the key follows the word `Bearer`. Use another header, such
   * as `X-API-Key`, if the routes also accept other bearer tokens.
   *
   * @default {"Authorization"}
   */
  Header?: string;
  /**
   * Loads the owner of a key, for each request. If it returns `undefined`, for example because the account has been
   * closed, responds with 401. If omitted, the user has only an ID.
   *
   * @param owner The user's ID.
   * @param key The key.
   * @returns The user.
   */
  User?: (owner: string, key: KeyInfo) => User | undefined | Promise<User | undefined>;
}

/** Options for {@linkcode Keys.Create}. */
export interface NewKeyOptions {
  /** The ID of the user whose rights the key has. */
  Owner: string;
  /** The name of the key, for the owner's list. */
  Name: string;
  /**
   * The scopes, without spaces. A scope with the name of a role gives the key that role, if the owner has it.
   *
   * @default {[]}
   */
  Scopes?: readonly string[];
  /**
   * The lifetime, in milliseconds. `Infinity` creates a key that does not expire. Defaults to one year.
   *
   * @default {31536000000}
   */
  Lifetime?: number;
}

/** Options for {@linkcode Keys.Rotate}. */
export interface RotateOptions {
  /**
   * The time for which the old key remains valid, in milliseconds. Defaults to one day.
   *
   * @default {86400000}
   */
  Overlap?: number;
}

/** A new key. Its text cannot be read again. */
export interface NewKey extends KeyInfo {
  /** The text of the key. Show it to the owner once. */
  readonly Key: string;
}

const table = optionTable<Options>("apikeys.Options", "apikeys")({
  Store: required(keyStoreOption),
  Prefix: text("fw"),
  Header: where(text("Authorization"), "a header name", isHeaderToken),
  User: func(),
});

const keyTable = optionTable<NewKeyOptions>("apikeys.NewKeyOptions", "an API key")({
  Owner: required(filled()),
  Name: required(filled()),
  Scopes: texts([]),
  Lifetime: milliseconds(31_536_000_000, { isPositive: true, to: Infinity }),
});

const rotateTable = optionTable<RotateOptions>("apikeys.RotateOptions", "the rotation of an API key")({
  Overlap: milliseconds(86_400_000),
});

/** The time limit of calls to the store, in milliseconds, and the results that it may return. */
const storeRules: CallRules = {
  name: "the store of API keys",
  limit: 5_000,
  results: { Find: isFound, List: isList, Expire: isBoolean, Delete: isBoolean },
};

/**
 * Creates the keys of an application.
 *
 * @param options The options.
 * @returns The keys.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(options: Options): Keys {
  return new Keys(options);
}

/** The API keys of an application, created by {@linkcode New}. */
export class Keys {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #require: (scopes: readonly string[]) => Handler;

  /**
   * Created by {@linkcode New}.
   *
   * @ignore
   *
   * @param options The options.
   */
  constructor(options: Options) {
    const { Store, Prefix, Header, User } = readOptions(table, options);
    if (!/^[A-Za-z][A-Za-z0-9_]{0,18}[A-Za-z0-9]$/.test(Prefix)) {
      throw new FrameworkError(
        "FW_CONFIG",
        `Cannot create API keys: Prefix must have 2 to 20 letters, digits and underscores, not "${Prefix}"`,
      );
    }
    this.#store = boundedCalls(Store, storeRules);
    this.#prefix = Prefix;
    this.#require = guardWith({ store: Store, prefix: Prefix, header: Header, load: User });
  }

  /**
   * Returns the regular expression that finds keys in files and logs, for secret scanners.
   *
   * @returns The source of the regular expression.
   */
  Pattern(): string {
    return patternOf(this.#prefix);
  }

  /**
   * Creates a key. Only its hash is stored.
   *
   * @param options The owner, the name, the scopes and the lifetime.
   * @returns The key with its text.
   * @throws {FrameworkError} If an option is invalid.
   * @throws {Error} If the store fails or does not respond within five seconds.
   */
  async Create(options: NewKeyOptions): Promise<NewKey> {
    const { Owner, Name, Scopes, Lifetime } = readOptions(keyTable, options);
    const isPlain = [Owner, Name].every((each) => !/\p{Cc}/u.test(each));
    if (!isPlain || !Scopes.every(isScope)) {
      throw new FrameworkError(
        "FW_CONFIG",
        "Cannot create an API key: Owner and Name must not contain control characters, and scopes must " +
          "not be empty or contain spaces and quotes",
      );
    }
    return await this.#add({ Owner, Name, Scopes }, Lifetime);
  }

  /**
   * Lists the keys of a user, for a page on which the user can revoke them.
   *
   * @param owner The user's ID.
   * @returns The keys, oldest first, including expired ones.
   * @throws {Error} If the store fails or does not respond within five seconds.
   */
  async List(owner: string): Promise<KeyInfo[]> {
    checkText(owner, "owner", "List");
    return (await this.#store.List(owner)).map(infoOf);
  }

  /**
   * Replaces a key of a user by a new one with the same name, scopes and lifetime. The old key remains valid for a
   * while, so that the programs that use it can be changed one after another. If the old key is rotated again, the
   * lifetime of the new key is the shortened one of the old key. Rotate the new key instead.
   *
   * @param owner The user's ID.
   * @param id The key's ID.
   * @param options The time for which the old key remains valid.
   * @returns The new key, or `undefined` if the user has no such key or it has expired.
   * @throws {Error} If the store fails or does not respond within five seconds.
   */
  async Rotate(owner: string, id: string, options: RotateOptions = {}): Promise<NewKey | undefined> {
    checkText(owner, "owner", "Rotate");
    checkText(id, "id", "Rotate");
    const { Overlap } = readOptions(rotateTable, options);
    const old = await this.#store.Find(id);
    if (old === null || old.Owner !== owner || isExpired(old)) return undefined;
    const lifetime = old.Expires === null ? Infinity : old.Expires.getTime() - old.Created.getTime();
    // The new key comes first. If the process ends in between, the old key is still valid, and the text of the new one
    // was never returned.
    const added = await this.#add(old, lifetime);
    const at = new Date(Date.now() + Overlap);
    await this.#store.Expire(id, owner, at);
    return added;
  }

  /**
   * Revokes a key of a user at once.
   *
   * @param owner The user's ID.
   * @param id The key's ID.
   * @returns Whether the user had such a key.
   * @throws {Error} If the store fails or does not respond within five seconds.
   */
  async Revoke(owner: string, id: string): Promise<boolean> {
    checkText(owner, "owner", "Revoke");
    return await this.#store.Delete(checkText(id, "id", "Revoke"), owner);
  }

  /**
   * Creates middleware that accepts requests with a key that has all of the given scopes, and sets `ctx.User()` to its
   * owner. The user's `Method` is `key`, and its roles are those of the owner that the scopes name. A request without a
   * key is accepted if earlier middleware has set a user, for example that of a session. The user of a key from another
   * `New` is refused.
   *
   * Routes without this middleware ignore keys. Responds with 401 if the key is missing, invalid or expired, with 403
   * if it lacks a scope, and with 503 if the store fails.
   *
   * @param scopes The scopes that a key needs.
   * @returns The middleware.
   * @throws {FrameworkError} If a scope is empty or contains spaces or quotes.
   */
  Require(...scopes: string[]): Handler {
    if (!scopes.every(isScope)) {
      throw new FrameworkError(
        "FW_CONFIG",
        "Cannot require scopes: they must not be empty or contain spaces and quotes",
      );
    }
    return this.#require(scopes);
  }

  async #add({ Owner, Name, Scopes }: Pick<KeyInfo, "Owner" | "Name" | "Scopes">, lifetime: number): Promise<NewKey> {
    const { id: ID, text: Key, hash: Hash } = newKeyText(this.#prefix);
    const now = Date.now();
    const Expires = lifetime === Infinity ? null : new Date(Math.min(now + lifetime, latestTime));
    const info: KeyInfo = { ID, Owner, Name, Scopes: [...Scopes], Created: new Date(now), Expires, LastUsed: null };
    await this.#store.Insert({ ...info, Hash });
    return { ...info, Key };
  }
}

/** Reports whether a string can be a scope, as in RFC 6749, section 3.3. */
function isScope(text: string): boolean {
  return typeof text === "string" && /^[!#-[\]-~]+$/.test(text);
}

function infoOf({ Hash: _hash, ...info }: StoredKey): KeyInfo {
  return info;
}
