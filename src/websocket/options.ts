/**
 * WebSocket server options and their defaults.
 *
 * @module
 */

import { checkOptions, type OptionRules } from "../config/check_options.ts";
import type { Context } from "../context/context.ts";
import { FrameworkError } from "../errors/errors.ts";
import { innerHub } from "../live/hub.ts";
import { DefaultHub, type Hub } from "../live/mod.ts";
import { originTest } from "../middleware/origins.ts";
import type { Session } from "../sessions/session.ts";
import { checkRate, type Pace, paceOf, type Rate } from "../store/rate.ts";
import type { Conn } from "./conn.ts";

/** A source of sessions, such as a manager from `@fw/web/sessions`. */
export interface SessionSource {
  /**
   * Returns the session that was started during the handshake.
   *
   * @param ctx The handshake's context.
   * @returns The session, or `null` if there is none.
   */
  Get(ctx: Context): Session | null;
  /**
   * Registers a listener for destroyed sessions.
   *
   * @param listener Called with the session ID.
   */
  OnDestroy?(listener: (id: string) => void | Promise<void>): void;
  /**
   * Registers a listener for sessions that get another ID.
   *
   * @param listener Called with the old session ID.
   */
  OnRegenerate?(listener: (id: string) => void | Promise<void>): void;
}

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The origins that may connect: `"self"`, `"*"`, `https://shop.example` or `https://*.shop.example`. Clients other
   * than browsers do not send an origin and are always allowed.
   *
   * @default {["self"]}
   */
  readonly Origins?: readonly string[];
  /**
   * The maximum size of a received message, in bytes, including all fragments. Larger messages close the connection
   * (1009).
   *
   * @default {65536}
   */
  readonly MaxMessage?: number;
  /**
   * The maximum number of unsent bytes per connection.
   *
   * @default {1048576}
   */
  readonly MaxBuffered?: number;
  /**
   * The policy for clients that exceed `MaxBuffered`. `"close"` closes the connection (1013), so that the client
   * reconnects and resumes. `"latest"` skips to the latest message of each event and reports the gap.
   *
   * @default {"close"}
   */
  readonly Slow?: "close" | "latest";
  /** The maximum rate of received messages per connection. If exceeded, the connection is closed (1008). */
  readonly Rate?: Rate;
  /**
   * The time after which a silent client is disconnected, in milliseconds. It is pinged after half of this time.
   *
   * @default {60000}
   */
  readonly IdleTimeout?: number;
  /**
   * The maximum number of connections. Further handshakes are rejected with 503.
   *
   * @default {100000}
   */
  readonly MaxConnections?: number;
  /**
   * The maximum number of connections per client address, or per /64 network for IPv6. Further handshakes are rejected
   * with 429.
   *
   * @default {1000}
   */
  readonly MaxPerAddress?: number;
  /**
   * The maximum number of queued messages per connection. If exceeded, the connection is closed (1008).
   *
   * @default {64}
   */
  readonly MaxQueued?: number;
  /**
   * The maximum number of rooms that a connection may join in a namespace. Further joins are refused (429).
   *
   * @default {1000}
   */
  readonly MaxRooms?: number;
  /**
   * The maximum number of stored messages that a client receives when it joins a room with `Rewind`. If it asks for
   * more, it receives this number.
   *
   * @default {100}
   */
  readonly MaxRewind?: number;
  /**
   * The timeout of `Ask`, in milliseconds.
   *
   * @default {10000}
   */
  readonly AskTimeout?: number;
  /** Additional subprotocols. Their messages are passed to `OnNativeMessage` unchanged. */
  readonly Protocols?: readonly string[];
  /**
   * The hub that connects rooms across processes. Servers that share a hub also share its rooms and topics. Defaults to
   * `live.DefaultHub()`, which is local to this process and shared by all of its servers.
   */
  readonly Hub?: Hub;
  /**
   * The name that identifies the server on the hub. Servers with the same name are the same server in several
   * processes: they share broadcasts, `ToUser`, `Disconnect`, presence and the keys of repeated events. Defaults to a
   * number, in the order in which the servers of a hub are created. Set a name if the processes of an application
   * create different servers, or if several applications share a backplane.
   */
  readonly Name?: string;
  /** The retention of room messages, unless a topic overrides it. If omitted, no messages are stored. */
  readonly Rooms?: { readonly History: number; readonly For?: number };
  /**
   * Whether to track the members of rooms. `true` exposes the user's ID and name. A function returns the information to
   * expose.
   */
  readonly Presence?: boolean | ((conn: Conn) => unknown);
  /** The session manager used by the handshake, for `conn.Session()`. */
  readonly Sessions?: SessionSource;
  /** Returns the time when a connection's identity expires. Defaults to the `exp` claim of the user's token. */
  readonly Expires?: (ctx: Context) => Date | undefined;
}

