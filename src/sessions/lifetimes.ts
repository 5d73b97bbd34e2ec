/**
 * How long sessions and their cookies live.
 *
 * @module
 */

const day = 86_400_000;

/** Browsers forget every cookie after 400 days: the longest life that a session that is not visited can have. */
const unlimited = 400 * day;
/** How long the store keeps a session whose cookie ends with the browser, of which the server is not told. */
const unattended = 30 * day;

/** An `Expires` setting, as the store counts: milliseconds from now. */
export function storeLifetime(expires: number): number {
  if (expires > 0) return expires;
  return expires === 0 ? unlimited : unattended;
}

/** Returns a cookie's lifetime, in milliseconds of whole seconds; `undefined` if it ends with the browser session. */
export function cookieLifetime(expires: number): number | undefined {
  return expires < 0 ? undefined : Math.ceil(storeLifetime(expires) / 1000) * 1000;
}

/**
 * Reports whether a visit renews the session. A rolling one is renewed when a hundredth of its life is gone, so that a
 * page with forty pictures writes once; one without a set end when half of it is; another never.
 */
export function isRenewalDue(expires: number, isRolling: boolean, remaining: number): boolean {
  if (expires > 0 && !isRolling) return false;
  const lifetime = storeLifetime(expires);
  return lifetime - remaining >= lifetime * (isRolling ? 0.01 : 0.5);
}

/** Reports whether a number can be an `Expires` setting. */
export function isExpires(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= -1;
}
