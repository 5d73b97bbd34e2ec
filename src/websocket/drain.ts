/**
 * Closes all connections during a graceful shutdown. Clients are notified, and the connections are closed gradually.
 *
 * @module
 */

import type { Link } from "./link.ts";

/** The number of connections to close at the same time, followed by the pause between batches in milliseconds. */
const BATCH = 100;
const PAUSE_MS = 20;
/** The share of the remaining time to spend on closing. The rest is left for clients to respond. */
const SHARE = 0.6;
/** The delay before clients reconnect, per connection, and its limits, in milliseconds. */
const PER_LINK_MS = 2;
const LEAST_MS = 500;
const MOST_MS = 30_000;
const LOOK_MS = 10;

/**
 * Closes connections with code 1012.
 *
 * @param links The open connections.
 * @param areHeld Reports whether there are connections that the platform has not released yet.
 * @param until The deadline, as a `performance.now()` timestamp.
 */
export async function drainLinks(links: readonly Link[], areHeld: () => boolean, until: number): Promise<void> {
  const spread = Math.min(MOST_MS, Math.max(LEAST_MS, links.length * PER_LINK_MS));
  for (const link of links) link.send(link.codec.away(Math.round(Math.random() * spread)));
  const end = performance.now() + (until - performance.now()) * SHARE;
  const batches = Math.ceil(links.length / BATCH);
  const pause = Math.min(PAUSE_MS, (end - performance.now()) / Math.max(1, batches));
  let closing: Promise<void>[] = [];
  for (const link of links) {
    closing.push(closeWhole(link, end));
    if (closing.length % BATCH !== 0) continue;
    await Promise.all([Promise.all(closing), sleep(pause)]);
    closing = [];
  }
  await Promise.all(closing);
  // Deno would cut off a closing handshake that is still in flight. A stalled reader never completes the handshake, so
  // the waiting time is limited.
  while (areHeld() && performance.now() < end) await sleep(LOOK_MS);
}

/** Closes a connection after its handler has finished and all its messages have been handed to the platform. */
async function closeWhole(link: Link, end: number): Promise<void> {
  while (!link.isEnded && (link.isBusy || !link.isFlushed) && performance.now() < end) await sleep(LOOK_MS);
  link.close(1012, "The server is restarting");
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
