import type * as fw from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as metrics from "@fw/web/middleware/metrics";
import * as requestid from "@fw/web/middleware/requestid";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { hasStream } from "../../../../src/http/response/stream.ts";
import { logged, overSocket } from "../../../serving.ts";

const failure = "the disk is gone";

async function* breaking(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield new TextEncoder().encode("begin");
  await Promise.resolve();
  throw new Error(failure);
}

const sources: Record<string, (ctx: fw.Context) => void | Response> = {
  "a returned Response": () => new Response(ReadableStream.from(breaking())),
  "a Response with a length": () =>
    new Response(ReadableStream.from(breaking()), { headers: { "content-length": "9" } }),
  "ctx.Stream() of a stream": (ctx) => ctx.Stream(ReadableStream.from(breaking())),
  "ctx.Stream() of a generator": (ctx) => ctx.Stream(breaking()),
  "ctx.Events()": (ctx) => ctx.Events(breaking()),
};
const wrappings: Record<string, () => fw.Handler[]> = {
  "no middleware": () => [],
  "compress": () => [compress.New({ MinBody: 0 })],
  "cache": () => [cache.New({ MaxAge: 60_000 })],
  "ctx.Signal()": () => [(ctx) => (ctx.Signal(), ctx.Next())],
  "ctx.OnClose()": () => [(ctx) => (ctx.OnClose(() => {}), ctx.Next())],
};

for (const [name, source] of Object.entries(sources)) {
  for (const [wrapping, uses] of Object.entries(wrappings)) {
    Deno.test(`A body that breaks is reported once with its request, for ${name} and ${wrapping}`, async () => {
      for (const isMounted of [false, true]) {
        const { app: inner, lines } = logged();
        const { app: outer } = logged();
        const app = isMounted ? outer : inner;
        const errors: string[] = [];
        inner.OnError((ctx, error) => void errors.push(`${ctx.GetID()} ${error.message}`));
        app.UseRouter(requestid.New());
        inner.Use(...uses());
        inner.Get("/rows/{id}", source);
        if (isMounted) {
          outer.Logger().SetOutput((line) => lines.push(line));
          outer.OnError((ctx, error) => void errors.push(`${ctx.GetID()} ${error.message}`));
          outer.Mount("/in", inner.fetch);
        }
        const path = isMounted ? "/in/rows/7" : "/rows/7";
        const headers = { "x-request-id": "id-1", "accept-encoding": "gzip" };
        await overSocket(app, async (_ask, port) => {
          const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
          await response.bytes().catch(() => {});
        });
        for (const each of [inner, outer]) each.Logger().Flush();
        assertEquals(errors, [`id-1 ${failure}`]);
        assertEquals(lines.filter((line) => line.includes(failure)).length, 1, lines.join("\n"));
        assertStringIncludes(lines.join(""), "request_id=id-1 route=/rows/{id}");
      }
    });
  }

  Deno.test(`A body that breaks appears in the access log and in metrics with its status, for ${name}`, async () => {
    const { app } = logged();
    const counted = metrics.New();
    const entry = Promise.withResolvers<string>();
    const log = accesslog.New({ Output: (line) => entry.resolve(line), Format: "json" });
    app.UseRouter(counted.Handler(), log.Handler());
    app.Get("/", source);
    await overSocket(app, async (_ask, port) => {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      await response.bytes().catch(() => {});
      const { status, error } = JSON.parse(await entry.promise);
      assertEquals([status, error], [200, failure]);
    });
    assertStringIncludes(counted.Text(), "http_server_broken_responses_total{");
  });
}

Deno.test("hasStream() distinguishes streams from other bodies without reading them", async () => {
  assertEquals(hasStream(new Response(new ReadableStream())), true);
  for (const body of ["text", new Uint8Array(3), null]) assertEquals(hasStream(new Response(body)), false);
  assertEquals(hasStream(Response.json({})), false);
  // The server sends these bodies without a stream, which is lost when `body` is read.
  const fast = Object.getOwnPropertySymbols(new Response("text")).map((symbol) => symbol.description);
  assertEquals(fast.includes("serve fast body"), true);
  await Promise.resolve();
});