/** Server options with all defaults applied. */
export interface Settings {
  readonly isOrigin: (origin: string) => boolean;
  readonly allowsSelf: boolean;
  readonly maxMessage: number;
  readonly maxBuffered: number;
  readonly skipsSlow: boolean;
  readonly pace: Pace | undefined;
  readonly idleTimeout: number;
  readonly maxConnections: number;
  readonly maxPerAddress: number;
  readonly maxQueued: number;
  readonly maxRooms: number;
  readonly maxRewind: number;
  readonly askTimeout: number;
  readonly protocols: readonly string[];
  readonly hub: Hub;
  readonly name: string;
  readonly rooms: { readonly History: number; readonly For: number };
  readonly presence: ((conn: Conn) => unknown) | undefined;
  readonly sessions: SessionSource | undefined;
  readonly expires: (ctx: Context) => Date | undefined;
}

/** The longest time, in milliseconds. It is close to the limit of timers and can be extended by a quarter. */
export const LONGEST_MS: number = 2 ** 30;

const optionRules: OptionRules<Options> = {
  Origins: "strings",
  MaxMessage: "number",
  MaxBuffered: "number",
  Slow: { oneOf: ["close", "latest"] },
  Rate: "object",
  IdleTimeout: "number",
  MaxConnections: "number",
  MaxPerAddress: "number",
  MaxQueued: "number",
  MaxRooms: "number",
  MaxRewind: "number",
  AskTimeout: "number",
  Protocols: "strings",
  Hub: { methods: ["Topic", "Presence"] },
  Name: "string",
  Rooms: "object",
  Presence: ["boolean", "function"],
  Sessions: { methods: ["Get"] },
  Expires: "function",
};

/** Applies the defaults and rejects invalid values. */
export function settingsOf(options: Options): Settings {
  checkOptions("websocket", options, optionRules);
  checkOptions("Rooms", options.Rooms ?? {}, { History: "number", For: "number" });
  const { Origins = ["self"], Rate: rate, Presence } = options;
  const hub = options.Hub ?? DefaultHub();
  const listed = Origins.filter((origin) => origin !== "self" && origin !== "*");
  return {
    isOrigin: Origins.includes("*") ? () => true : originTest(listed),
    allowsSelf: Origins.includes("self"),
    maxMessage: count("MaxMessage", options.MaxMessage ?? 64 << 10),
    maxBuffered: count("MaxBuffered", options.MaxBuffered ?? 1 << 20),
    skipsSlow: options.Slow === "latest",
    pace: rate === undefined ? undefined : paceOf(checkRate(rate)),
    idleTimeout: duration("IdleTimeout", options.IdleTimeout ?? 60_000),
    maxConnections: count("MaxConnections", options.MaxConnections ?? 100_000),
    maxPerAddress: count("MaxPerAddress", options.MaxPerAddress ?? 1_000),
    maxQueued: count("MaxQueued", options.MaxQueued ?? 64),
    askTimeout: duration("AskTimeout", options.AskTimeout ?? 10_000),
    protocols: checkProtocols(options.Protocols ?? []),
    maxRooms: count("MaxRooms", options.MaxRooms ?? 1_000),
    maxRewind: count("MaxRewind", options.MaxRewind ?? 100),
    hub,
    name: options.Name ?? String(innerHub(hub).nextServer()),
    rooms: { History: options.Rooms?.History ?? 0, For: options.Rooms?.For ?? 3_600_000 },
    presence: Presence === true ? shownUser : Presence === false ? undefined : Presence,
    sessions: options.Sessions,
    expires: options.Expires ?? tokenExpiry,
  };
}

/** Validates a time. A longer one than a timer supports is reduced, because such a timer would fire immediately. */
function duration(name: string, value: number): number {
  return Math.min(count(name, value), LONGEST_MS);
}

function checkProtocols(names: readonly string[]): readonly string[] {
  const wrong = names.find((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name));
  if (wrong === undefined) return names;
  throw new FrameworkError("FW_CONFIG", `Cannot use "${wrong}" as a subprotocol: it must be a token without spaces`);
}

function count(name: string, value: number): number {
  if (value > 0 && (value === Infinity || Number.isSafeInteger(value))) return value;
  throw new FrameworkError("FW_CONFIG", `Cannot use "${value}" as ${name}: it must be a positive integer`);
}

function shownUser(conn: Conn): unknown {
  const user = conn.User();
  return user === undefined ? {} : { ID: user.ID, Name: user.Name };
}

function tokenExpiry(ctx: Context): Date | undefined {
  const exp = ctx.User()?.Claims?.["exp"];
  return typeof exp === "number" ? new Date(exp * 1000) : undefined;
}
