import { assertEquals, assertThrows } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as live from "../../../src/live/hub/mod.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

function chat(options: websocket.Options = {}): { app: fw.Application; server: websocket.Server } {
  const app = quiet();
  const server = websocket.New({ Hub: live.New(), ...options });
  server.On(websocket.OnRoomJoin, () => true);
  server.On("say", (conn, text) => conn.To("tea").Except(conn).Emit("said", text));
  server.On("all", (conn, text) => conn.To("tea").Emit("said", text));
  server.On("cut", (conn) => void conn.Close(4000));
  app.Use((ctx) => {
    const name = ctx.URLParam("user");
    if (name !== "") ctx.SetUser({ ID: name, Name: name, Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Get("/ws", websocket.Handler(server));
  return { app, server };
}

Deno.test("RoomEmitter.Except() excludes the sender", async () => {
  const { app } = chat();
  const test = httptest.New(app);
  const [ada, bob] = [await test.WebSocket("/ws"), await test.WebSocket("/ws")];
  await ada.Join("tea");
  await bob.Join("tea");
  await ada.Ask("say", "from ada");
  await bob.Ask("say", "from bob");
  assertEquals([await ada.ExpectEvent("said"), await bob.ExpectEvent("said")], ["from bob", "from ada"]);
  await ada.Ask("all", "to both");
  assertEquals([await ada.ExpectEvent("said"), await bob.ExpectEvent("said")], ["to both", "to both"]);
  await ada.Close();
  await bob.Close();
});

Deno.test("RoomEmitter.Except() moves the sender past its message, so that it does not receive it after a reconnection", async () => {
  const { app } = chat({ Rooms: { History: 10 } });
  await overSocket(app, async (_ask, port) => {
    const client = new Live(`http://127.0.0.1:${port}/ws`);
    const seen: string[] = [];
    client.On("said", (text) => seen.push(text));
    await client.Join("tea");
    await client.Ask("say", "mine");
    const lost = new Promise<void>((resolve) => client.OnState((state) => state === "waiting" && resolve()));
    client.Emit("cut");
    await lost;
    await client.Ask("all", "after");
    assertEquals(seen, ["after"]);
    client.Close();
  });
});

Deno.test("Topic.Events() sends messages that exclude a connection, and bytes as Base64", async () => {
  const hub = live.New();
  const tea = hub.Topic("tea");
  const { app } = chat({ Hub: hub });
  app.Get("/events", (ctx) => ctx.Events(tea.Events()));
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Ask("say", "hello");
  await tea.Publish("picture", new Uint8Array([1, 2, 3]));
  const headers = { "last-event-id": `${(await tea.Publish("end")).Epoch}.0` };
  const response = await app.fetch(new Request("http://localhost/events", { headers }));
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.includes("event: end")) break;
  }
  assertEquals(text.match(/^data: .*$/gm), ["data: hello", "data: AQID", "data: null"]);
  await socket.Close();
});

Deno.test("Server.ToUser() reaches all connections of a user, and only those", async () => {
  const { app, server } = chat();
  const test = httptest.New(app);
  const tabs = [await test.WebSocket("/ws?user=ada"), await test.WebSocket("/ws?user=ada")];
  const bob = await test.WebSocket("/ws?user=bob");
  for (const each of [...tabs, bob]) await each.Join("x");
  await server.ToUser("ada").Emit("mail", { count: 2 });
  for (const tab of tabs) await tab.ExpectEvent("mail", { count: 2 });
  await server.Broadcast(null, "end");
  await bob.ExpectEvent("end");
  const [first] = server.Conns();
  assertEquals([server.Conns().length, server.Conns({ Namespace: "chat" }).length], [3, 0]);
  if (first !== undefined) await server.ToUser("ada").Except(first).Emit("mail", "other tab");
  await tabs[1]?.ExpectEvent("mail", "other tab");
  for (const each of [...tabs, bob]) await each.Close();
});

Deno.test("Server.Presence() throws if presence is not tracked", () => {
  assertThrows(() => websocket.New().Presence("tea"), FrameworkError, 'option "Presence" is not set');
});
