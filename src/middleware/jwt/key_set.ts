/**
 * Public keys that another server publishes (JWKS).
 *
 * @module
 */

import { JOSENotSupported, JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from "npm:jose@^6/errors";
import { createRemoteJWKSet, customFetch, type FetchImplementation } from "npm:jose@^6/jwks/remote";
import type { JWTVerifyGetKey } from "npm:jose@^6/jwt/verify";
import { FrameworkError } from "../../base/errors.ts";

/** Keys could not be had, which is not the fault of a token. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** How long after a failure the server is left alone, in milliseconds: each waiting request would ask it again. */
const restAfterFailure = 1000;

/**
 * Prepares a set of keys: fetched when first needed, kept for ten minutes, and fetched again, at most every thirty
 * seconds, when a token names a key that is not in it.
 *
 * @param address The URL of the set.
 * @returns The function that finds the key of a token.
 */
export function keySet(address: string | URL): JWTVerifyGetKey {
  const find = createRemoteJWKSet(checkURL(address), {
    cooldownDuration: 30_000,
    cacheMaxAge: 600_000,
    timeoutDuration: 5000,
    [customFetch]: fetchSet,
  });
  let restUntil = 0;
  let failure: unknown = undefined;
  return async function (header, token) {
    if (Date.now() < restUntil) throw new KeysUnavailable(`No keys from ${address}`, { cause: failure });
    try {
      return await find(header, token);
    } catch (error) {
      if (isOfToken(error)) throw error;
      restUntil = Date.now() + restAfterFailure;
      failure = error;
      throw new KeysUnavailable(`No keys from ${address}`, { cause: error });
    }
  };
}

/** Lets go of a response that the library does not read. */
const fetchSet: FetchImplementation = async function (url, options) {
  const response = await fetch(url, options);
  if (response.status !== 200) await response.body?.cancel();
  return response;
};

/** Reports whether the set was there, and only has no key for this token. */
function isOfToken(error: unknown): boolean {
  return [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported].some((kind) => error instanceof kind);
}

function checkURL(address: string | URL): URL {
  const url = URL.parse(address);
  const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url === null || url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) {
    throw new FrameworkError("FW_CONFIG", `Cannot fetch keys from "${address}": over plain HTTP all can change them`);
  }
  return url;
}
