import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "../../mod.ts";
import * as metrics from "../../src/middleware/metrics/mod.ts";
import { bothWays, quiet } from "../serving.ts";

function application(): { app: fw.Application; counted: metrics.Metrics } {
  const counted = metrics.New();
  const app = quiet();
  app.UseRouter(counted.Handler());
  app.Get("/metrics", counted.Page());
  app.Get("/users/{id:int}", (ctx) => ctx.WriteString("ada"));
  app.Get('/odd/{x:string regexp(^["a]+$)}', (ctx) => ctx.WriteString("odd"));
  app.Get("/slow", async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    ctx.WriteString(counted.Text());
  });
  app.Get("/fail", () => {
    throw new Error("boom");
  });
  return { app, counted };
}

/** Returns the lines of a page without help lines and process metrics. */
function countsIn(page: string): string[] {
  return page.split("\n").filter((line) => line.startsWith("http_") && line.includes("_count{")).sort();
}

const name = "http_server_request_duration_seconds";

bothWays("metrics.New() counts requests by route, method and status", () => application().app, async (ask) => {
  for (const path of ["/users/1", "/users/2", "/nowhere", "/fail"]) await ask(path);
  await ask("/users/1", { method: "POST" });
  assertEquals(countsIn((await ask("/metrics")).text), [
    `${name}_count{http_request_method="GET",http_route="",http_response_status_code="404"} 1`,
    `${name}_count{http_request_method="GET",http_route="/fail",http_response_status_code="500"} 1`,
    `${name}_count{http_request_method="GET",http_route="/users/{id:int}",http_response_status_code="200"} 2`,
    `${name}_count{http_request_method="POST",http_route="",http_response_status_code="405"} 1`,
  ]);
});

Deno.test("metrics.New() writes a histogram whose buckets add up", async () => {
  const { app, counted } = application();
  await (await app.fetch(new Request("http://localhost/slow"))).text();
  const lines = counted.Text().split("\n").filter((line) => line.includes('http_route="/slow"'));
  const buckets = lines.filter((line) => line.includes("_bucket{")).map((line) => Number(line.split(" ").at(-1)));
  assertEquals(buckets.slice(0, 3), [0, 0, 0]);
  assertEquals([buckets.length, buckets.at(-1)], [15, 1]);
  const sum = Number(lines.find((line) => line.includes("_sum{"))?.split(" ").at(-1));
  assert(sum >= 0.025 && sum < 10, String(sum));
});

Deno.test("metrics.New() reports requests in flight", async () => {
  const { app, counted } = application();
  const response = await app.fetch(new Request("http://localhost/slow"));
  assertStringIncludes(await response.text(), "\nhttp_server_active_requests 1\n");
  assertStringIncludes(counted.Text(), "\nhttp_server_active_requests 0\n");
});

Deno.test("metrics.New() does not create series from arbitrary client input", async () => {
  const { app, counted } = application();
  for (let i = 0; i < 50; i++) {
    await (await app.fetch(new Request(`http://localhost/made/up/${i}`, { method: `X${i}` }))).text();
    await (await app.fetch(new Request(`http://localhost/users/${i}`))).text();
  }
  assertEquals(countsIn(counted.Text()).length, 2);
  assertStringIncludes(counted.Text(), 'http_request_method="_OTHER"');
});

Deno.test("metrics.New() escapes the templates of routes", async () => {
  const { app, counted } = application();
  await (await app.fetch(new Request("http://localhost/odd/a%22"))).text();
  assertStringIncludes(counted.Text(), 'http_route="/odd/{x:string regexp(^[\\"a]+$)}"');
});

Deno.test("metrics.New() counts a stream as active until it has ended, and measures its whole duration", async () => {
  const { app, counted } = application();
  app.Get("/stream", (ctx) =>
    ctx.Stream(async function* () {
      yield "a";
      await new Promise((resolve) => setTimeout(resolve, 60));
      yield "b";
    }));
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/stream`);
  assertStringIncludes(counted.Text(), "\nhttp_server_active_requests 1\n");
  assertEquals(await response.text(), "ab");
  await server.shutdown();
  assertStringIncludes(counted.Text(), "\nhttp_server_active_requests 0\n");
  const line = counted.Text().split("\n").find((each) => each.includes("_sum{") && each.includes('"/stream"'));
  assert(Number(line?.split(" ").at(-1)) >= 0.055, line);
});
