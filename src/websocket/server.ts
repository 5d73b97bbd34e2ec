/**
 * The WebSocket server. It manages connections, namespaces and limits.
 *
 * @module
 */

import { isThenable } from "../async/thenable.ts";
import { exchangeOf } from "../context/context.ts";
import { FrameworkError } from "../errors/errors.ts";
import type { Measured, Meter } from "../exchange/meter.ts";
import { reportFailure } from "../exchange/report_failure.ts";
import type { Entry } from "../live/backplane.ts";
import type { Channel, Sink } from "../live/channel.ts";
import { innerHub } from "../live/hub.ts";
import type { RoomPresence } from "../live/presence.ts";
import { payloadOf } from "../live/topic.ts";
import type { Awaitable } from "../store/awaitable.ts";
import type { Conn, RoomEmitter } from "./conn.ts";
import { dispatch, type DispatchHost, endNamespace, ensure } from "./dispatch.ts";
import { drainLinks } from "./drain.ts";
import { inEventSpan } from "./event_span.ts";
import type { Link, LinkHost } from "./link.ts";
import { channelName, LiveConn, published } from "./live_conn.ts";
import { type EventHandler, Namespace } from "./namespace.ts";
import { type Options, type Settings, settingsOf } from "./options.ts";
import type { Packet } from "./packet.ts";
import { checkIdentity, renew } from "./renewal.ts";
import { SocketServer } from "./socket_server.ts";
import { Stats } from "./stats.ts";
import { Wheel } from "./wheel.ts";

/** The time by which a regular ping may be early, in milliseconds. Timers are not exact to the millisecond. */
const TOLERANCE_MS = 20;
/** The channel that servers on the same hub use to communicate. */
const CONTROL = "websocket:control";

/** The reason why a connection closed. */
export interface Ending {
  /** The close code, or 1006 if the connection was lost. */
  readonly Code: number;
  /** The close reason. */
  readonly Reason: string;
}

/** Returns the internal interface of a server. Set in the static block of {@linkcode Server}. */
export let innerServer: (server: Server) => InnerServer;

/** The internal interface of a server. */
export interface InnerServer extends LinkHost {
  readonly stats: Stats;
  readonly links: ReadonlySet<Link>;
  /** Returns the number of sockets from an address that the platform has not released yet. */
  countOf(address: string): number;
  add(link: Link): void;
  /** Closes all connections, spread over the remaining time. */
  readonly drain: (until: number) => Promise<void>;
  readonly meter: Meter;
  acceptsNative(): boolean;
  namespaces(): Iterable<Namespace>;
}

/**
 * A WebSocket server. It manages the connections of one or more routes.
 *
 * @example Handle events and reply to them
 * ```ts
 * import * as fw from "@fw/web";
 * import * as httptest from "@fw/web/httptest";
 * import * as websocket from "@fw/web/websocket";
 *
 * const server = websocket.New();
 * server.On("greet", (_conn, name) => `Hello ${name}`);
 * const app = fw.New();
 * app.Get("/ws", websocket.Handler(server));
 *
 * const socket = await httptest.New(app).WebSocket("/ws");
 * await socket.Ask("greet", "Ada"); // → "Hello Ada"
 * await socket.Close();
 * ```
 */
export class Server extends SocketServer {
  readonly #settings: Settings;
  readonly #namespaces = new Map<string, Namespace>();
  readonly #links = new Set<Link>();
  readonly #addresses = new Map<string, number>();
  readonly #stats = new Stats();
  readonly #wheel: Wheel<Link>;
  /** The connections whose identity expires. The expiry is checked once per second. */
  readonly #identities = new Wheel<Link>(1_000, checkIdentity);
  /** The connections whose sockets the platform has not released yet. A socket may outlive its connection. */
  readonly #held = new Set<Link>();
  readonly #onDisconnect: ((conn: Conn, ending: Ending) => unknown)[] = [];
  readonly #inner: InnerServer & DispatchHost = this.#innerSide();
  readonly #listening: Listening[] = [];

