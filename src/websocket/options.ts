/**
 * The options of a WebSocket server and their defaults.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { Context } from "../context/context.ts";
import { DefaultHub, type Hub } from "../live/mod.ts";
import { originTest } from "../middleware/origins.ts";
import type { Session } from "../sessions/session.ts";
import { checkRate, type Pace, paceOf, type Rate } from "../store/rate.ts";
import type { Conn } from "./conn.ts";

/** Finds the session of a handshake; a manager of `@fw/web/sessions` does. */
export interface SessionSource {
  /**
   * Returns the session that the handshake has started.
   *
   * @param ctx The handshake.
   * @returns The session, or `null`.
   */
  Get(ctx: Context): Session | null;
  /**
   * Has a function called whenever a session is destroyed.
   *
   * @param listener What is called with the id.
   */
  OnDestroy?(listener: (id: string) => void | Promise<void>): void;
}

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The origins whose pages may connect: `"self"`, `"*"`, `https://shop.example` or `https://*.shop.example`. Clients
   * that are not browsers send no origin and are not affected.
   *
   * @default ["self"]
   */
  readonly Origins?: readonly string[];
  /**
   * The maximum size of a received message, in bytes, fragments added up. A larger one closes the connection (1009).
   *
   * @default {65536}
   */
  readonly MaxMessage?: number;
  /**
   * The maximum number of bytes that wait for one slow reader.
   *
   * @default {1048576}
   */
  readonly MaxBuffered?: number;
  /**
   * What happens to a reader that exceeds `MaxBuffered`: `"Close"` closes the connection (1013), so that the client
   * reconnects and resumes; `"Latest"` skips to the latest message of each event and reports the gap.
   *
   * @default "Close"
   */
  readonly Slow?: "Close" | "Latest";
  /** The maximum rate of received messages per connection. A client that exceeds it is closed (1008). */
  readonly Rate?: Rate;
  /**
   * How long a client may be silent, in milliseconds. After half of the time it is pinged.
   *
   * @default {60000}
   */
  readonly IdleTimeout?: number;
  /**
   * The maximum number of connections. Further handshakes get 503.
   *
   * @default {100000}
   */
  readonly MaxConnections?: number;
  /**
   * The maximum number of connections per client address. Further handshakes get 429.
   *
   * @default {1000}
   */
  readonly MaxPerAddress?: number;
  /**
   * The maximum number of messages of one connection that wait for its handlers. One more closes it (1008).
   *
   * @default {64}
   */
  readonly MaxQueued?: number;
  /**
   * The time limit of `Ask`, in milliseconds.
   *
   * @default {10000}
   */
  readonly AskTimeout?: number;
  /** Further sub-protocols whose messages are delivered as they are, to `OnNativeMessage`. */
  readonly Protocols?: readonly string[];
  /**
   * The hub that connects rooms across processes.
   *
   * @default process memory
   */
  readonly Hub?: Hub;
  /** How many messages of every room are stored, and for how long, if no topic says so. None by default. */
  readonly Rooms?: { readonly History: number; readonly For?: number };
  /** Tracks who is in each room: `true` shows the user's id and name, a function whatever it returns. */
  readonly Presence?: boolean | ((conn: Conn) => unknown);
  /** The manager that started the session of the handshake, for `conn.Session()`. */
  readonly Sessions?: SessionSource;
  /**
   * Returns when the identity of a connection expires. By default this is the claim `exp` of the user's token.
   */
  readonly Expires?: (ctx: Context) => Date | undefined;
}

/** The options with their defaults. */
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
  readonly askTimeout: number;
  readonly protocols: readonly string[];
  readonly hub: Hub;
  readonly rooms: { readonly History: number; readonly For: number };
  readonly presence: ((conn: Conn) => unknown) | undefined;
  readonly sessions: SessionSource | undefined;
  readonly expires: (ctx: Context) => Date | undefined;
}

/** Applies the defaults and refuses values that cannot work. */
export function settingsOf(options: Options): Settings {
  const { Origins = ["self"], Rate: rate, Presence } = options;
  const listed = Origins.filter((origin) => origin !== "self" && origin !== "*");
  return {
    isOrigin: Origins.includes("*") ? () => true : originTest(listed),
    allowsSelf: Origins.includes("self"),
    maxMessage: count("MaxMessage", options.MaxMessage ?? 64 << 10),
    maxBuffered: count("MaxBuffered", options.MaxBuffered ?? 1 << 20),
    skipsSlow: options.Slow === "Latest",
    pace: rate === undefined ? undefined : paceOf(checkRate(rate)),
    idleTimeout: count("IdleTimeout", options.IdleTimeout ?? 60_000),
    maxConnections: count("MaxConnections", options.MaxConnections ?? 100_000),
    maxPerAddress: count("MaxPerAddress", options.MaxPerAddress ?? 1_000),
    maxQueued: count("MaxQueued", options.MaxQueued ?? 64),
    askTimeout: count("AskTimeout", options.AskTimeout ?? 10_000),
    protocols: options.Protocols ?? [],
    hub: options.Hub ?? DefaultHub(),
    rooms: { History: options.Rooms?.History ?? 0, For: options.Rooms?.For ?? 3_600_000 },
    presence: Presence === true ? shownUser : Presence === false ? undefined : Presence,
    sessions: options.Sessions,
    expires: options.Expires ?? tokenExpiry,
  };
}

function count(name: string, value: number): number {
  if (value > 0 && (value === Infinity || Number.isSafeInteger(value))) return value;
  throw new FrameworkError("FW_CONFIG", `Cannot use "${value}" as ${name}: it must be a positive whole number`);
}

function shownUser(conn: Conn): unknown {
  const user = conn.User();
  return user === undefined ? {} : { ID: user.ID, Name: user.Name };
}

function tokenExpiry(ctx: Context): Date | undefined {
  const exp = ctx.User()?.Claims?.["exp"];
  return typeof exp === "number" ? new Date(exp * 1000) : undefined;
}
