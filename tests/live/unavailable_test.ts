import { assertEquals, assertRejects } from "@std/assert";
import { HTTPError } from "../../src/errors/errors.ts";
import * as httptest from "../../src/httptest/mod.ts";
import * as live from "../../src/live/mod.ts";
import * as redis from "../../src/live/redis.ts";
import * as websocket from "../../src/websocket/mod.ts";
import { quiet } from "../serving.ts";

/** Creates a hub whose Redis server does not exist. */
function unreachable(): { hub: live.Hub; lines: string[] } {
  const lines: string[] = [];
  const Backplane = redis.New({ URL: "redis://127.0.0.1:1", Timeout: 200 });
  return { hub: live.New({ Backplane, OnError: (message, error) => lines.push(`${message} ${error}`) }), lines };
}

Deno.test("Topic.Publish() responds with 503 if Redis cannot be reached, and logs the cause", async () => {
  const { hub, lines } = unreachable();
  const app = quiet();
  app.Post("/news", async (ctx) => void ctx.JSON(await hub.Topic("news").Publish("item", 1)));
  await httptest.New(app).POST("/news").Expect().Status(503).Body("The message cannot be published");
  assertEquals(lines, ['Cannot publish to "news": Error: connect ECONNREFUSED 127.0.0.1:1']);
  await hub.Close();
});

// The npm client leaves the timer of its next attempt behind.
Deno.test({
  name:
    "conn.To(), Presence() and joining a room fail with 503 if Redis cannot be reached, and the connection stays open",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { hub } = unreachable();
    const app = quiet();
    const server = websocket.New({ Hub: hub, Presence: true });
    server.On(websocket.OnRoomJoin, () => true);
    server.On("echo", (_conn, data) => data);
    server.On("say", (conn, text) => conn.To("tea").Emit("said", text));
    app.Get("/ws", websocket.Handler(server));
    const socket = await httptest.New(app).WebSocket("/ws");
    const error = await assertRejects(() => socket.Ask("say", "hello"), Error, "The message cannot be published");
    assertEquals((error as unknown as HTTPError).Status, 503);
    await assertRejects(() => server.Presence("tea").List(), HTTPError, "The presence cannot be read");
    await assertRejects(() => socket.Join("tea"), Error, "The room cannot be reached");
    assertEquals(await socket.Ask("echo", "still here"), "still here");
    await socket.Close();
    await hub.Close();
  },
});
