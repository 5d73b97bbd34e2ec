import { assert, assertEquals } from "@std/assert";
import type * as fw from "../../mod.ts";
import { RotatingFile } from "../../src/base/log/rotating_file.ts";
import * as cache from "../../src/middleware/cache/mod.ts";
import * as health from "../../src/middleware/health/mod.ts";
import * as jwt from "../../src/middleware/jwt/mod.ts";
import * as ratelimit from "../../src/middleware/ratelimit.ts";
import * as sessions from "../../src/state/sessions/mod.ts";
import * as sqliteSessions from "../../src/state/sessions/sqlite.ts";
import * as redisStore from "../../src/state/redis/store.ts";
import { setClock } from "../clocks.ts";
import { quiet } from "../serving.ts";
import { freePort } from "../free_port.ts";
import { withClient } from "../state/redis/clients.ts";
import { ignoredFor, serverIsMissing, startRedis } from "../state/sessions/redis_server.ts";
import { inFolder, testEach } from "../state/store/stores.ts";

const hours = 3_600_000;
const steps = { "back by two hours": -2 * hours, "forward by two hours": 2 * hours };

async function get(app: fw.Application, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return await app.fetch(new Request(`http://localhost${path}`, { headers }));
}

function counting(manager: sessions.Sessions): fw.Application {
  const app = quiet();
  app.Get("/", async (ctx) => ctx.WriteString(String((await manager.Start(ctx)).Increment("visits"))));
  return app;
}

/** Repeats a request to a server until the client has reconnected. */
async function untilConnected<T>(ask: () => T | Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

for (const [words, step] of Object.entries(steps)) {
  testEach(`Store.Take() keeps its rate when the clock is set ${words}`, async (store) => {
    const rate = { Limit: 2, Period: 60_000 };
    for (const allowed of [true, true, false]) assertEquals((await store.Take("a", rate)).Allowed, allowed);
    using _ = setClock(step);
    // Redis uses its own clock, which was not changed.
    const seen = [];
    for (let i = 0; i < 4; i++) seen.push((await store.Take("b", rate)).Allowed);
    assertEquals(seen, [true, true, false, false]);
    const { RetryAfter } = await store.Take("a", rate);
    assert(RetryAfter <= rate.Period, `refused for ${RetryAfter} ms`);
  });

  Deno.test(`sessions.New() keeps a session in memory when the clock is set ${words}`, async () => {
    const app = counting(sessions.New({ Expires: 600_000 }));
    const first = await get(app, "/");
    const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    using _ = setClock(step);
    assertEquals(await (await get(app, "/", { cookie })).text(), "2");
  });

  Deno.test(`sessions.New() serves requests from SQLite when the clock is set ${words}`, async () => {
    await inFolder(async (folder) => {
      const store = sqliteSessions.New({ File: `${folder}/sessions.db` });
      const app = counting(sessions.New({ Expires: 600_000, Store: store }));
      const first = await get(app, "/");
      const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      using _ = setClock(step);
      // The expiry in a file is a wall-clock time, because processes share it and it survives them.
      const [again, other] = [await get(app, "/", { cookie }), await get(app, "/")];
      assertEquals([again.status, await again.text()], [200, step < 0 ? "2" : "1"]);
      assertEquals([other.status, await other.text()], [200, "1"]);
      const next = other.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      assertEquals(await (await get(app, "/", { cookie: next })).text(), "2");
      await store.Close?.();
    });
  });

  Deno.test(`jwt tokens are accepted when the clock is set ${words}, as long as they have not expired`, async () => {
    const key = "0123456789abcdef0123456789abcdef";
    const signer = jwt.NewSigner({ Key: key, Algorithm: "HS256", MaxAge: 3 * hours });
    const app = quiet();
    app.Use(jwt.New({ Key: key, Algorithms: ["HS256"] }));
    app.Get("/", (ctx) => ctx.WriteString(ctx.User()?.ID ?? ""));
    const authorization = `Bearer ${await signer.Sign({ sub: "ann" })}`;
    const short = `Bearer ${await signer.Sign({ sub: "ann" }, { MaxAge: hours })}`;
    assertEquals((await get(app, "/", { authorization: short })).status, 200);
    using _ = setClock(step);
    assertEquals((await get(app, "/", { authorization })).status, 200);
    assertEquals((await get(app, "/", { authorization: short })).status, step < 0 ? 200 : 401);
    const issued = `Bearer ${await signer.Sign({ sub: "bob" })}`;
    assertEquals(await (await get(app, "/", { authorization: issued })).text(), "bob");
  });

  Deno.test(`cache.New() does not stretch the lifetime of an entry when the clock is set ${words}`, async () => {
    const app = quiet();
    let runs = 0;
    app.Use(cache.New({ MaxAge: 60_000 }));
    app.Get("/", (ctx) => ctx.WriteString(String(++runs)));
    await get(app, "/");
    assertEquals(await (await get(app, "/")).text(), "1");
    using _ = setClock(step);
    const response = await get(app, "/");
    assertEquals(await response.text(), "2");
    assertEquals(await (await get(app, "/")).text(), "2");
  });

  Deno.test(`health.New() runs its checks again when the clock is set ${words}`, async () => {
    const app = quiet();
    let isWell = true;
    health.New({ Checks: { it: () => isWell }, MaxAge: 1 }).Register(app);
    assertEquals((await get(app, "/readyz")).status, 200);
    using _ = setClock(step);
    isWell = false;
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertEquals((await get(app, "/readyz")).status, 503);
  });

  Deno.test(`ratelimit.New() accepts a client again when the clock is set ${words}`, async () => {
    const app = quiet();
    app.Use(ratelimit.New({ Limit: 20, Period: 200, Burst: 1 }));
    app.Get("/", (ctx) => ctx.WriteString("in"));
    assertEquals((await get(app, "/")).status, 200);
    using _ = setClock(step);
    await new Promise((resolve) => setTimeout(resolve, 40));
    assertEquals((await get(app, "/")).status, 200);
  });

  Deno.test({
    name: `Store in Redis reconnects when the clock is set ${words}${ignoredFor(serverIsMissing)}`,
    ignore: serverIsMissing !== undefined,
    async fn() {
      const port = freePort();
      const store = withClient(`redis://127.0.0.1:${port}`, (client) => redisStore.New(client));
      let failed = 0;
      for (let i = 0; i < 2; i++) await Promise.resolve(store.Get("a")).catch(() => failed++);
      assertEquals(failed, 2);
      using _ = setClock(step);
      await using _server = await startRedis(port);
      try {
        assertEquals(await untilConnected(() => store.Get("a")), null);
      } finally {
        await store.Close?.();
      }
    },
  });

  Deno.test(`RotatingFile notices a moved file when the clock is set ${words}`, async () => {
    await inFolder(async (folder) => {
      using file = new RotatingFile(`${folder}/a.log`);
      const line = new TextEncoder().encode("line\n");
      file.writeSync(line);
      using _ = setClock(step);
      await Deno.rename(`${folder}/a.log`, `${folder}/moved.log`);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      file.writeSync(line);
      assertEquals(await Deno.readTextFile(`${folder}/a.log`), "line\n");
    });
  });
}
