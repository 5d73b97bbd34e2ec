import { assertEquals, assertThrows } from "@std/assert";
import { FrameworkError } from "../../src/errors/errors.ts";
import * as httptest from "../../src/httptest/mod.ts";
import * as websocket from "../../src/websocket/mod.ts";
import { serveWith } from "../../src/websocket/namespace.ts";
import { quiet } from "../serving.ts";

Deno.test("serveWith() creates the handlers of each connection once", async () => {
  const server = websocket.New();
  let created = 0;
  serveWith(server.Namespace("count"), () => {
    let calls = 0;
    created++;
    return { find: (event) => event === "next" ? () => ++calls : undefined };
  });
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const [one, other] = [await test.WebSocket("/ws"), await test.WebSocket("/ws")];
  assertEquals([await one.Ask("next", 0, "count"), await one.Ask("next", 0, "count")], [1, 2]);
  assertEquals([await other.Ask("next", 0, "count"), created], [1, 2]);
  await one.Close();
  await other.Close();
});

Deno.test("Namespace.On() rejects reserved names", () => {
  assertThrows(() => websocket.New().On("_mine", () => {}), FrameworkError, "reserved");
});
