import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { quiet } from "../../serving.ts";

/** Starts an application on a free port. */
async function run(app: fw.Application): Promise<{ port: number; ended: Promise<Error | null> }> {
  const listening = Promise.withResolvers<number>();
  const ended = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((addr) => listening.resolve((addr as Deno.NetAddr).port)),
  );
  return { port: await listening.promise, ended };
}

Deno.test("Application.Shutdown() announces itself to clients, lets handlers finish and closes connections with 1012", async () => {
  const app = quiet();
  const server = websocket.New({ Hub: live.New() });
  const started = Promise.withResolvers<void>();
  server.On("work", async () => {
    started.resolve();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return "done";
  });
  app.Get("/ws", websocket.Handler(server));
  const { port, ended } = await run(app);
  const messages: string[] = [];
  const closes: Promise<number>[] = [];
  for (let at = 0; at < 20; at++) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, "fw.live.1");
    closes.push(new Promise((resolve) => socket.onclose = ({ code }) => resolve(code)));
    socket.onmessage = ({ data }) => messages.push(data);
    await new Promise((resolve) => socket.onopen = resolve);
    if (at === 0) socket.send('[1,7,"","work"]');
  }
  await started.promise;
  await app.Shutdown();
  assertEquals(await ended, null);
  assertEquals(new Set(await Promise.all(closes)), new Set([1012]));
  assertEquals(messages.filter((text) => /\[11,\d+\]/.test(text)).length, 20);
  assert(messages.some((text) => text.includes('[3,7,"done"]')), messages.join("\n"));
});

Deno.test("Handler() responds with 503 and Retry-After to a handshake during a shutdown", async () => {
  const app = quiet();
  const server = websocket.New({ Hub: live.New() });
  app.Get("/ws", websocket.Handler(server));
  const test = httptest.New(app);
  const socket = await test.WebSocket("/ws");
  const stopping = app.Shutdown();
  await assertRejects(() => test.WebSocket("/ws"), Error, "status 503");
  await socket.ExpectEvent("away");
  await socket.ExpectClose(1012);
  await stopping;
  assertEquals(server.Connections(), 0);
});

Deno.test("Application.Shutdown() also drains the connections and event streams of mounted applications", async () => {
  const hub = live.New();
  const server = websocket.New({ Hub: hub });
  const started = Promise.withResolvers<void>();
  server.On("work", async () => {
    started.resolve();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return "done";
  });
  const [inner, middle, app] = [quiet(), quiet(), quiet()];
  inner.Get("/ws", websocket.Handler(server));
  inner.Get("/events", (ctx) => ctx.Events(hub.Topic("news").Events()));
  middle.Mount("/b", inner.fetch);
  app.Mount("/a", middle.fetch);
  const { port, ended } = await run(app);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/a/b/ws`, "fw.live.1");
  const messages: string[] = [];
  const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
  socket.onmessage = ({ data }) => messages.push(data);
  await new Promise((resolve) => socket.onopen = resolve);
  socket.send('[1,7,"","work"]');
  const events = await fetch(`http://127.0.0.1:${port}/a/b/events`);
  await started.promise;
  const text = events.text();
  await app.Shutdown();
  assertEquals(await ended, null);
  assertEquals(await closed, 1012);
  assert(messages.some((message) => message.includes('[3,7,"done"]')), messages.join("\n"));
  assert((await text).startsWith(":"));
});

Deno.test("Application.Shutdown() does not close the connections of another application on the same server", async () => {
  const server = websocket.New({ Hub: live.New() });
  server.On("echo", (_conn, data) => data);
  const [one, other] = [quiet(), quiet()];
  for (const app of [one, other]) app.Get("/ws", websocket.Handler(server));
  const [ada, bob] = [await httptest.New(one).WebSocket("/ws"), await httptest.New(other).WebSocket("/ws")];
  await bob.ExpectReply("echo", 1, 1);
  await one.Shutdown();
  await ada.ExpectClose(1012);
  await bob.ExpectReply("echo", 2, 2);
  await other.Shutdown();
  await bob.ExpectClose(1012);
});
