/**
 * The doors of a connection that stays open: events of `fw.live.1` and of Socket.IO.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as live from "@fw/web/live";
import * as websocket from "@fw/web/websocket";
import * as socketio from "@fw/web/websocket/socketio";
import WebSocket from "npm:ws@^8";
import { toJSON } from "../../src/base/text/json.ts";
import { parseLossless } from "../../src/base/text/lossless_json.ts";
import { controllers, desk, Journal, prepare } from "./desk.ts";
import type { Action, Caller, CallOptions, Door, Setup, Verdict } from "./door.ts";
import { serving } from "./serving.ts";

/** The messages of a protocol. */
interface Dialect {
  readonly protocols: readonly string[];
  /** The messages to send before the event. */
  readonly opening: readonly string[];
  /** Reports whether a message shows that the namespace has been entered. */
  isOpen(message: string): boolean;
  event(action: Action, data: string): string;
  /** Returns the verdict if the message is the reply to the event. */
  verdict(message: string): Verdict | undefined;
}

const liveDialect: Dialect = {
  protocols: ["fw.live.1"],
  opening: [],
  isOpen: (message) => message.includes("[13,"),
  event: (action, data) => `[1,7,"desk","${action}",${data}]`,
  verdict(message) {
    // A message contains one packet or an array of packets.
    const found = parseLossless(message) as unknown[];
    const packets = Array.isArray(found[0]) ? found as unknown[][] : [found];
    const [op, , data] = packets.find(([op, id]) => (op === 3 || op === 4) && id === 7) ?? [];
    if (op === undefined) return undefined;
    return op === 3 ? { status: 200, text: toJSON(data) } : refused(toJSON(data));
  },
};

const socketIODialect: Dialect = {
  protocols: [],
  opening: ["40/desk,"],
  isOpen: (message) => message.startsWith("40/desk,"),
  event: (action, data) => `42/desk,7["${action}",${data}]`,
  verdict(message) {
    const value = /^43\/desk,7\[(.*)\]$/s.exec(message)?.[1];
    if (value === undefined) return undefined;
    const failure = /^\{"error":(.*)\}$/s.exec(value)?.[1];
    return failure === undefined ? { status: 200, text: value } : refused(failure);
  },
};

function refused(failure: string): Verdict {
  return { status: JSON.parse(failure).Status, text: failure };
}

/** Creates a door to the events of a controller. */
function socketDoor(name: Door["name"], dialect: Dialect, path: string): Door {
  return {
    name,
    open: (setup, run) => {
      const journal = new Journal();
      const url = (port: number) => `ws://127.0.0.1:${port}${path}`;
      const callerFor = (port: number): Caller => (action, options = {}) => ask(url(port), dialect, action, options);
      return serving(site(setup, journal), journal, callerFor, run);
    },
  };
}

/** Serves the desk as a WebSocket controller at `/live`, and for Socket.IO clients at `/live/socket.io`. */
function site(setup: Setup, journal: Journal): fw.Application {
  const app = fw.New();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  prepare(app, setup);
  const server = websocket.New({ Hub: live.New(), MaxMessage: 64 << 10 });
  const party = app.Party("/live");
  desk(party, setup, journal).Register(server).HandleWebsocket(controllers.LiveDesk);
  party.Get("/socket.io", socketio.Handler(server));
  return app;
}

export const liveEvent: Door = socketDoor("live event", liveDialect, "/live");
export const socketIOEvent: Door = socketDoor(
  "Socket.IO event",
  socketIODialect,
  "/live/socket.io/?EIO=4&transport=websocket",
);

/** Connects, sends one event and closes the connection when the reply has arrived. */
function ask(
  url: string,
  dialect: Dialect,
  action: Action,
  { headers, data = "{}", signal }: CallOptions,
): Promise<Verdict> {
  const outcome = Promise.withResolvers<Verdict>();
  const closed = Promise.withResolvers<void>();
  const socket = new WebSocket(url, [...dialect.protocols], { headers: { ...headers } });
  socket.on("unexpected-response", (_request: unknown, response: { statusCode: number; resume(): void }) => {
    response.resume();
    outcome.resolve({ status: response.statusCode, text: "" });
    closed.resolve();
  });
  socket.on("error", outcome.reject);
  socket.on("close", (code: number) => {
    outcome.resolve({ status: code, text: "" });
    closed.resolve();
  });
  socket.on("open", () => dialect.opening.forEach((message) => socket.send(message)));
  socket.on("message", (message: unknown) => {
    const text = String(message);
    if (dialect.isOpen(text)) socket.send(dialect.event(action, data));
    const verdict = dialect.verdict(text);
    if (verdict !== undefined) outcome.resolve(verdict);
  });
  signal?.addEventListener("abort", () => {
    outcome.reject(signal.reason);
    socket.terminate();
  }, { once: true });
  return outcome.promise.finally(() => {
    socket.close();
    // The client's timers end with its connection.
    return closed.promise;
  });
}
