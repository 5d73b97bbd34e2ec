/**
 * The part of the subject with several WebSocket servers on one hub, and with a controller whose replies pass through a
 * result handler.
 *
 * @module
 */

import type * as fw from "@fw/web";
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
}

function withoutPasswords(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, each) => name === "password" ? undefined : each));
}

/** Adds servers of different applications. All have a user "1", and only the first one knows the secret. */
function addServers(app: fw.Application): void {
  const asUser: fw.Handler = (ctx) => {
    ctx.SetUser({ ID: "1", Name: "", Roles: [], Method: "test" });
    return ctx.Next();
  };
  for (const [name, told] of [["shop", secret], ["news", "nothing"], ["club", "nothing"]]) {
    const server = websocket.New({ Presence: () => told });
    server.On(websocket.OnRoomJoin, () => true);
    server.On("echo", (_conn, data) => data);
    server.On("pay", () => told);
    server.On("kick", () => server.Disconnect("1"));
    server.On("members", () => server.Presence("tea").List());
    server.On("tell", async () => {
      await server.ToUser("1").Emit("told", told);
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
