import type * as fw from "@fw/web";
import { assertEquals, assertNotEquals } from "@std/assert";
import { type Ask, bothWays, quiet } from "../../../serving.ts";

const [short, long] = [
  new URL("../../../../LICENSE", import.meta.url),
  new URL("../../../../CHANGELOG.md", import.meta.url),
];
const [tag, date] = ['"of the handler"', "Sun, 06 Nov 1994 08:49:37 GMT"];

function newApp(): fw.Application {
  const app = quiet();
  for (const [name, file] of [["short", short], ["long", long]] as const) {
    app.Get(`/${name}`, (ctx) => {
      ctx.Header("etag", tag);
      ctx.Header("last-modified", date);
      return ctx.ServeFile(file);
    });
  }
  app.Get("/tag", (ctx) => {
    ctx.Header("etag", tag);
    return ctx.ServeFile(short);
  });
  app.Get("/none", (ctx) => ctx.ServeFile(short));
  app.Get("/nonsense", (ctx) => {
    ctx.Header("last-modified", "yesterday");
    return ctx.ServeFile(short);
  });
  app.Get("/two", async (ctx) => {
    await ctx.ServeFile(long);
    await ctx.ServeFile(short);
  });
  return app;
}

async function statusOf(ask: Ask, path: string, headers: Record<string, string>): Promise<number> {
  return (await ask(path, { headers })).status;
}

bothWays("Context.ServeFile() keeps the ETag and Last-Modified of the handler", newApp, async (ask) => {
  for (const path of ["/short", "/long", "/short", "/long"]) {
    const { status, headers, bytes } = await ask(path);
    assertEquals([status, headers.get("etag"), headers.get("last-modified")], [200, tag, date]);
    assertEquals(bytes.length, Number(headers.get("content-length")));
    const head = await ask(path, { method: "HEAD" });
    assertEquals([head.headers.get("etag"), head.headers.get("last-modified")], [tag, date]);
  }
  const onlyTag = await ask("/tag");
  assertEquals(onlyTag.headers.get("etag"), tag);
  assertNotEquals(onlyTag.headers.get("last-modified"), null);
});

bothWays("Context.ServeFile() evaluates conditions with the handler's validators", newApp, async (ask) => {
  const own = (await ask("/none")).headers;
  for (const path of ["/short", "/long"]) {
    assertEquals(await statusOf(ask, path, { "if-none-match": tag }), 304);
    assertEquals(await statusOf(ask, path, { "if-none-match": own.get("etag") ?? "" }), 200);
    assertEquals(await statusOf(ask, path, { "if-modified-since": date }), 304);
    assertEquals(await statusOf(ask, path, { "if-modified-since": "Sun, 06 Nov 1994 08:49:36 GMT" }), 200);
    assertEquals(await statusOf(ask, path, { "if-match": own.get("etag") ?? "" }), 412);
    assertEquals(await statusOf(ask, path, { "if-match": tag }), 200);
    assertEquals(await statusOf(ask, path, { "if-unmodified-since": date }), 200);
    assertEquals(await statusOf(ask, path, { range: "bytes=0-3", "if-range": tag }), 206);
    assertEquals(await statusOf(ask, path, { range: "bytes=0-3", "if-range": own.get("etag") ?? "" }), 200);
  }
  const known = await ask("/short", { headers: { "if-none-match": tag } });
  assertEquals([known.headers.get("etag"), known.headers.get("last-modified")], [tag, date]);
});

bothWays(
  "Context.ServeFile() sends an invalid Last-Modified date unchanged and does not compare it",
  newApp,
  async (ask) => {
    const { status, headers } = await ask("/nonsense", { headers: { "if-modified-since": new Date().toUTCString() } });
    assertEquals([status, headers.get("last-modified")], [200, "yesterday"]);
  },
);

bothWays(
  "Context.ServeFile() does not mistake the validators of an earlier file for the handler's",
  newApp,
  async (ask) => {
    const [two, none] = [await ask("/two"), await ask("/none")];
    assertEquals([two.headers.get("etag"), two.text], [none.headers.get("etag"), none.text]);
  },
);
