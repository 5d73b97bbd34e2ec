import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as live from "../../../../src/live/hub/mod.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import * as metrics from "../../../../src/middleware/metrics/mod.ts";
import * as monitor from "../../../../src/middleware/monitor/mod.ts";
import * as httptest from "../../../../src/tools/httptest/mod.ts";

Deno.test("metrics.New() and monitor.New() show the connections, rooms and failures of a WebSocket server", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const [counted, watched] = [metrics.New(), monitor.New()];
  app.UseRouter(counted.Handler(), watched.Handler());
  const server = websocket.New({ Hub: live.New() });
  server.On("fail", () => {
    throw new Error("no");
  });
  server.On(websocket.OnRoomJoin, () => true);
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const socket = await test.WebSocket("/ws");
  await socket.Join("tea");
  await socket.Ask("fail").catch(() => {});
  await test.GET("/ws").Expect().Status(426);
  const text = counted.Text();
  const expected = ["connections 1", "rooms 1", "failures_total 1", "refused_total 1"];
  for (const line of expected.map((each) => `websocket_${each}`)) {
    assert(text.includes(`\n${line}\n`), text);
  }
  const { Others } = await watched.Stats();
  assertEquals(Others.find(({ Name }) => Name === "websocket_connections")?.Value, 1);
  await socket.Close();
});

Deno.test("Application.Explain() lists the events of a WebSocket route", async () => {
  const app = fw.New();
  const server = websocket.New({ Hub: live.New() });
  server.Namespace("chat").On("say", () => {}).On(websocket.OnRoomJoin, () => true);
  app.Get("/ws", websocket.Handler(server));
  const { Events } = await app.Explain("GET", "/ws");
  assertEquals(Events, [{ Namespace: "chat", Name: "say", Action: undefined, Schema: undefined }]);
});
