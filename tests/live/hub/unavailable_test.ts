import { assertEquals, assertRejects } from "@std/assert";
import { HTTPError } from "../../../src/base/errors/errors.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as redis from "../../../src/live/hub/redis.ts";
import { Live } from "../../../src/live/websocket/client/live.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { overSocket, quiet } from "../../serving.ts";
import { withClient } from "../../state/redis/clients.ts";
import { hasRedis, OwnRedis } from "./own_redis.ts";

/** Creates a hub whose Redis server does not exist. */
function unreachable(): { hub: live.Hub; lines: string[] } {
  const lines: string[] = [];
  const Backplane = withClient("redis://127.0.0.1:1", (client) => redis.New(client, { Timeout: 200 }));
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

Deno.test({
  name: "Live joins its rooms again when Redis is back, if it has reconnected in the meantime",
  ignore: !hasRedis,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const store = new OwnRedis({ isDurable: true });
    await store.start();
    const Backplane = withClient(store.url, (client) => redis.New(client, { Timeout: 300 }));
    const hub = live.New({ Backplane, OnError: () => {} });
    const news = hub.Topic("news");
    const server = websocket.New({ Hub: hub });
    server.On(websocket.OnRoomJoin, () => true);
    server.On("cut", (conn) => void conn.Close(4000));
    const app = quiet();
    app.Get("/ws", websocket.Handler(server));
    await overSocket(app, async (_ask, port) => {
      const client = new Live(`http://127.0.0.1:${port}/ws`);
      const seen: unknown[] = [];
      const last = new Promise<void>((resolve) => {
        client.On("n", (n) => {
          seen.push(n);
          if (n === 2) resolve();
        });
      });
      client.OnGap((gap) => seen.push(gap));
      await client.Join("news");
      await news.Publish("n", 1);
      await store.kill();
      const back = new Promise<void>((resolve) => {
        let wasLost = false;
        client.OnState((state) => {
          wasLost ||= state === "waiting";
          if (wasLost && state === "open") resolve();
        });
      });
      client.Emit("cut");
      await back;
      await store.start();
      while (true) {
        try {
          await news.Publish("n", 2);
          break;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      await last;
      assertEquals(seen, [1, 2]);
      client.Close();
    });
    await hub.Close();
    await store.close();
  },
});
