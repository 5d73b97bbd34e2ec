/**
 * The lifetimes of sessions and cookies.
 *
 * @module
 */

const day = 86_400_000;

/** Browsers delete cookies after 400 days, which limits the lifetime of an unused session. */
const unlimited = 400 * day;
/**
 * The time for which the store keeps a session whose cookie ends with the browser session. The server cannot detect
 * when that happens.
 */
const unattended = 30 * day;

/** Converts an `Expires` setting to a store lifetime, in milliseconds. */
export function storeLifetime(expires: number): number {
  if (expires > 0) return expires;
  return expires === 0 ? unlimited : unattended;
}

/** Returns the cookie lifetime in milliseconds, rounded up to whole seconds, or `undefined` for a browser session. */
export function cookieLifetime(expires: number): number | undefined {
  return expires < 0 ? undefined : Math.ceil(storeLifetime(expires) / 1000) * 1000;
}

/**
 * Reports whether a request renews the session. A rolling session is renewed after one percent of its lifetime, so that
 * a page with forty images causes only one write. A session without a fixed end is renewed after half of its lifetime.
 * Other sessions are never renewed.
 */
export function isRenewalDue(expires: number, isRolling: boolean, remaining: number): boolean {
  if (expires > 0 && !isRolling) return false;
  const lifetime = storeLifetime(expires);
  return lifetime - remaining >= lifetime * (isRolling ? 0.01 : 0.5);
}

/** Reports whether a value is a valid `Expires` setting. */
export function isExpires(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= -1;
}
