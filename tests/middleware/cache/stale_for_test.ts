import type * as fw from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as logger from "@fw/web/middleware/logger";
import * as metrics from "@fw/web/middleware/metrics";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as requestid from "@fw/web/middleware/requestid";
import { assertEquals } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import { quiet } from "../../serving.ts";

const options: cache.Options = { MaxAge: 1000, StaleFor: 60_000 };

/** Everything that counts the requests of clients. */
class Counting {
  readonly logged: string[] = [];
  readonly shown: string[] = [];
  readonly counted: metrics.Metrics = metrics.New();
  readonly log: accesslog.AccessLog = accesslog.New({
    Output: (line) => this.logged.push(line),
    Format: "{Method} {Path} {Status}",
  });

  handlers(): fw.Handler[] {
    return [
      ratelimit.New({ Limit: 4, Period: 3_600_000 }),
      this.log.Handler(),
      this.counted.Handler(),
      logger.New({ LogFunc: ({ Path }) => this.shown.push(Path) }),
    ];
  }

  get(): number[] {
    this.log.Flush();
    const measured = this.counted.Text().split("\n").filter((line) => line.includes("_seconds_count{"));
    return [this.logged.length, this.shown.length, ...measured.map((line) => Number(line.split(" ").at(-1)))];
  }
}

for (const place of ["around the cache", "behind the cache", "in a mounted application"]) {
  Deno.test(`cache.New() renews a response without counting a request, ${place}`, async () => {
    using time = new PassingTime();
    const counting = new Counting();
    const app = quiet();
    const ids: string[] = [];
    const page: fw.Handler = (ctx) => {
      ids.push(ctx.GetID());
      ctx.WriteString(`run ${ids.length}`);
    };
    app.UseRouter(requestid.New());
    if (place === "around the cache") {
      app.UseRouter(...counting.handlers());
      app.Get("/page", cache.New(options), page);
    } else if (place === "behind the cache") {
      app.Get("/page", cache.New(options), ...counting.handlers(), page);
    } else {
      const inner = quiet();
      inner.UseRouter(requestid.New(), ...counting.handlers());
      inner.Get("/page", page);
      app.Use(cache.New(options)).Mount("/", inner.fetch);
    }
    const ask = async (id: string) => {
      const response = await app.fetch(new Request("http://localhost/page", { headers: { "x-request-id": id } }));
      return [response.status, await response.text()];
    };
    assertEquals(await ask("first"), [200, "run 1"]);
    time.tick(2000);
    assertEquals(await ask("second"), [200, "run 1"], "the response is stale");
    await time.runMicrotasks();
    assertEquals(await ask("third"), [200, "run 2"], "it was renewed");
    assertEquals(ids, ["first", "second"], "the renewal has the ID of the request that caused it");
    const visible = place === "around the cache" ? 3 : 1;
    assertEquals(counting.get(), [visible, visible, visible]);
    if (place !== "around the cache") return;
    assertEquals(await ask("fourth"), [200, "run 2"]);
    assertEquals((await ask("fifth"))[0], 429, "the limit of four requests holds");
  });
}

Deno.test("cache.New() renews a response only if its guards accept the client", async () => {
  using time = new PassingTime();
  const app = quiet();
  let runs = 0;
  let checks = 0;
  app.Use((ctx) => ++checks > 2 ? ctx.StopWithStatus(401) : ctx.Next());
  app.Use(basicauth.New({ Users: [{ Name: "ada", Password: "engine" }] }));
  app.Get("/page", cache.New(options), (ctx) => {
    ctx.Header("cache-control", "public, max-age=1");
    ctx.WriteString(`run ${++runs}`);
  });
  const headers = { authorization: `Basic ${btoa("ada:engine")}` };
  const ask = async () => (await app.fetch(new Request("http://localhost/page", { headers }))).text();
  assertEquals(await ask(), "run 1");
  time.tick(2000);
  assertEquals(await ask(), "run 1");
  await time.runMicrotasks();
  assertEquals([checks, runs], [3, 1]);
});

for (const name of ["if-none-match", "if-modified-since", "range"]) {
  Deno.test(`cache.New() renews the whole response if the client sends ${name}`, async () => {
    using time = new PassingTime();
    const app = quiet();
    let runs = 0;
    app.Get("/page", cache.New(options), (ctx) => {
      ctx.Header("cache-control", "max-age=1");
      if (ctx.GetHeader(name) !== "") return ctx.StatusCode(name === "range" ? 206 : 304);
      ctx.WriteString(`run ${++runs}`);
    });
    const ask = async (headers: Record<string, string> = {}) =>
      await (await app.fetch(new Request("http://localhost/page", { headers }))).text();
    assertEquals(await ask(), "run 1");
    time.tick(2000);
    assertEquals(await ask({ [name]: "bytes=0-1" }), name === "range" ? "ru" : "run 1");
    await time.runMicrotasks();
    assertEquals(await ask(), "run 2");
    assertEquals(runs, 2);
  });
}
