/**
 * The part of the subject with several WebSocket servers on one hub, and with a controller whose replies pass through a
 * result handler.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as live from "@fw/web/live";
import * as mvc from "@fw/web/mvc";
import * as websocket from "@fw/web/websocket";
import * as socketio from "@fw/web/websocket/socketio";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const socketFeatures: readonly string[] = [
  "results of events",
  "servers on one hub",
  "integers in events",
  "polling",
  "rooms",
];

const account = { name: "ada", password: secret };

class AccountController {
  OnAccount() {
    return { ...account };
  }

  async OnLater() {
    return await Promise.resolve({ ...account });
  }

  OnList() {
    return [account];
  }

  OnTuple() {
    return mvc.Tuple({ ...account }, 200);
  }

  OnAnyEvent() {
    return { ...account };
  }
}

/** Adds the routes. */
export function addSocketCalls(app: fw.Application): void {
  const server = websocket.New();
  mvc.New(app.Party("/account-ws")).Register(server)
    .UseResultHandler((next) => (ctx, value) => next(ctx, withoutPasswords(value)))
    .HandleWebsocket(AccountController);
  app.Any("/account-io", socketio.Handler(server));
  addServers(app);
  addIntegers(app);
  addPolling(app);
  addRooms(app);
}

/** Adds a room with a secret beyond the limit of a rewind, and a room with a secret member that no client may join. */
function addRooms(app: fw.Application): void {
  const hub = live.New();
  const server = websocket.New({ Hub: hub, MaxMessage: 10_000, MaxRewind: 5, Rooms: { History: 50 }, Presence: true });
  server.On(websocket.OnRoomJoin, (_conn, room, params) => room !== "closed" && params);
  for (const text of [secret, "1", "2", "3", "4", "5"]) void server.To("news").Emit("said", text);
  void server.Presence("closed").Add("member", secret);
  app.Get("/rooms-ws", websocket.Handler(server));
}

function withoutPasswords(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, each) => name === "password" ? undefined : each));
}

/** Adds two servers of different applications. They have the same users, and only the first one knows the secret. */
function addServers(app: fw.Application): void {
  const asUser: fw.Handler = (ctx) => {
    // Rows run at the same time, so one that disconnects its user has another user.
    ctx.SetUser({ ID: ctx.URLParamDefault("user", "1"), Name: "", Roles: [], Method: "test" });
    return ctx.Next();
  };
  for (const [name, told] of [["shop", secret], ["news", "nothing"]]) {
    const server = websocket.New({ Presence: () => told });
    server.On(websocket.OnRoomJoin, () => true);
    server.On("echo", (_conn, data) => data);
    server.On("pay", () => told);
    server.On("kick", (conn) => server.Disconnect(conn.User()?.ID ?? ""));
    server.On("members", () => server.Presence("tea").List());
    server.On("tell", async (conn) => {
      await server.ToUser(conn.User()?.ID ?? "").Emit("told", told);
      await server.Broadcast(null, "told", told);
    });
    app.Get(`/${name}-ws`, asUser, websocket.Handler(server));
  }
}

/** Adds events that return, broadcast and publish a received integer. */
function addIntegers(app: fw.Application): void {
  const server = websocket.New();
  server.On("echo", (_conn, data) => data);
  server.On("emit", (conn, data) => void conn.Emit("sent", data));
  server.On("all", async (_conn, data) => await server.Broadcast(null, "sent", data));
  server.On("room", async (conn, data) => {
    await conn.Join("tea");
    await conn.To("tea").Emit("sent", data);
  });
  app.Get("/integer-ws", websocket.Handler(server));
}

/** Adds Socket.IO servers for polling clients. */
function addPolling(app: fw.Application): void {
  const server = websocket.New({ MaxMessage: 10_000 });
  server.On("echo", (_conn, data) => data);
  server.On("secret", () => secret);
  const asUser: fw.Handler = (ctx) => {
    const ID = ctx.GetHeader("x-user");
    if (ID !== "") ctx.SetUser({ ID, Name: "", Roles: [], Method: "test" });
    return ctx.Next();
  };
  app.Any("/polling-io", asUser, socketio.Handler(server));
  app.Any("/crowded-io", socketio.Handler(websocket.New({ MaxPerAddress: 5 })));
}
