/**
 * WebSocket server options and their defaults.
 *
 * @module
 */

import {
  bytes,
  count,
  either,
  filled,
  flag,
  func,
  group,
  methods,
  milliseconds,
  oneOf,
  type Range,
  required,
  texts,
} from "../../base/config/option_kinds.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import type { Context } from "../../core/context/context.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { innerHub } from "../hub/hub.ts";
import { DefaultHub, type Hub } from "../hub/mod.ts";
import type { Session } from "../../state/sessions/session.ts";
import { checkRate, type Pace, paceOf, type Rate } from "../../state/store/rate.ts";
import type { Conn } from "./conn.ts";
import { type OriginRule, originRule } from "../../middleware/handshake.ts";

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
  OnDestroy?(listener: (id: string) => unknown): void;
  /**
   * Registers a listener for sessions that get another ID.
   *
   * @param listener Called with the old session ID.
   */
  OnRegenerate?(listener: (id: string) => unknown): void;
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
   * The time after which a silent client is disconnected, in milliseconds. The client is pinged after half of this
   * time.
   *
   * @default {60000}
   */
  readonly IdleTimeout?: number;
  /**
   * The maximum number of connections. Additional handshakes are rejected with 503.
   *
   * @default {100000}
   */
  readonly MaxConnections?: number;
  /**
   * The maximum number of connections per client address, or per /64 network for IPv6. Additional handshakes are
   * rejected with 429.
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
   * The maximum number of rooms that a connection may join in a namespace. Additional joins are rejected (429).
   *
   * @default {1000}
   */
  readonly MaxRooms?: number;
  /**
   * The maximum number of stored messages that a client receives when it joins a room with `Rewind`. If the client
   * requests more, it receives this many.
   *
   * @default {100}
   */
  readonly MaxRewind?: number;
  /**
   * The timeout for `Ask`, in milliseconds.
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
   * The name that identifies the server on the hub. Servers with the same name in different processes act as one
   * server: they share broadcasts, `ToUser`, `Disconnect`, presence and the keys of resent events. Set a name if an
   * application's processes create different servers, or if several applications share a backplane. Defaults to a
   * number that reflects the order in which a hub's servers are created.
   */
  readonly Name?: string;
  /** The retention settings for room messages, unless a topic overrides them. If omitted, no messages are stored. */
  readonly Rooms?: { readonly History: number; readonly For?: number };
  /**
   * Whether to track room members. `true` exposes the user's ID and name. A function returns the information to
   * expose.
   *
   * @default {false}
   */
  readonly Presence?: boolean | ((conn: Conn) => unknown);
  /** The session manager used by the handshake, for `conn.Session()`. */
  readonly Sessions?: SessionSource;
  /** Returns the time when a connection's identity expires. Defaults to the `exp` claim in the user's token. */
  readonly Expires?: (ctx: Context) => Date | undefined;
}

/** Server options with all defaults applied. */
export interface Settings extends Filled<Omit<Options, "Presence" | "Rooms">, "Rate" | "Sessions">, OriginRule {
  readonly Rooms: Required<NonNullable<Options["Rooms"]>>;
  readonly Presence: ((conn: Conn) => unknown) | undefined;
  readonly pace: Pace | undefined;
}

/** The longest time, in milliseconds. It is close to the limit of timers and can be extended by a quarter. */
export const LONGEST_MS: number = 2 ** 30;

/** The range of limits, which can be turned off with `Infinity`. */
const limit: Range = { from: 1, to: Infinity, isWhole: true };

const table = optionTable<Options>("websocket.Options", "websocket")({
  Origins: texts(["self"]),
  MaxMessage: bytes(64 << 10, limit),
  MaxBuffered: bytes(1 << 20, limit),
  Slow: oneOf("close", "close", "latest"),
  Rate: group({
    Limit: required(count()),
    Period: required(milliseconds(undefined, { isPositive: true })),
    Burst: count(),
  }),
  IdleTimeout: milliseconds(60_000, limit),
  MaxConnections: count(100_000, limit),
  MaxPerAddress: count(1_000, limit),
  MaxQueued: count(64, limit),
  MaxRooms: count(1_000, limit),
  MaxRewind: count(100, limit),
  AskTimeout: milliseconds(10_000, limit),
  Protocols: texts([]),
  Hub: methods("Topic", "Presence"),
  Name: filled(),
  Rooms: group({
    History: required(count(undefined, { from: 0 })),
    For: milliseconds(3_600_000, { isPositive: true }),
  }),
  Presence: either(false, flag(), func()),
  Sessions: methods("Get"),
  Expires: func(tokenExpiry),
});

/** Applies the defaults and rejects invalid values. */
export function settingsOf(options: Options): Settings {
  const settings = readOptions(table, options);
  const { Origins, Rate, Presence, IdleTimeout, AskTimeout, Protocols, Hub = DefaultHub(), Rooms } = settings;
  return {
    ...settings,
    // A longer time than a timer supports is reduced, because such a timer would fire immediately.
    IdleTimeout: Math.min(IdleTimeout, LONGEST_MS),
    AskTimeout: Math.min(AskTimeout, LONGEST_MS),
    Protocols: checkProtocols(Protocols),
    Hub,
    Name: settings.Name ?? String(innerHub(Hub).nextServer()),
    Rooms: { History: 0, For: 3_600_000, ...Rooms },
    Presence: Presence === true ? shownUser : Presence || undefined,
    ...originRule(Origins),
    pace: Rate === undefined ? undefined : paceOf(checkRate(Rate)),
  };
}

function checkProtocols(names: readonly string[]): readonly string[] {
  const wrong = names.find((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name));
  if (wrong === undefined) return names;
  throw new FrameworkError("FW_CONFIG", `Cannot use "${wrong}" as a subprotocol: it must be a token without spaces`);
}

function shownUser(conn: Conn): unknown {
  const user = conn.User();
  return user === undefined ? {} : { ID: user.ID, Name: user.Name };
}

function tokenExpiry(ctx: Context): Date | undefined {
  const exp = ctx.User()?.Claims?.["exp"];
  return typeof exp === "number" ? new Date(exp * 1000) : undefined;
}
