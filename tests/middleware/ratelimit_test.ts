import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as ratelimit from "../../src/middleware/ratelimit.ts";
import { NewMemory } from "../../src/state/store/memory.ts";
import type { Rate } from "../../src/state/store/rate.ts";
import type { Store } from "../../src/state/store/store.ts";
import { inTime } from "../in_time.ts";
import { askInProcess, bothWays, logged, overSocket, quiet } from "../serving.ts";
import { testEach } from "../state/store/stores.ts";
import { newLimited, startLimited } from "./limited.ts";

const hour = 3_600_000;

async function askFrom(app: fw.Application, hostname: string, headers: Record<string, string> = {}): Promise<Response> {
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname, port: 1 };
  return await app.fetch(new Request("http://localhost/", { headers }), { remoteAddr });
}

function appWith(options: Partial<ratelimit.Options> = {}): fw.Application {
  const app = quiet();
  app.UseRouter(ratelimit.New({ Limit: 2, Period: hour, ...options }));
  app.Get("/", (ctx) => ctx.WriteString("in"));
  return app;
}

bothWays(
  "ratelimit.New() reports the remaining requests, and then responds with 429 and Retry-After",
  appWith,
  async (ask) => {
    const responses = [await ask("/"), await ask("/absent"), await ask("/")];
    assertEquals(responses.map((it) => it.status), [200, 404, 429]);
    assertEquals(responses[0]?.headers.get("ratelimit-policy"), '"default";q=2;w=3600');
    assertEquals(responses[0]?.headers.get("ratelimit"), '"default";r=1;t=1800');
    assertEquals(responses[0]?.headers.get("retry-after"), null);
    assertMatch(responses[1]?.headers.get("ratelimit") ?? "", /^"default";r=0;t=(?:3600|3599)$/);
    assertMatch(responses[2]?.headers.get("retry-after") ?? "", /^1(?:800|799)$/);
    assertEquals(responses[2]?.text, "Too Many Requests");
  },
);

testEach(
  "ratelimit.New() allows exactly the limit of 200 parallel requests over sockets",
  async (store) => {
    const app = newLimited(store);
    await overSocket(app, async (ask) => {
      const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await ask("/")).status));
      assertEquals(statuses.filter((status) => status === 200).length, 50);
      assertEquals(statuses.filter((status) => status === 429).length, 150);
    });
  },
);

testEach("ratelimit.New() in two processes allows exactly the limit", async (_store, place) => {
  await using one = await startLimited(place);
  await using two = await startLimited(place);
  const statuses = await Promise.all(Array.from({ length: 200 }, async (_, i) => {
    const response = await fetch((i % 2 === 0 ? one : two).origin);
    await response.body?.cancel();
    return response.status;
  }));
  assertEquals(statuses.filter((status) => status === 200).length, 50);
  assertEquals(statuses.filter((status) => status === 429).length, 150);
}, ["sqlite", "redis"]);

Deno.test("ratelimit.New() counts by address, regardless of the notation of IPv4", async () => {
  const app = appWith({ Limit: 1 });
  assertEquals((await askFrom(app, "192.0.2.1")).status, 200);
  assertEquals((await askFrom(app, "192.0.2.2")).status, 200);
  assertEquals((await askFrom(app, "192.0.2.1")).status, 429);
  assertEquals((await askFrom(app, "::ffff:192.0.2.1")).status, 429);
  assertEquals((await askFrom(app, "::ffff:c000:201")).status, 429);
});

Deno.test("ratelimit.New() counts by 64-bit network for IPv6", async () => {
  const app = appWith({ Limit: 1 });
  assertEquals((await askFrom(app, "2001:db8:1:2::1")).status, 200);
  for (const address of ["2001:db8:1:2::2", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:0DB8:0001:0002::3"]) {
    assertEquals((await askFrom(app, address)).status, 429, address);
  }
  assertEquals((await askFrom(app, "2001:db8:1:3::1")).status, 200);
});

Deno.test("ratelimit.New() ignores forged forwarding headers", async () => {
  const app = appWith({ Limit: 1 });
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    const headers = {
      "x-forwarded-for": `203.0.113.${i}`,
      "x-real-ip": `203.0.113.${i}`,
      forwarded: `for=203.0.113.${i}`,
    };
    statuses.push((await askFrom(app, "192.0.2.1", headers)).status);
  }
  assertEquals(statuses, [200, 429, 429]);
});

