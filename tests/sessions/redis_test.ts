import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FrameworkError } from "../../src/errors/errors.ts";
import { New } from "../../src/sessions/redis.ts";
import { freePort } from "../free_port.ts";
import { inTime } from "../in_time.ts";
import { ignoredFor, redisIsMissing } from "./redis_server.ts";
import { redisURL } from "./stores.ts";

const empty: ReadonlyMap<string, string> = new Map();
const long = 60_000;

function testRedis(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: name + ignoredFor(redisIsMissing), ignore: redisIsMissing !== undefined, fn });
}

Deno.test("New() of the Redis store rejects values that are not redis:// URLs", () => {
  for (const URL of ["", "localhost:6379", "http://localhost", "redis"]) {
    assertThrows(() => New({ URL }), FrameworkError, `Cannot use the Redis URL "${URL}"`);
  }
});

Deno.test("New() of the Redis store never exposes the password", () => {
  const secret = "s3cr3t/@pass word";
  for (const scheme of ["http://", "redis//", "", "//", "REDIS//", "\n redis //"]) {
    for (const rest of ["@host:6379", "@host:port:x", "@host/0?password=s3cr3t"]) {
      const error = assertThrows(() => New({ URL: `${scheme}user:${secret}${rest}` }), FrameworkError);
      assertEquals(/s3cr3t|pass word/.test(error.message), false, error.message);
    }
  }
});

Deno.test("New() of the Redis store rejects an invalid timeout", () => {
  for (const Timeout of [0, -1, NaN]) {
    assertThrows(
      () => New({ URL: "redis://localhost", Timeout }),
      FrameworkError,
      `Timeout must be a positive number of milliseconds, not "${Timeout}"`,
    );
  }
});

Deno.test("Load() of the Redis store fails within a second on every call if no server is listening", async () => {
  const store = New({ URL: `redis://127.0.0.1:${freePort()}` });
  for (let i = 0; i < 3; i++) {
    await assertRejects(async () => await store.Load("a"), Error);
  }
  await store.Close?.();
});

Deno.test("Load() of the Redis store fails after its timeout if the server does not respond", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const store = New({ URL: `redis://127.0.0.1:${listener.addr.port}`, Timeout: 100 });
  const accepted = listener.accept();
  await assertRejects(async () => await store.Load("a"), Error, "Redis does not respond");
  (await accepted).close();
  await store.Close?.();
});

testRedis("Load() of the Redis store does not take its own process's pause for one of Redis", async () => {
  const store = New({ URL: redisURL(), Timeout: 100 });
  // If the machine is busy as well, the process cannot read the reply in time after its own computation.
  await inTime(250, async () => {
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
  const store = New({ URL: redisURL(), Timeout: 5000 });
  await store.Load("a");
  await store.Close?.();
  await assertRejects(async () => await store.Load("a"), Error, "The store is closed");
});

testRedis("Close() of the Redis store may come before its first use, and twice", async () => {
  const store = New({ URL: redisURL(), Timeout: 5000 });
  await store.Close?.();
  await store.Close?.();
});

testRedis("New() of the Redis store keeps two prefixes apart", async () => {
  const prefix = crypto.randomUUID();
  const [one, two] = [
    New({ URL: redisURL(), Prefix: `${prefix}1`, Timeout: 5000 }),
    New({ URL: redisURL(), Prefix: `${prefix}2`, Timeout: 5000 }),
  ];
  await one.Create("a", empty, long);
  assertEquals(await two.Load("a"), null);
  await one.Close?.();
  await two.Close?.();
});

testRedis("New() of the Redis store lets a process end that forgot to close it", async () => {
  const module = new URL("../../src/sessions/redis.ts", import.meta.url);
  const program = `
    const store = (await import("${module}")).New({ URL: "${redisURL()}", Timeout: 5000 });
    console.log(await store.Load("a"));`;
  const command = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", program],
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(60_000),
  });
  const { code, stdout } = await command.output();
  assertEquals([code, new TextDecoder().decode(stdout)], [0, "null\n"]);
});
