/** Tests who closes a Redis connection, and the order at shutdown. */

import { assertEquals, assertRejects } from "@std/assert";
import { createClient } from "npm:@redis/client@^5";
import * as fw from "../../../mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as liveRedis from "../../../src/live/hub/redis.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as sessionRedis from "../../../src/state/sessions/redis.ts";
import * as storeRedis from "../../../src/state/redis/store.ts";
import { ignoredFor, redisIsMissing, serverIsMissing, startRedis } from "../sessions/redis_server.ts";
import { quiet } from "../../serving.ts";
import { Visitor } from "../sessions/visitor.ts";
import { closeClient, newClient } from "./clients.ts";

function testRedis(name: string, fn: (url: string) => Promise<void>): void {
  Deno.test({
    name: name + ignoredFor(serverIsMissing),
    ignore: serverIsMissing !== undefined || redisIsMissing !== undefined,
    async fn() {
      await using server = await startRedis();
      await fn(server.URL);
    },
  });
}

testRedis("hub.Close() closes the connection that the backplane has opened, and not the client", async (url) => {
  const [client, watcher] = [createClient({ url }), newClient(url)];
  await client.connect();
  const count = async () =>
    (await watcher.sendCommand(["CLIENT", "LIST"]) as unknown as string).match(/^id=/gm)?.length;
  assertEquals(await count(), 2);
  const Backplane = liveRedis.New(client);
  const hub = live.New({ Backplane });
  const seen = Promise.withResolvers<string>();
  await Backplane.Listen("tea", { Receive: (_, { Payload }) => seen.resolve(Payload), Missed() {} });
  await hub.Topic("tea").Publish("n", 1);
  assertEquals([await seen.promise, await count()], ['"n",1', 3]);
  await hub.Close();
  // The server notices a closed connection a moment later.
  while (await count() !== 2);
  assertEquals([client.isOpen, await client.ping()], [true, "PONG"]);
  await client.close();
  await closeClient(watcher);
});

testRedis("app.Shutdown() drains requests, then the store closes, then the client of the application", async (url) => {
  const client = createClient({ url });
  await client.connect();
  const Store = sessionRedis.New(client, { Prefix: "order:" });
  const manager = sessions.New({ Store });
  const log: string[] = [];
  const app = quiet();
  // Tasks run in reverse order of registration.
  app.RegisterOnShutdown(async () => {
    await client.close();
    log.push("client");
  });
  app.RegisterOnShutdown(async () => {
    await Store.Close?.();
    log.push(`store, client is open: ${client.isOpen}`);
  });
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const { promise: leaving, resolve: leave } = Promise.withResolvers<void>();
  app.Get("/", async (ctx) => {
    enter();
    await leaving;
    ctx.WriteString(String((await manager.Start(ctx)).Increment("n")));
    log.push("request");
  });
  const visitor = new Visitor(app.fetch);
  const asked = visitor.ask("/");
  await entered;
  const stopped = app.Shutdown();
  leave();
  assertEquals(await asked, "1");
  await stopped;
  assertEquals(log, ["request", "store, client is open: true", "client"]);
});

testRedis("stores and hubs can be closed after their client, and report that it is closed until then", async (url) => {
  const client = createClient({ url });
  await client.connect();
  const store = storeRedis.New(client);
  const Backplane = liveRedis.New(client);
  const hub = live.New({ Backplane, OnError() {} });
  await Backplane.Listen("tea", { Receive() {}, Missed() {} });
  assertEquals(await store.Get("a"), null);
  client.destroy();
  await assertRejects(async () => await store.Get("a"), Error, "The Redis client is not connected");
  await assertRejects(async () => await hub.Topic("tea").Publish("n", 1), fw.HTTPError, "cannot be published");
  await hub.Close();
  await store.Close?.();
});
