/**
 * A server process for the cluster tests: `deno run cluster_site.ts redis|nats URL NAME`. Prints its port.
 *
 * @module
 */

import * as fw from "../../../mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { clusterStores, type StoreName } from "./cluster_stores.ts";

const [store, url = "", name = ""] = Deno.args;
const hub = live.New({ Backplane: clusterStores[store as StoreName].backplane({ url, name }) });
hub.Topic("news", { History: 100_000 });
const server = websocket.New({ Hub: hub, Presence: true, MaxBuffered: 64 << 20 });
server.On(websocket.OnRoomJoin, () => true);
server.On("echo", (_conn, data) => data);
server.On("say", (conn, said) => conn.To("news").Emit("said", said));
server.On("kick", (_conn, user) => server.Disconnect(user));
const app = fw.New();
app.Get("/ws", (ctx) => {
  if (ctx.URLParamExists("user")) ctx.SetUser({ ID: ctx.URLParam("user"), Name: "", Roles: [], Method: "query" });
  return ctx.Next();
}, websocket.Handler(server));
await app.Run(
  fw.Addr("127.0.0.1:0"),
  fw.WithoutStartupLog,
  fw.WithOnListen((addr) => Deno.stdout.writeSync(new TextEncoder().encode(`${(addr as Deno.NetAddr).port}\n`))),
);
