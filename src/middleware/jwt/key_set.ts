/**
 * Public keys published by another server (JWKS).
 *
 * Anyone can send a token with an unknown key ID, and the key server may be unavailable. Neither must affect users
 * whose keys are known. Therefore, a key set stays in use while it cannot be fetched again, and the number of requests
 * for unknown key IDs is limited.
 *
 * @module
 */

import { JWKSNoMatchingKey } from "npm:jose@^6/errors";
import { createLocalJWKSet } from "npm:jose@^6/jwks/local";
import type { JWTVerifyGetKey } from "npm:jose@^6/jwt/verify";
import { FrameworkError } from "../../base/errors/errors.ts";
import { boundedFetch } from "../bounded_fetch.ts";

/** The error for keys that could not be fetched. The token itself may be valid. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** The time for which a set is used without fetching it again, in milliseconds. */
const freshFor = 600_000;
/**
 * The time for which a key set stays in use while the key server is failing, in milliseconds. After that, its keys are
 * invalid, because some of them may have been withdrawn.
 */
const usedFor = 24 * 3_600_000;
/**
 * The time for which unknown key IDs do not cause another request, in milliseconds. It prevents clients from flooding
 * the server with invented IDs.
 */
const restAfterSuccess = 30_000;
/** The same time after a failure. It is shorter, because users with a new key are waiting. */
const restAfterFailure = 1000;
const limits = { time: 5000, size: 1 << 20 };

/** A fetched key set. */
interface KnownSet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly at: number;
}

/**
 * Creates a remote key set. It is fetched on first use, used for ten minutes, and fetched again, at most every thirty
 * seconds, if a token has an unknown key ID.
 *
 * @param address The URL of the key set.
 * @returns The function that finds the key of a token.
 * @throws {FrameworkError} If the URL is not secure.
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
      return await known.find(...args) as CryptoKey;
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      return await this.#findNew(error, ...args);
    }
  }

  /** Looks for a key that is not in the set and may be new. */
  async #findNew(missing: JWKSNoMatchingKey, ...args: Parameters<JWTVerifyGetKey>): Promise<CryptoKey> {
    const before = this.#known;
    await this.#load();
    // The key may exist, so the token must not be rejected.
    if (this.#failure !== undefined) throw this.#unavailable();
    if (this.#known === undefined || this.#known === before) throw missing;
    return await this.#known.find(...args) as CryptoKey;
  }

  /** Fetches the key set if it is missing or outdated. After a failure, requests do not wait for it. */
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

  /** Fetches the key set once for all waiting requests. The rate of requests is limited. Never rejects. */
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
    return new KeysUnavailable(`Cannot fetch the keys from ${this.#url}`, { cause: this.#failure });
  }
}

function checkURL(address: string | URL): URL {
  const url = URL.parse(address);
  const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === null || url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
    throw new FrameworkError("FW_CONFIG", `Cannot fetch keys from "${address}": use HTTPS, or HTTP on localhost`);
  }
  return url;
}
