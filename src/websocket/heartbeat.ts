/**
 * Pings clients, and disconnects those that no longer respond.
 *
 * @module
 */

import type { Link } from "./link.ts";

/** The time by which a regular ping may be early, in milliseconds. Timers are not exact to the millisecond. */
const TOLERANCE_MS = 20;

/**
 * Checks whether a connection must be pinged or closed.
 *
 * @param link The connection.
 * @param now The time on the clock that also timestamps received messages. With another clock, a pong could seem older
 * than its ping.
 * @param idleTimeout The time after which a silent client is disconnected, in milliseconds.
 */
export function checkHeartbeat(link: Link, now: number, idleTimeout: number): void {
  const { pings } = link.codec;
  if (pings === "never" && link.isOpen) return;
  const silence = now - link.heardAt;
  const isPinged = link.pingedAt > link.heardAt;
  // In a busy process, this check may run late. A client must have had time to respond before it is disconnected.
  if (silence >= idleTimeout && (isPinged && now - link.pingedAt >= idleTimeout / 4 || !link.isOpen)) {
    return link.close(1001, "The client timed out");
  }
  const isDue = pings === "always" ? now - link.pingedAt >= idleTimeout / 2 - TOLERANCE_MS : !isPinged;
  if (!isDue || pings === "idle" && silence < idleTimeout / 2) return;
  link.pingedAt = now;
  link.send(link.codec.ping());
}
