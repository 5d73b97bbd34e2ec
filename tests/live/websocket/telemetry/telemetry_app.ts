/**
 * An application whose events are traced. It sends some events to itself and ends.
 *
 * @module
 */

import * as fw from "../../../../mod.ts";
import { Live } from "../../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";

const app = fw.New();
app.Logger().SetLevel("disable");
app.Get("/price", (ctx) => ctx.WriteString("5"));
const server = websocket.New();
server.On("echo", (_conn, data) => data);
server.On("price", async () => await (await fetch(`http://127.0.0.1:${listening.addr.port}/price`)).text());
server.On("fail", () => {
  throw new Error("boom");
});
server.On("refuse", () => {
  throw new fw.HTTPError(409, "taken");
});
server.Namespace("any").On(websocket.OnAnyEvent, (_conn, data) => data);
app.Get("/ws", websocket.Handler(server));
const listening = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
const client = new Live(`http://127.0.0.1:${listening.addr.port}/ws`);
for (const event of ["echo", "price", "fail", "refuse"]) await client.Ask(event, 1).catch(() => {});
// Names that a client has invented.
for (const event of ["invented 1", "invented 2", "_OnRoomJoin"]) {
  await client.Ask(event, 1).catch(() => {});
  await client.Ask(event, 1, { Namespace: "any" }).catch(() => {});
}
client.Close();
await listening.shutdown();
