import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../src/errors/errors.ts";
import * as httptest from "../../src/httptest/mod.ts";
import * as websocket from "../../src/websocket/mod.ts";
import { serveWith } from "../../src/websocket/namespace.ts";
import { quiet } from "../serving.ts";

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
  assertEquals([await one.Ask("next", 0, "count"), await one.Ask("next", 0, "count")], [1, 2]);
  assertEquals([await other.Ask("next", 0, "count"), created], [1, 2]);
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