Deno.test("ratelimit.ByHeader() counts by a header, and by the address if it is missing", async () => {
  const app = appWith({ Limit: 1, Key: ratelimit.ByHeader("X-API-Key") });
  assertEquals((await askFrom(app, "192.0.2.1", { "x-api-key": "one" })).status, 200);
  assertEquals((await askFrom(app, "192.0.2.2", { "x-api-key": "one" })).status, 429);
  assertEquals((await askFrom(app, "192.0.2.1", { "x-api-key": "two" })).status, 200);
  assertEquals((await askFrom(app, "192.0.2.1")).status, 200);
  assertEquals((await askFrom(app, "192.0.2.1", { "x-api-key": "" })).status, 429);
  // A value that looks like the key of an address must not be treated as one.
  assertEquals((await askFrom(app, "192.0.2.9", { "x-api-key": "address:192.0.2.8" })).status, 200);
  assertEquals((await askFrom(app, "192.0.2.8")).status, 200);
});

Deno.test("ratelimit.ByUser() counts by user, and by address if there is none", async () => {
  const app = quiet();
  app.Use((ctx) => {
    const ID = ctx.GetHeader("x-user");
    if (ID !== "") ctx.SetUser({ ID, Name: ID, Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Use(ratelimit.New({ Limit: 1, Period: hour, Key: ratelimit.ByUser }));
  app.Get("/", (ctx) => ctx.WriteString("in"));
  assertEquals((await askFrom(app, "192.0.2.1", { "x-user": "ada" })).status, 200);
  assertEquals((await askFrom(app, "192.0.2.2", { "x-user": "ada" })).status, 429);
  assertEquals((await askFrom(app, "192.0.2.2", { "x-user": "bob" })).status, 200);
  assertEquals((await askFrom(app, "192.0.2.2")).status, 200);
  assertEquals((await askFrom(app, "192.0.2.2")).status, 429);
});

Deno.test("ratelimit.New() does not count requests without a key", async () => {
  const app = appWith({ Limit: 1, Key: (ctx) => ctx.GetHeader("x-internal") === "" ? "all" : undefined });
  assertEquals((await askFrom(app, "192.0.2.1")).status, 200);
  const free = await askFrom(app, "192.0.2.1", { "x-internal": "1" });
  assertEquals([free.status, free.headers.get("ratelimit")], [200, null]);
  assertEquals((await askFrom(app, "192.0.2.1")).status, 429);
});

Deno.test("ratelimit.New() can be used twice with the same store, and both limits apply", async () => {
  const app = quiet();
  const Store = NewMemory();
  app.Use(ratelimit.New({ Name: "hour", Limit: 3, Period: hour, Store }));
  app.Use(ratelimit.New({ Name: "burst", Limit: 2, Period: 500, Store }));
  app.Get("/", (ctx) => ctx.WriteString("in"));
  const first = await askFrom(app, "192.0.2.1");
  assertEquals(first.headers.get("ratelimit-policy"), '"hour";q=3;w=3600, "burst";q=2');
  assertEquals(first.headers.get("ratelimit"), '"hour";r=2;t=1200, "burst";r=1;t=1');
  assertEquals((await askFrom(app, "192.0.2.1")).status, 200);
  assertEquals((await askFrom(app, "192.0.2.1")).status, 429);
});

Deno.test("ratelimit.New() allows a custom response and runs no further handlers", async () => {
  const app = quiet();
  app.Use(ratelimit.New({
    Limit: 1,
    Period: hour,
    OnRefuse: (ctx, taken) => ctx.StopWithJSON(429, { wait: taken.RetryAfter > 0 }),
  }));
  let runs = 0;
  app.Get("/", () => void runs++);
  await askFrom(app, "192.0.2.1");
  const refused = await askFrom(app, "192.0.2.1");
  assertEquals([refused.status, await refused.json(), runs], [429, { wait: true }, 1]);
});

Deno.test("ratelimit.New() responds with 503 while its store fails, or accepts all requests if configured, and logs once", async () => {
  let isDown = true;
  const memory = NewMemory();
  const Store: Store = Object.assign(Object.create(memory), {
    Take: (key: string, rate: Rate) =>
      isDown ? Promise.reject(new Error("connection refused")) : memory.Take(key, rate),
  });
  for (const [AllowWithoutStore, status] of [[false, 503], [true, 200]] as const) {
    isDown = true;
    const { app, lines } = logged();
    app.Use(ratelimit.New({ Limit: 1, Period: hour, Store, AllowWithoutStore, Name: `n${status}` }));
    app.Get("/", (ctx) => ctx.WriteString("in"));
    for (let i = 0; i < 5; i++) assertEquals((await askFrom(app, "192.0.2.1")).status, status);
    isDown = false;
    assertEquals((await askFrom(app, "192.0.2.1")).status, 200);
    assertEquals((await askFrom(app, "192.0.2.1")).status, 429);
    app.Logger().Flush();
    assertEquals(lines.filter((line) => line.includes("Cannot write to the rate limit store, requests ")).length, 1);
    assertEquals(lines.join().includes("requests are not limited until it is back"), AllowWithoutStore);
  }
});

Deno.test("ratelimit.New() does not treat a handler's error as a store failure", async () => {
  const app = quiet();
  const Store: Store = Object.assign(Object.create(NewMemory()), {
    Take: () => Promise.resolve({ Allowed: true, Remaining: 1, RetryAfter: 0, Reset: 0 }),
  });
  let runs = 0;
  app.Use(ratelimit.New({ Limit: 1, Period: hour, Store, AllowWithoutStore: true }));
  app.Get("/", () => {
    runs++;
    throw new Error("handler");
  });
  assertEquals((await askInProcess(app, "/")).status, 500);
  assertEquals(runs, 1);
});

Deno.test("ratelimit.New() limits its memory under a flood of keys, and still limits clients", async () => {
  const app = appWith({ Limit: 1, Store: NewMemory({ MaxKeys: 100 }), Key: (ctx) => ctx.GetHeader("x-key") });
  assertEquals((await askFrom(app, "192.0.2.1", { "x-key": "busy" })).status, 200);
  for (let i = 0; i < 1000; i++) {
    await askFrom(app, "192.0.2.1", { "x-key": `${i}`.repeat(100) });
    assertEquals((await askFrom(app, "192.0.2.1", { "x-key": "busy" })).status, 429);
  }
});

const refused: Partial<ratelimit.Options>[] = [
  { Limit: 0 },
  { Limit: -1 },
  { Limit: 1.5 },
  { Limit: NaN },
  { Period: 0 },
  { Period: -1 },
  { Period: Infinity },
  { Burst: 0 },
  { Limit: 10_000_000, Period: 1 },
  { Name: 'a"; r=9' },
  { Name: "" },
];
for (const options of refused) {
  Deno.test(`ratelimit.New() rejects ${Deno.inspect(options)}`, () => {
    assertThrows(() => ratelimit.New({ Limit: 1, Period: 1000, ...options }), fw.FrameworkError);
  });
}

Deno.test("ratelimit.New() accepts a client again after Retry-After", async () => {
  const app = await inTime(200, async () => {
    const app = appWith({ Limit: 10, Period: 2000, Burst: 1 });
    assertEquals((await askFrom(app, "192.0.2.1")).status, 200);
    const refused = await askFrom(app, "192.0.2.1");
    assertEquals([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    return app;
  });
  await new Promise((resolve) => setTimeout(resolve, 205));
  assertEquals((await askFrom(app, "192.0.2.1")).status, 200);
});

Deno.test("New() of ratelimit accepts an asynchronous key, such as the account in a form", async () => {
  const app = fw.New();
  const limit = ratelimit.New({ Limit: 1, Period: 3_600_000, Key: (ctx) => ctx.PostValue("account") });
  app.Post("/login", limit, (ctx) => ctx.WriteString("ok"));
  const login = async (account: string) => {
    const body = new URLSearchParams({ account });
    return (await app.fetch(new Request("http://localhost/login", { method: "POST", body }))).status;
  };
  assertEquals([await login("ada"), await login("bob"), await login("ada")], [200, 200, 429]);
});
