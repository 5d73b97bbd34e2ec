/**
 * The statuses by which a response sends the client elsewhere.
 *
 * @module
 */

/** The statuses of redirects. */
export const redirectStatuses: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);