  /**
   * Created by {@linkcode New}.
   *
   * @param options The limits and the hub.
   */
  constructor(options: Options = {}) {
    super();
    this.#settings = settingsOf(options);
    this.#wheel = new Wheel(this.#settings.idleTimeout / 4, (link) => this.#visit(link));
    this.#namespaces.set("", new Namespace(""));
    options.Sessions?.OnDestroy?.((id) => this.#endSession(id));
  }

  /**
   * Returns a namespace. Creates it if it does not exist.
   *
   * @param name The namespace's name.
   * @returns The namespace.
   */
  Namespace(name: string): Namespace {
    let namespace = this.#namespaces.get(name);
    if (namespace === undefined) {
      if (/[\n,]/.test(name)) throw new FrameworkError("FW_ROUTE", `Cannot use "${name}" as a namespace name`);
      this.#namespaces.set(name, namespace = new Namespace(name));
    }
    return namespace;
  }

  /**
   * Registers an event handler in the default namespace.
   *
   * @param event The event name, or a constant such as {@linkcode OnRoomJoin}.
   * @param handler The handler. Its return value is the reply.
   * @returns This server, for chaining.
   */
  On(event: string, handler: EventHandler): this {
    this.Namespace("").On(event, handler);
    return this;
  }

  /**
   * Registers a handler for closed connections. It runs exactly once for each opened connection.
   *
   * @param handler The handler.
   * @returns This server, for chaining.
   */
  OnDisconnect(handler: (conn: Conn, ending: Ending) => unknown): this {
    this.#onDisconnect.push(handler);
    return this;
  }

  /**
   * Sends an event to all connections of a namespace, in all processes. The event is delivered at most once.
   *
   * @param except A connection to exclude, or `null`.
   * @param event The event name.
   * @param data The data, sent as JSON.
   * @param namespace The namespace. If omitted, the default namespace is used.
   * @returns A promise if the backplane is outside this process.
   */
  Broadcast(except: Conn | null, event: string, data?: unknown, namespace = ""): Awaitable<void> {
    const inner = innerHub(this.#settings.hub);
    const name = `websocket:all:${namespace}`;
    const payload = `${except?.ID ?? ""}\n${payloadOf(event, data)}`;
    return published(inner.publish(name, payload), name, inner.report);
  }

  /**
   * Returns an emitter for a room.
   *
   * @param room The room.
   * @param namespace The namespace. If omitted, the default namespace is used.
   * @returns The emitter.
   */
  To(room: string, namespace = ""): RoomEmitter {
    const inner = innerHub(this.#settings.hub);
    const name = channelName(namespace, room);
    const { rooms } = this.#settings;
    return {
      Emit(event, data) {
        if (rooms.History > 0 && inner.retention(name).History === 0) inner.retain(name, rooms);
        return published(inner.publish(name, payloadOf(event, data)), name, inner.report);
      },
    };
  }

  /**
   * Returns the presence of a room, across all processes. Requires the `Presence` option.
   *
   * @param room The room.
   * @param namespace The namespace. If omitted, the default namespace is used.
   * @returns The presence.
   */
  Presence(room: string, namespace = ""): RoomPresence {
    return this.#settings.hub.Presence(channelName(namespace, room));
  }

  /**
   * Closes all connections of a user in all processes (4403).
   *
   * @param user The user ID.
   * @returns A promise if the backplane is outside this process.
   */
  Disconnect(user: string): Awaitable<void> {
    const inner = innerHub(this.#settings.hub);
    return published(inner.publish(CONTROL, payloadOf("disconnect", user)), CONTROL, inner.report);
  }

  /**
   * Returns the number of open connections in this process.
   *
   * @returns The number of open connections.
   */
  Connections(): number {
    return this.#links.size;
  }

  /** Closes all connections immediately (1001). */
  override Close(): void {
    for (const link of this.#links) link.close(1001, "The server is shutting down");
  }

  #innerSide(): InnerServer & DispatchHost {
    // deno-lint-ignore no-this-alias
    const server = this;
    return {
      get settings() {
        return server.#settings;
      },
      get now() {
        return server.#wheel.now;
      },
      stats: this.#stats,
      links: this.#links,
      countOf: (address) => this.#addresses.get(address) ?? 0,
      add: (link) => this.#add(link),
      drain: (until) => drainLinks(this.#links, this.#held, until),
      meter: () => this.#measure(),
      acceptsNative: () => this.Namespace("").find("_OnNativeMessage") !== undefined,
      namespaces: () => this.#namespaces.values(),
      namespace: (name) => this.#namespaces.get(name),
      opened: (link) => this.#opened(link),
      handle: (link, packet) => this.#handle(link, packet),
      ended: (link, code, reason) => void this.#ended(link, code, reason),
      released: (link) => this.#released(link),
      renew: (link, token) => this.#renew(link, token),
      observe: inEventSpan,
      fail: (link, act, error) => this.#fail(link, act, error),
    };
  }

  #measure(): readonly Measured[] {
    let buffered = 0;
    for (const link of this.#links) buffered += link.buffered;
    return this.#stats.measured(this.#links.size, innerHub(this.#settings.hub).channels, buffered);
  }

  #add(link: Link): void {
    this.#listen();
    this.#links.add(link);
    this.#addresses.set(link.address, (this.#addresses.get(link.address) ?? 0) + 1);
    this.#held.add(link);
    link.idleSlot = this.#wheel.add(link);
    link.heardAt = this.#wheel.now;
    this.#watchIdentity(link);
    this.#stats.opened++;
  }

  #opened(link: Link): unknown {
    link.isOpen = true;
    link.pingedAt = link.heardAt;
    checkIdentity(link);
    link.send(link.codec.hello(link.id, this.#settings.idleTimeout));
    if (link.codec.pings !== "never") return undefined;
    try {
      const conn = ensure(this.#inner, link, "");
      return isThenable(conn) ? conn.then(undefined, (error) => this.#refuseNative(link, error)) : undefined;
    } catch (error) {
      return this.#refuseNative(link, error);
    }
  }

  #refuseNative(link: Link, error: unknown): void {
    this.#fail(link, "Cannot connect a client:", error);
    link.close(1008, "The connection was refused");
  }

  #handle(link: Link, packet: Packet): unknown {
    this.#stats.received++;
    return dispatch(this.#inner, link, packet);
  }

  async #ended(link: Link, code: number, reason: string): Promise<void> {
    this.#links.delete(link);
    this.#wheel.remove(link.idleSlot, link);
    this.#identities.remove(link.identitySlot, link);
    this.#stats.closed++;
    if (code === 1013) this.#stats.slow++;
    if (this.#links.size === 0) this.#unlisten();
    if (!link.isOpen) return this.#released(link);
    const parts = link.parts as LiveConn[];
    link.parts = [];
    // The member must be removed from its rooms before its handlers run, so that other connections no longer see it.
    const rooms = parts.map((part) => part.leaveAll());
    await link.idle();
    for (const [at, part] of parts.entries()) await endNamespace(this.#inner, link, part, rooms[at] ?? []);
    const conn = parts.find((part) => part.Namespace === "") ?? new LiveConn(link, "");
    for (const handler of this.#onDisconnect) {
      try {
        await handler(conn, { Code: code, Reason: reason });
      } catch (error) {
        this.#fail(link, "Cannot handle a disconnection:", error);
      }
    }
  }

  #released(link: Link): void {
    if (!this.#held.delete(link)) return;
    const count = this.#addresses.get(link.address) ?? 0;
    if (count > 1) this.#addresses.set(link.address, count - 1);
    else this.#addresses.delete(link.address);
  }

  #fail(link: Link, act: string, error: unknown): void {
    this.#stats.failed++;
    reportFailure(exchangeOf(link.ctx), error, act.replace(/:$/, ""));
  }

  /** Checks a connection for inactivity and for an expiring identity. */
  #visit(link: Link): void {
    const { idleTimeout } = this.#settings;
    const { pings } = link.codec;
    if (pings === "never" && link.isOpen) return;
    // Uses the clock of received messages. Otherwise, a pong could seem older than its ping.
    const { now } = this.#wheel;
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

  async #renew(link: Link, token: string): Promise<number> {
    const left = await renew(link, token);
    if (!link.isEnded) this.#watchIdentity(link);
    return left;
  }

  #watchIdentity(link: Link): void {
    if (Number.isFinite(link.expiresAt) && link.identitySlot < 0) link.identitySlot = this.#identities.add(link);
  }

  #endSession(id: string): Awaitable<void> {
    const inner = innerHub(this.#settings.hub);
    return published(inner.publish(CONTROL, payloadOf("session", id)), CONTROL, inner.report);
  }

  #listen(): void {
    if (this.#listening.length > 0) return;
    const inner = innerHub(this.#settings.hub);
    const control = new Listening(inner.channel(CONTROL), (payload) => this.#obey(payload));
    const all = Array.from(
      this.#namespaces.keys(),
      (name) => new Listening(inner.channel(`websocket:all:${name}`), (payload) => this.#spread(name, payload)),
    );
    this.#listening.push(control, ...all);
    for (const each of this.#listening) {
      Promise.try(() => each.channel.add(each)).catch((error) => inner.report("Cannot listen to the hub:", error));
    }
  }

  #unlisten(): void {
    const inner = innerHub(this.#settings.hub);
    for (const each of this.#listening.splice(0)) inner.leave(each.channel, each);
  }

  #obey(payload: string): void {
    const [act, value] = JSON.parse(`[${payload}]`);
    if (act !== "disconnect" && act !== "session") return;
    for (const link of this.#links) {
      const isMeant = act === "disconnect" ? link.user?.ID === value : link.sessionID === value;
      if (isMeant) act === "disconnect" ? link.close(4403, "Disconnected") : link.close(4401, "The session has ended");
    }
  }

  #spread(namespace: string, payload: string): void {
    const border = payload.indexOf("\n");
    const except = payload.slice(0, border);
    const [event, data] = JSON.parse(`[${payload.slice(border + 1)}]`);
    const texts = new Map();
    for (const link of this.#links) {
      if (link.id === except || !link.parts.some((part) => part.Namespace === namespace)) continue;
      let text = texts.get(link.codec);
      if (text === undefined) texts.set(link.codec, text = link.codec.event(0, namespace, event, data));
      link.sendLatest(text, event);
    }
  }

  static {
    innerServer = (server) => server.#inner;
  }
}

/** Receives a channel's messages on behalf of the server. */
class Listening implements Sink {
  readonly channel: Channel;
  readonly isOpen = true;
  readonly #take: (payload: string) => void;

  constructor(channel: Channel, take: (payload: string) => void) {
    this.channel = channel;
    this.#take = take;
  }

  deliver(_channel: Channel, entry: Entry): void {
    this.#take(entry.Payload);
  }

  skip(): void {
    // Broadcasts are delivered at most once, so gaps are ignored.
  }
}

/**
 * Creates a WebSocket server.
 *
 * @param options The limits and the hub.
 * @returns The server. Use {@linkcode Handler} to serve it on a route.
 */
export function New(options: Options = {}): Server {
  return new Server(options);
}
