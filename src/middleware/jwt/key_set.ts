/**
 * Public keys that another server publishes (JWKS).
 *
 * Anyone can name a key that does not exist, and the key server may be away. Neither may keep out those whose keys are
 * known: a set that was fetched stays in use while it cannot be fetched again, and names that are not in it cause a
 * request to the key server only once in a while.
 *
 * @module
 */

import { createLocalJWKSet } from "npm:jose@^6/jwks/local";
import { JWKSNoMatchingKey } from "npm:jose@^6/errors";
import type { JWTVerifyGetKey } from "npm:jose@^6/jwt/verify";
import { FrameworkError } from "../../base/errors.ts";
import { boundedFetch } from "../bounded_fetch.ts";

/** The keys could not be fetched, which is not the fault of a token. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** How long a set is used without fetching it again, in milliseconds. */
const freshFor = 600_000;
/** How long a set stays in use while the key server fails, in milliseconds: a key that was withdrawn ends with it. */
const usedFor = 24 * 3_600_000;
/** How long unknown names cause no further request, in milliseconds: strangers who invent names would set the pace. */
const restAfterSuccess = 30_000;
/** The same after a failure; shorter, because users of a new key wait for it. */
const restAfterFailure = 1000;
const limits = { time: 5000, size: 1 << 20 };

/** A set that was fetched. */
interface KnownSet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly at: number;
}

/**
 * Prepares a set of keys: fetched when first needed, used for ten minutes, and fetched again, at most every thirty
 * seconds, if a token names a key that is not in it.
 *
 * @param address The URL of the set.
 * @returns The function that finds the key of a token.
 */
export function keySet(address: string | URL): JWTVerifyGetKey {
  const set = new RemoteSet(checkURL(address));
  return (header, token) => set.find(header, token);
}

class RemoteSet {
  readonly #url: URL;
  #known: KnownSet | undefined = undefined;
  #failure: unknown = undefined;
  #restUntil = 0;
  #loading: Promise<void> | undefined = undefined;

  constructor(url: URL) {
    this.#url = url;
  }

  async find(...args: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> {
    await this.#freshen();
    const known = this.#usable();
    if (known === undefined) throw this.#unavailable();
    try {
      return await known.find(...args);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      return await this.#findNew(error, ...args);
    }
  }

  /** Looks for a key that is not in the set: it may be new. */
  async #findNew(missing: JWKSNoMatchingKey, ...args: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> {
    const before = this.#known;
    await this.#load();
    // Whether there is such a key cannot be known: the token may be right.
    if (this.#failure !== undefined) throw this.#unavailable();
    if (this.#known === undefined || this.#known === before) throw missing;
    return await this.#known.find(...args);
  }

  /** Fetches a set that is missing or old. Once that has failed, tokens do not wait for it. */
  async #freshen(): Promise<void> {
    const known = this.#usable();
    if (known !== undefined && performance.now() - known.at < freshFor) return;
    const loading = this.#load();
    if (known === undefined || this.#failure === undefined) await loading;
  }

  #usable(): KnownSet | undefined {
    const known = this.#known;
    return known !== undefined && performance.now() - known.at < usedFor ? known : undefined;
  }

  /** Fetches the set, once for all that wait for it and never right after the last time. It never rejects. */
  #load(): Promise<void> {
    if (this.#loading !== undefined) return this.#loading;
    if (performance.now() < this.#restUntil) return Promise.resolve();
    return this.#loading = this.#fetch().finally(() => this.#loading = undefined);
  }

  async #fetch(): Promise<void> {
    try {
      const init = { headers: { accept: "application/json, application/jwk-set+json" }, redirect: "manual" } as const;
      const response = await boundedFetch(this.#url, init, limits);
      if (response.status !== 200) throw new Error(`Status ${response.status}`);
      this.#known = { find: createLocalJWKSet(await response.json()), at: performance.now() };
      this.#failure = undefined;
      this.#restUntil = performance.now() + restAfterSuccess;
    } catch (error) {
      this.#failure = error;
      this.#restUntil = performance.now() + restAfterFailure;
    }
  }

  #unavailable(): KeysUnavailable {
    return new KeysUnavailable(`No keys from ${this.#url}`, { cause: this.#failure });
  }
}

function checkURL(address: string | URL): URL {
  const url = URL.parse(address);
  const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === null || url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
    throw new FrameworkError("FW_CONFIG", `Cannot fetch keys from "${address}": over plain HTTP all can change them`);
  }
  return url;
}
