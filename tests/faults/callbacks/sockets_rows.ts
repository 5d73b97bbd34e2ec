/**
 * The callbacks of WebSocket servers, hubs and topics.
 *
 * @module
 */

import * as client from "@fw/web/client";
import * as live from "@fw/web/live";
import * as websocket from "@fw/web/websocket";
import { assertEquals } from "@std/assert";
import { newMemory } from "../../../src/live/hub/memory.ts";
import type { Fault } from "./faults.ts";
import { type Asked, orNothing, serve, soon } from "./site.ts";
import type { Family, Row } from "./table.ts";

// deno-lint-ignore no-explicit-any -- the events of the server have no types
type Client = client.LiveClient<any>;

/** A server with a callback, and the steps of a client that calls it. */
interface Scene {
  readonly options?: (fault: Fault) => websocket.Options;
  readonly hub?: (fault: Fault) => live.Hub;
  readonly set?: (server: websocket.Server, fault: Fault, hub: live.Hub) => unknown;
  readonly steps: (socket: Client, asked: Asked, hub: live.Hub, fault: Fault) => Promise<string>;
}

/** Connects a client that calls the callback, and another one that must not notice. */
function connected(fault: Fault, { options, hub: newHub, set, steps }: Scene): Promise<string> {
  const hub = newHub?.(fault) ?? live.New();
  const server = websocket.New({ Hub: hub, Rooms: { History: 10, For: 60_000 }, ...options?.(fault) });
  server.On("ping", () => "pong");
  server.On(websocket.OnRoomJoin, (conn, room) => room === "odd" ? fault.fn(conn) : true);
  return serve(fault, {
    set: async (app) => {
      await set?.(server, fault, hub);
      app.Get("/ws", websocket.Handler(server));
    },
    ask: async (asked) => {
      const url = `${asked.url}/ws`;
      const socket = client.Live(url, { Timeout: 8_000 });
      try {
        const result = await steps(socket, asked, hub, fault);
        const other = client.Live(url);
        assertEquals(await soon(other.Ask("ping"), "the reply to another client"), "pong");
        other.Close();
        return result;
      } finally {
        socket.Close();
      }
    },
  });
}

/** Returns the outcome of a request to the server. */
async function outcome(asking: Promise<unknown>): Promise<string> {
  const replied = asking.then(() => "reply", (error) => `failure ${error.Status ?? error.message}`);
  return await soon(replied, "the outcome");
}

/** A handler of an event. The reply must be a value that can be sent. */
const asEvent = {
  throws: "failure 500 logged",
  rejects: "failure 500 logged",
  never: "no reply",
  values: "reply",
  NaN: "failure 500 logged",
  Infinity: "failure 500 logged",
  symbol: "failure 500 logged",
};

const events: readonly Row[] = [
  {
    of: [
      "websocket/namespace.EventHandler",
      "websocket/namespace.Namespace.On(handler)",
      "websocket/server.Server.On(handler)",
    ],
    run: (fault) =>
      connected(fault, {
        set: (server, { fn }) => server.On("odd", fn),
        steps: (socket) => orNothing(fault, outcome(socket.Ask("odd")), "no reply"),
      }),
    gives: asEvent,
  },
  {
    of: ["websocket/namespace.RoomJoinHandler"],
    run: (fault) =>
      connected(fault, {
        steps: (socket) => orNothing(fault, outcome(socket.Join("odd")), "no reply"),
      }),
    gives: asEvent,
  },
  {
    of: ["websocket/server.Server.OnDisconnect(handler)"],
    run: (fault) => {
      const told = Promise.withResolvers<void>();
      return connected(fault, {
        set: (server, { fn }) => {
          let count = 0;
          server.OnDisconnect(() => count++ === 0 ? fn() : undefined);
          server.OnDisconnect(() => told.resolve());
        },
        steps: async (socket) => {
          await soon(socket.Ask("ping"), "the reply");
          socket.Close();
          await soon(told.promise, "the other handler");
          return "told";
        },
      });
    },
    gives: { throws: "told logged", rejects: "told logged", never: "told", values: "told" },
  },
  {
    of: ["websocket/options.Options.Presence"],
    run: (fault) =>
      connected(fault, {
        options: ({ fn }) => ({ Presence: fn }),
        steps: (socket) => orNothing(fault, outcome(socket.Join("tea")), "no reply"),
      }),
    gives: asEvent,
  },
  {
    of: ["websocket/options.Options.Expires"],
    run: (fault) => {
      let isArmed = false;
      return connected(fault, {
        options: ({ fn }) => ({ Expires: () => isArmed ? fn() : undefined }),
        steps: async (_, { url }) => {
          isArmed = true;
          const socket = new WebSocket(`${url}/ws`.replace("http", "ws"), ["fw.live.1"]);
          const end = Promise.withResolvers<string>();
          socket.onopen = () => end.resolve("open");
          socket.onclose = () => end.resolve("refused");
          const result = await soon(end.promise, "the handshake");
          isArmed = false;
          socket.close();
          return result;
        },
      });
    },
    gives: { throws: "refused logged", rejects: "refused logged", never: "refused logged", values: "refused logged" },
  },
  {
    of: ["websocket/options.SessionSource.Get"],
    run: (fault) => {
      let isArmed = false;
      const Sessions = { Get: () => isArmed ? fault.fn() : null, OnDestroy() {}, OnRegenerate() {} };
      return connected(fault, {
        options: () => ({ Sessions }),
        steps: async (_, { url }) => {
          isArmed = true;
          const socket = new WebSocket(`${url}/ws`.replace("http", "ws"), ["fw.live.1"]);
          const end = Promise.withResolvers<string>();
          socket.onopen = () => end.resolve("open");
          socket.onclose = () => end.resolve("refused");
          const result = await soon(end.promise, "the handshake");
          isArmed = false;
          socket.close();
          return result;
        },
      });
    },
    gives: {
      throws: "refused logged",
      rejects: "refused logged",
      never: "refused logged",
      values: "refused logged",
      null: "open",
    },
  },
  {
    of: ["hub/presence.RoomPresence.Watch(watcher)"],
    run: (fault) =>
      connected(fault, {
        options: () => ({ Presence: true }),
        set: async (_, { fn }, hub) => void await hub.Presence("tea").Watch(fn),
        steps: async (socket) => {
          await soon(socket.Join("tea"), "the reply");
          await soon(fault.called, "the change");
          return "joined";
        },
      }),
    gives: { throws: "joined logged", rejects: "joined logged", never: "joined", values: "joined" },
  },
  {
    of: ["hub/topic.TopicEventsOptions.Snapshot"],
    run: (fault) =>
      serve(fault, {
        set: (app) => {
          const topic = live.New().Topic("tea");
          app.Get("/x", (ctx) => ctx.Events(topic.Events({ Snapshot: fault.fn })));
        },
        ask: async ({ url }) => {
          const stop = new AbortController();
          const response = await fetch(`${url}/x`, { signal: stop.signal });
          const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
          const read = (async () => {
            for (let text = ""; !text.includes("data:");) {
              const part = await reader?.read();
              if (part?.done !== false) return "ended";
              text += part.value;
            }
            return "snapshot";
          })().catch(() => "cut off");
          const result = await orNothing(fault, read, "no snapshot");
          stop.abort();
          return result;
        },
      }),
    gives: { throws: "cut off logged", rejects: "cut off logged", never: "no snapshot", values: "snapshot" },
  },
];

