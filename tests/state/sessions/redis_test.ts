import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { New } from "../../../src/state/sessions/redis.ts";
import { createClient } from "npm:@redis/client@^5";
import { freePort } from "../../free_port.ts";
import { inTime } from "../../in_time.ts";
import { withClient } from "../redis/clients.ts";
import { ignoredFor, redisIsMissing } from "./redis_server.ts";
import { openRedis } from "./stores.ts";

const empty: ReadonlyMap<string, string> = new Map();
const long = 60_000;

function testRedis(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: name + ignoredFor(redisIsMissing), ignore: redisIsMissing !== undefined, fn });
}

Deno.test("New() of the Redis store rejects an invalid timeout", () => {
  const client = createClient();
  for (const Timeout of [0, -1, NaN]) {
    assertThrows(
      () => New(client, { Timeout }),
      FrameworkError,
      `it must be a positive number of milliseconds up to 2147483647, not ${Timeout}`,
    );
  }
});

Deno.test("Load() of the Redis store fails within a second on every call if no server is listening", async () => {
  const store = withClient(`redis://127.0.0.1:${freePort()}`, (client) => New(client));
  for (let i = 0; i < 3; i++) {
    await assertRejects(async () => await store.Load("a"), Error);
  }
  await store.Close?.();
});

Deno.test("Load() of the Redis store says so if its client was never connected", async () => {
  const store = New(createClient());
  await assertRejects(async () => await store.Load("a"), Error, "The Redis client is not connected");
  await store.Close?.();
});

Deno.test("Load() of the Redis store fails after its timeout if the server does not respond", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const store = withClient(`redis://127.0.0.1:${listener.addr.port}`, (client) => New(client, { Timeout: 100 }));
  await assertRejects(async () => await store.Load("a"), Error, "Redis does not respond");
  await store.Close?.();
  (await accepted).close();
});

testRedis("Load() of the Redis store does not take its own process's pause for one of Redis", async () => {
  const store = openRedis("a:", 100);
  // If the machine is busy as well, the reply may come later than 50 ms after the computation, which is too late.
  await inTime(240, async () => {
    await store.Load("a");
    const loading = store.Load("a");
    await Promise.resolve();
    const begin = performance.now();
    while (performance.now() - begin < 200); // Simulates a heavy computation.
    assertEquals(await loading, null);
  });
  await store.Close?.();
});

testRedis("Load() of the Redis store fails once the store is closed", async () => {
  const store = openRedis("a:");
  await store.Load("a");
  await store.Close?.();
  await assertRejects(async () => await store.Load("a"), Error, "The store is closed");
});

testRedis("Close() of the Redis store may come before its first use, and twice", async () => {
  const store = openRedis("a:");
  await store.Close?.();
  await store.Close?.();
});

testRedis("New() of the Redis store keeps two prefixes apart", async () => {
  const prefix = crypto.randomUUID();
  const [one, two] = [
    openRedis(`${prefix}1`),
    openRedis(`${prefix}2`),
  ];
  await one.Create("a", empty, long);
  assertEquals(await two.Load("a"), null);
  await one.Close?.();
  await two.Close?.();
});
