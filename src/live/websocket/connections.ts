/**
 * The connections of a server, from the handshake until the platform has released their sockets.
 *
 * @module
 */

import { sleep } from "../../http/server/wait.ts";
import { Wheel } from "../../base/async/wheel.ts";
import { exchangeOf } from "../../core/context/context.ts";
import type { Measured, Meter } from "../../core/exchange/meter.ts";
import type { StoppingApp } from "../../core/exchange/peer/outer_call.ts";
import { reportFailure } from "../../core/exchange/report_failure.ts";
import { innerHub } from "../hub/hub.ts";
import type { Conn, ConnServer, Ending } from "./conn.ts";
import { dispatch, endNamespace, ensure } from "./dispatch.ts";
import { HubMessages } from "./hub_messages.ts";
import type { Link, LinkHost } from "./link.ts";
import { LiveConn } from "./live_conn.ts";
import { DynamicNamespaces, Namespace } from "./namespace.ts";
import type { Settings } from "./options.ts";
import { checkIdentity } from "./renewal.ts";
import { Stats } from "./telemetry/stats.ts";
import type { Packet } from "./wire/packet.ts";

/** The maximum number of connections and rooms on the development pages. */
const MOST_SHOWN = 200;

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
function checkHeartbeat(link: Link, now: number, idleTimeout: number): void {
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
async function drainLinks(links: readonly Link[], areHeld: () => boolean, until: number): Promise<void> {
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

/** A handler for closed connections. */
export type DisconnectHandler = (conn: Conn, ending: Ending) => unknown;

/** The connections of a server. */
export class Connections implements LinkHost {
  readonly settings: Settings;
  readonly server: ConnServer;
  readonly stats: Stats = new Stats();
  readonly namespaces: Map<string, Namespace> = new Map([["", new Namespace("")]]);
  readonly dynamic: DynamicNamespaces = new DynamicNamespaces();
  readonly disconnectHandlers: DisconnectHandler[] = [];
  readonly hubMessages: HubMessages;
  /** Reads the metrics. Registered once per application. */
  readonly meter: Meter = this.#measure.bind(this);
  readonly #drains = new WeakMap<StoppingApp, (until: number) => Promise<void>>();
  readonly #links = new Set<Link>();
  /** The connections whose sockets the platform has not released yet. A socket may outlive its connection. */
  readonly #held = new Set<Link>();
  /** The number of held connections per client address. */
  readonly #addresses = new Map<string, number>();
  readonly #heartbeats: Wheel<Link>;
  /** The connections whose identity expires. The expiry is checked once per second. */
  readonly #identities = new Wheel<Link>(1_000, checkIdentity);

  constructor(server: ConnServer, settings: Settings) {
    this.server = server;
    this.settings = settings;
    this.hubMessages = new HubMessages(settings, this.#links);
    const { IdleTimeout: idleTimeout } = settings;
    this.#heartbeats = new Wheel(idleTimeout / 4, (link) => checkHeartbeat(link, this.now, idleTimeout));
    settings.Sessions?.OnDestroy?.((id) => this.hubMessages.close("session", id));
    settings.Sessions?.OnRegenerate?.((id) => this.hubMessages.close("renamed", id));
  }

  /** Returns the number of open connections. */
  get count(): number {
    return this.#links.size;
  }

  /** Returns the open connections to a namespace. */
  connsOf(namespace: string): Conn[] {
    return this.#conns.filter((conn) => conn.Namespace === namespace);
  }

  /** Returns the connections and rooms of this process, for the development pages. */
  shown(): unknown {
    const conns = this.#conns;
    const rooms = Map.groupBy(
      conns.flatMap((conn) => conn.Rooms().map((room) => ({ room, conn }))),
      ({ room, conn }) => `${conn.Namespace === "" ? "" : `${conn.Namespace}: `}${room}`,
    );
    return {
      Connections: conns.slice(0, MOST_SHOWN).map((conn) => ({
        Connection: conn.ID,
        Namespace: conn.Namespace,
        User: conn.User()?.ID ?? "",
        Rooms: conn.Rooms().join(", "),
      })),
      Rooms: [...rooms].slice(0, MOST_SHOWN).map(([Room, members]) => ({ Room, Connections: members.length })),
    };
  }

  /** Returns the time of the heartbeat clock, in milliseconds. */
  get now(): number {
    return this.#heartbeats.now;
  }

  /** Returns the number of sockets from an address that the platform has not released yet. */
  countOf(address: string): number {
    return this.#addresses.get(address) ?? 0;
  }

  /** Closes all connections immediately. */
  close(): void {
    for (const link of this.#links) link.close(1001, "The server is shutting down");
  }

  /**
   * Starts receiving messages from other processes. A connection must be added afterwards. Otherwise, it would miss a
   * message to disconnect its user.
   *
   * @returns A promise if the handshake has to wait.
   */
  listen(): Promise<void> | undefined {
    return this.hubMessages.listen();
  }

  /** Stops receiving messages from other processes if there are no connections. */
  unlistenIfUnused(): void {
    if (this.#links.size === 0) this.hubMessages.unlisten();
  }

  /**
   * Returns the function that closes the connections of an application, spread over the time until a deadline. Several
   * applications may share a server. The same application always gets the same function.
   */
  drainOf(app: StoppingApp): (until: number) => Promise<void> {
    let drain = this.#drains.get(app);
    if (drain === undefined) this.#drains.set(app, drain = (until) => this.#drain(app, until));
    return drain;
  }

  /** Adds a connection whose handshake was accepted. */
  add(link: Link): void {
    this.#links.add(link);
    // The last connection may have closed while the handshake was waiting.
    void this.listen();
    this.#held.add(link);
    this.#addresses.set(link.address, this.countOf(link.address) + 1);
    link.idleSlot = this.#heartbeats.add(link);
    link.heardAt = this.now;
    this.watchIdentity(link);
    this.stats.opened++;
  }

  opened(link: Link): unknown {
    link.isOpen = true;
    link.pingedAt = link.heardAt;
    checkIdentity(link);
    link.send(link.codec.hello(link.id, this.settings.IdleTimeout));
    // Clients without a subprotocol cannot send a packet to connect to the default namespace.
    return link.codec.pings === "never" ? this.#connectNative(link) : undefined;
  }

  async #connectNative(link: Link): Promise<void> {
    try {
      await ensure(link, "");
    } catch (error) {
      this.fail(link, "Cannot connect a client:", error);
      link.close(1008, "The connection was refused");
    }
  }

  handle(link: Link, packet: Packet): unknown {
    this.stats.received++;
    return dispatch(link, packet);
  }

  async ended(link: Link, code: number, reason: string): Promise<void> {
    this.#links.delete(link);
    this.#heartbeats.remove(link.idleSlot, link);
    this.#identities.remove(link.identitySlot, link);
    link.forgetSession?.();
    this.stats.closed++;
    if (code === 1013) this.stats.slow++;
    this.unlistenIfUnused();
    if (!link.isOpen) return this.released(link);
    const parts = link.parts as LiveConn[];
    link.parts = [];
    // The member must be removed from its rooms before its handlers run, so that other connections no longer see it.
    const rooms = parts.map((part) => part.leaveAll());
    // A handler may be waiting for the client, so its signal must be aborted before fw waits for the handler.
    link.leave();
    await link.idle();
    // The connection may have been closed by another user's request or by a timer.
    await link.context.run(() => this.#reportEnd(link, parts, rooms, { Code: code, Reason: reason }));
  }

  /** Calls the handlers for the end of a connection. */
  async #reportEnd(link: Link, parts: LiveConn[], rooms: string[][], ending: Ending): Promise<void> {
    for (const [at, part] of parts.entries()) await endNamespace(link, part, rooms[at] ?? []);
    const conn = parts.find((part) => part.Namespace === "") ?? new LiveConn(link, "");
    // A handler that never ends must not keep the others from running.
    await Promise.all(
      this.disconnectHandlers.map((handler) =>
        Promise.try(handler, conn, ending).catch((error) => this.fail(link, "Cannot handle a disconnection:", error))
      ),
    );
  }

  released(link: Link): void {
    if (!this.#held.delete(link)) return;
    const count = this.countOf(link.address) - 1;
    if (count > 0) this.#addresses.set(link.address, count);
    else this.#addresses.delete(link.address);
  }

  namespace(name: string): Namespace | undefined {
    return this.namespaces.get(name) ?? this.dynamic.find(name);
  }

  fail(link: Link, act: string, error: unknown): void {
    this.stats.failed++;
    reportFailure(exchangeOf(link.ctx), error, act.replace(/:$/, ""));
  }

  /** Watches the identity of a connection if it expires. */
  watchIdentity(link: Link): void {
    if (Number.isFinite(link.expiresAt) && link.identitySlot < 0) link.identitySlot = this.#identities.add(link);
  }

  async #drain(app: StoppingApp, until: number): Promise<void> {
    const served = (links: Iterable<Link>) => Iterator.from(links).filter((link) => link.isServedBy(app));
    await drainLinks([...served(this.#links)], () => served(this.#held).some(() => true), until);
  }

  get #conns(): Conn[] {
    return [...this.#links].flatMap((link) => link.parts);
  }

  #measure(): readonly Measured[] {
    let buffered = 0;
    for (const link of this.#links) buffered += link.buffered;
    return this.stats.measured(this.#links.size, innerHub(this.settings.Hub).channels, buffered);
  }
}
