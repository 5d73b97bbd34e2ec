import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as monitor from "../../src/middleware/monitor/mod.ts";
import { withPage } from "../browser.ts";
import { bothWays, overSocket, quiet } from "../serving.ts";

function application(options?: monitor.Options): fw.Application {
  const watched = monitor.New(options);
  const app = quiet();
  app.UseRouter(watched.Handler());
  watched.Register(app.Party("/monitor"));
  app.Get("/teas/{id:int}", (ctx) => ctx.WriteString("Assam"));
  app.Get("/fail", () => {
    throw new Error("boom");
  });
  return app;
}

bothWays("monitor.New() reports statistics of the process and of its routes", () => application(), async (ask) => {
  for (const path of ["/teas/1", "/teas/2", "/teas/3", "/fail", "/nowhere", "/nowhere"]) await ask(path);
  const { text, headers } = await ask("/monitor/stats");
  const stats: monitor.Stats = JSON.parse(text);
  assertEquals(headers.get("cache-control"), "no-store");
  assertEquals([stats.Requests, stats.Errors, stats.Active, stats.PID], [6, 1, 0, Deno.pid]);
  assert(stats.Memory.rss > 1_000_000 && stats.CPU > 0 && stats.Uptime > 0 && stats.LoopDelay >= 0);
  assertEquals(stats.Routes.map((route) => [route.Route, route.Requests, route.Refused, route.Errors]), [
    ["GET /teas/{id:int}", 3, 0, 0],
    ["GET (no route)", 2, 2, 0],
    ["GET /fail", 1, 0, 1],
  ]);
  for (const { Mean, P50, P95, P99 } of stats.Routes) assert(Mean > 0 && P50 > 0 && P50 <= P95 && P95 <= P99);
});

bothWays(
  "monitor.New() serves a page that runs only its own script",
  () => application({ Title: "<Tea> & house" }),
  async (ask) => {
    const one = await ask("/monitor");
    assertMatch(one.text, /<title>&lt;Tea&gt; &amp; house<\/title>/);
    const policy = one.headers.get("content-security-policy") ?? "";
    assertMatch(policy, /^default-src 'none'; style-src '[^']+' '[^']+'; script-src 'sha256-[^']+';/);
    assertEquals(/https?:\/\/(?!www\.w3\.org)/.test(one.text), false, "it loads something from elsewhere");
  },
);

Deno.test("monitor.New() shows the twenty busiest routes", async () => {
  const app = application();
  for (let i = 0; i < 30; i++) app.Get(`/route/${i}`, (ctx) => ctx.WriteString("x"));
  for (let i = 0; i < 30; i++) {
    for (let n = 0; n <= i; n++) await (await app.fetch(new Request(`http://localhost/route/${i}`))).text();
  }
  const stats: monitor.Stats = await (await app.fetch(new Request("http://localhost/monitor/stats"))).json();
  assertEquals([stats.Routes.length, stats.Routes[0]?.Route], [20, "GET /route/29"]);
  assertEquals(stats.Requests, 465);
});

Deno.test("monitor.New() rejects refreshing more than ten times per second", () => {
  assertThrows(
    () => monitor.New({ RefreshInterval: 50 }),
    fw.FrameworkError,
    "it must be a number of milliseconds from 100 to 2147483647, not 50",
  );
});

Deno.test("monitor.New() serves a page that updates automatically", async () => {
  await overSocket(application({ Title: "Tea house" }), async (ask, port) => {
    for (let i = 0; i < 30; i++) await ask(`/teas/${i}`);
    await ask("/fail");
    await withPage(async (page) => {
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(`http://127.0.0.1:${port}/monitor`);
      await page.locator("#state.live").waitFor();
      assertEquals(await page.title(), "Tea house");
      assertEquals(await page.locator(".tile").count(), 8);
      const rows = await page.locator("#routes tr").allTextContents();
      assert(rows.some((row) => row.startsWith("GET /teas/{id:int}30")), rows.join("\n"));
      assertEquals(await page.locator("#routes td.bad").allTextContents(), ["1"]);
      const before = await page.locator("#process").textContent();
      // On a busy machine, it may take several updates until one of them shows the load.
      for (let requests = 0; requests <= 5;) {
        for (let i = 0; i < 40; i++) await ask("/teas/1");
        requests = Number((await page.locator(".tile p").first().textContent())?.replace(",", ""));
      }
      await page.locator("#process", { hasNotText: before ?? "" }).waitFor();
      assertEquals(problems, []);
    });
  });
});