/** Returns a backplane with a method that fails from some time on. */
function broken(method: string, fault: Fault): { readonly backplane: live.Backplane; arm: (on: boolean) => void } {
  let isArmed = false;
  const memory = newMemory();
  const backplane = new Proxy(memory, {
    // An application's own backplane.
    has: (target, name) => typeof name !== "symbol" && name in target,
    get(target, name) {
      if (name === method && isArmed) return fault.fn;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { backplane, arm: (on) => isArmed = on };
}

/** The steps that call each method of a backplane. */
const backplane: Readonly<Record<string, (socket: Client) => Promise<unknown>>> = {
  Publish: (socket) => socket.Ask("say"),
  Read: (socket) => socket.Join("tea", { Rewind: 5 }),
  Listen: (socket) => socket.Join("coffee"),
  Unlisten: async (socket) => {
    await socket.Leave("tea");
  },
  Renew: (socket) => socket.Join("milk"),
  Put: (socket) => socket.Join("milk"),
  Rows: (socket) => socket.Ask("list"),
  Claim: (socket) => socket.Send("ping"),
  Settle: (socket) => socket.Send("ping"),
};

/** Nothing is returned, so any value is ignored. */
const ignored = { values: "reply" };
const results: Readonly<Record<string, Partial<Row["gives"]>>> = {
  Listen: ignored,
  Unlisten: { throws: "reply logged", rejects: "reply logged", never: "reply", values: "reply" },
  Renew: ignored,
  Put: ignored,
  // The key is new.
  Claim: { null: "reply" },
  // The event has been handled, but a repetition would not be recognized.
  Settle: { throws: "failure 409 logged", rejects: "failure 409 logged", never: "failure 409 logged", values: "reply" },
};

const backplanes = Object.entries(backplane).map(([method, call]): Row => ({
  of: [`hub/backplane.Backplane.${method}`],
  run: (fault) => {
    const { backplane, arm } = broken(method, fault);
    return connected(fault, {
      hub: () => live.New({ Backplane: backplane }),
      options: () => ({ Presence: true }),
      set: (server, _, hub) => {
        server.On("say", async (conn) => await conn.To("tea").Emit("said", 1));
        server.On("list", async () => await hub.Presence("tea").List());
      },
      steps: async (socket) => {
        await soon(socket.Ask("ping"), "the first reply");
        if (method === "Unlisten") await soon(socket.Join("tea"), "the room");
        arm(true);
        const result = await soon(call(socket).then(() => "reply", (error) => `failure ${error.Status}`), "the reply");
        arm(false);
        return result;
      },
    });
  },
  gives: {
    throws: "failure 503 logged",
    rejects: "failure 503 logged",
    never: "failure 503 logged",
    values: "failure 503 logged",
    ...results[method],
  },
}));

const onError: Row = {
  of: ["hub/hub.HubOptions.OnError"],
  run: (fault) => {
    const { backplane, arm } = broken("Publish", { fn: () => Promise.reject(new Error("first")) } as Fault);
    return connected(fault, {
      hub: ({ fn }) => live.New({ Backplane: backplane, OnError: fn }),
      set: (server) => server.On("say", async (conn) => await conn.To("tea").Emit("said", 1)),
      steps: async (socket) => {
        await soon(socket.Ask("ping"), "the first reply");
        arm(true);
        const result = await outcome(socket.Ask("say"));
        arm(false);
        return result;
      },
    });
  },
  gives: {
    throws: "failure 503 logged",
    rejects: "failure 503 logged",
    never: "failure 503",
    values: "failure 503",
  },
};

export const family: Family = { name: "sockets", rows: [...events, ...backplanes, onError] };
