import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import { serveWith } from "../../../src/live/websocket/namespace.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";

Deno.test("serveWith() creates the handlers of each connection once", async () => {
  const server = websocket.New();
  let created = 0;
  function create() {
    let calls = 0;
    created++;
    return { find: (event: string) => event === "next" ? () => ++calls : undefined };
  }
  serveWith(server.Namespace("count"), { name: "Counter", isNative: false, create });
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const [one, other] = [await test.WebSocket("/ws"), await test.WebSocket("/ws")];
  assertEquals([await one.Ask("next", 0, { Namespace: "count" }), await one.Ask("next", 0, { Namespace: "count" })], [
    1,
    2,
  ]);
  assertEquals([await other.Ask("next", 0, { Namespace: "count" }), created], [1, 2]);
  await one.Close();
  await other.Close();
});

Deno.test("Namespace.On() rejects names and handlers that would never be called", () => {
  const server = websocket.New().On("twice", () => {});
  const wrong: [string, () => unknown, string][] = [
    ["_mine", () => {}, "reserved"],
    ["", () => {}, "needs a name"],
    ["OnRoomJoin", () => {}, 'use the constant "websocket.OnRoomJoin"'],
    ["twice", () => {}, "already has a handler"],
    ["nothing", undefined as never, "not a function"],
  ];
  for (const [event, handler, why] of wrong) {
    assertThrows(() => server.On(event, handler), FrameworkError, `Cannot handle the event "${event}": `);
    assertThrows(() => server.On(event, handler), FrameworkError, why);
  }
  const misplaced = () => server.Namespace("chat").On(websocket.OnNativeMessage, () => {});
  assertThrows(misplaced, FrameworkError, "only the default namespace");
});

Deno.test("Handler() rejects a value that is not a server", () => {
  assertThrows(() => websocket.Handler({} as never), FrameworkError, 'created by "websocket.New"');
});

Deno.test("Server.Namespace() serves all namespaces that match a pattern or a function, and each has its own rooms", async () => {
  const server = websocket.New({ Hub: live.New() });
  const fixed = server.Namespace("org-0").On("who", () => "fixed");
  const orgs = server.Namespace(/^org-\d+$/g);
  orgs.On("who", (conn) => conn.Namespace);
  orgs.On(websocket.OnRoomJoin, () => true);
  orgs.On("say", (conn, text) => conn.To("hall").Emit("said", text));
  server.Namespace((name) => name.startsWith("team")).On("who", () => "team");
  assertEquals(server.Namespace("org-0"), fixed);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const [one, two] = [await test.WebSocket("/ws"), await test.WebSocket("/ws")];
  assertEquals(await one.Ask("who", 0, { Namespace: "org-0" }), "fixed");
  // Patterns with the flag g remember their last match.
  for (const name of ["org-1", "org-2", "org-1"]) assertEquals(await one.Ask("who", 0, { Namespace: name }), name);
  assertEquals(await one.Ask("who", 0, { Namespace: "team x" }), "team");
  for (const name of ["org-", "xorg-1x", "other", "org-1\n", "org-" + "1".repeat(300)]) {
    const refused = await assertRejects(() => one.Ask("who", 0, { Namespace: name })) as { Status?: number };
    assertEquals(refused.Status === 404 || refused.Status === 400, true, name);
  }
  await one.Join("hall", { Namespace: "org-1" });
  await two.Join("hall", { Namespace: "org-2" });
  await two.Ask("say", "hi", { Namespace: "org-1" });
  assertEquals(await one.ExpectEvent("said", "hi"), "hi");
  assertEquals([server.Conns({ Namespace: "org-2" }).length, server.Conns({ Namespace: "team x" }).length], [2, 1]);
  await one.Close();
  await two.Close();
  assertThrows(() => server.Namespace(1 as never), FrameworkError, "regular expression");
});
