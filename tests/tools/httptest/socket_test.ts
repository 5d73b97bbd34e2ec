import { assertRejects, assertThrows } from "@std/assert";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";

Deno.test("TestSocket reports immediately that a closed connection cannot receive anything", async () => {
  const server = websocket.New();
  server.On("last", (conn) => {
    conn.Emit("bye", 1);
    conn.Close(4000, "Done");
  });
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const socket = await test.WebSocket("/ws");
  socket.Emit("last");
  await socket.ExpectClose(4000);
  await socket.ExpectEvent("bye", 1);
  await assertRejects(
    () => socket.ExpectEvent("bye"),
    Error,
    'the event "bye", but the connection was closed with 4000: Done',
  );
  await assertRejects(() => socket.ExpectClose(4001), Error, "Expected the close code to be 4001, got 4000");
  const other = await test.WebSocket("/ws");
  await other.Close();
  await assertRejects(() => other.ExpectClose(1000), Error, "but the test has closed the connection");
});

Deno.test("TestSocket.Close() rejects the calls that have no reply yet, and later ones", async () => {
  const server = websocket.New();
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  server.On("wait", async () => {
    asked.resolve();
    await released.promise;
  });
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  const reply = assertRejects(() => socket.Ask("wait"), Error, "The connection was closed");
  await asked.promise;
  await socket.Close();
  await reply;
  await assertRejects(() => socket.Ask("wait"), Error, "The connection was closed");
  released.resolve();
  await app.Shutdown();
});

Deno.test("TestSocket refuses bytes in the data of an event, as the clients do", async () => {
  const server = websocket.New();
  server.On("size", (_conn, data) => (data as Uint8Array).length);
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  const bytes = new Uint8Array([1, 2]);
  await socket.ExpectReply("size", bytes, 2);
  assertThrows(() => socket.Emit("size", { bytes }), TypeError, "Bytes must be the whole data of an event");
  const values = [[bytes], { big: 2n ** 60n, empty: new Uint8Array() }];
  for (const value of values) {
    await assertRejects(() => socket.Ask("size", value), TypeError, "Bytes must be the whole");
  }
  await socket.Close();
});
