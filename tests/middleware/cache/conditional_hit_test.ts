import { assertEquals } from "@std/assert";
import type * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import { type Ask, bothWays, quiet } from "../../serving.ts";

const [before, date, after] = [0, 1, 2].map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toUTCString()) as [
  string,
  string,
  string,
];
const text = "0123456789";

function newApp(): fw.Application {
  const app = quiet();
  const page: fw.Handler = (ctx) => {
    ctx.Header("etag", '"one"');
    ctx.Header("last-modified", date);
    ctx.Text(text);
  };
  app.Get("/page", cache.New({ MaxAge: 60_000 }), page);
  app.Get("/plain", cache.New({ MaxAge: 60_000 }), (ctx) => ctx.Text(text));
  app.Get("/dated", cache.New({ MaxAge: 60_000 }), (ctx) => {
    ctx.Header("last-modified", date);
    ctx.Text(text);
  });
  app.Get("/outer", etag.New(), cache.New({ MaxAge: 60_000 }), (ctx) => ctx.Text(text));
  app.Get("/compressed", compress.New(), cache.New({ MaxAge: 60_000 }), (ctx) => ctx.Text(text.repeat(1000)));
  app.Get("/missing", cache.New({ MaxAge: 60_000 }), (ctx) => ctx.StopWithText(404, text));
  return app;
}

/** The response to a request that hits the cache: its status, body and range. */
const rows: [path: string, headers: Record<string, string>, status: number, body: string, range?: string][] = [
  ["/page", {}, 200, text],
  ["/page", { "if-none-match": '"one"' }, 304, ""],
  ["/page", { "if-none-match": '"two"' }, 200, text],
  ["/page", { "if-modified-since": date }, 304, ""],
  ["/page", { "if-modified-since": after }, 304, ""],
  ["/page", { "if-modified-since": before }, 200, text],
  ["/page", { "if-modified-since": "yesterday" }, 200, text],
  ["/page", { "if-none-match": '"two"', "if-modified-since": after }, 200, text],
  ["/page", { "if-match": '"one"' }, 200, text],
  ["/page", { "if-match": "*" }, 200, text],
  ["/page", { "if-match": '"two"' }, 412, "Precondition Failed"],
  ["/page", { "if-unmodified-since": before }, 412, "Precondition Failed"],
  ["/page", { "if-unmodified-since": date }, 200, text],
  ["/page", { range: "bytes=2-4" }, 206, "234", "bytes 2-4/10"],
  ["/page", { range: "bytes=-3" }, 206, "789", "bytes 7-9/10"],
  ["/page", { range: "bytes=10-" }, 416, "Range Not Satisfiable", "bytes */10"],
  ["/page", { range: "lines=1-2" }, 200, text],
  ["/page", { range: "bytes=2-4", "if-range": '"one"' }, 206, "234", "bytes 2-4/10"],
  ["/page", { range: "bytes=2-4", "if-range": '"two"' }, 200, text],
  ["/page", { range: "bytes=2-4", "if-range": date }, 206, "234", "bytes 2-4/10"],
  ["/page", { range: "bytes=2-4", "if-none-match": '"one"' }, 304, ""],
  ["/plain", { range: "bytes=2-4" }, 206, "234", "bytes 2-4/10"],
  ["/plain", { "if-modified-since": after }, 200, text],
  ["/plain", { "if-match": '"two"' }, 200, text],
  ["/dated", { "if-modified-since": date }, 304, ""],
  ["/outer", { range: "bytes=2-4" }, 206, "234", "bytes 2-4/10"],
  ["/compressed", { range: "bytes=2-4", "accept-encoding": "gzip" }, 206, "234", "bytes 2-4/10000"],
  ["/missing", { range: "bytes=2-4" }, 404, text],
];

bothWays("cache.New() evaluates the conditions and the range of a hit", newApp, async (ask: Ask, way) => {
  for (const path of new Set(rows.map(([path]) => path))) await ask(path);
  for (const [path, headers, status, body, range] of rows) {
    const received = await ask(path, { headers });
    const name = `${path} ${JSON.stringify(headers)}`;
    assertEquals(
      [received.status, received.text, received.headers.get("content-range")],
      [status, body, range ?? null],
      name,
    );
    if (status < 400) assertEquals(received.headers.get("cache-status")?.startsWith("fw; hit"), true, name);
    if (status === 206 && way === "over a socket") assertEquals(received.headers.get("content-length"), "3", name);
  }
  const tag = (await ask("/outer")).headers.get("etag") ?? "";
  assertEquals((await ask("/outer", { headers: { "if-none-match": tag, range: "bytes=2-4" } })).status, 304);
  const head = await ask("/page", { method: "HEAD", headers: { range: "bytes=2-4" } });
  assertEquals([head.status, head.headers.get("content-range")], [200, null]);
  assertEquals((await ask("/page", { method: "HEAD", headers: { "if-modified-since": date } })).status, 304);
});

bothWays("cache.New() sends several ranges of a hit in multipart format", newApp, async (ask) => {
  await ask("/page");
  const { status, headers, text } = await ask("/page", { headers: { range: "bytes=0-1,8-9" } });
  const [, boundary = ""] = /^multipart\/byteranges; boundary=(\w+)$/.exec(headers.get("content-type") ?? "") ?? [];
  assertEquals([status, headers.get("content-range")], [206, null]);
  const parts = text.split(`--${boundary}`).slice(1, -1).map((part) => part.split("\r\n\r\n"));
  assertEquals(parts.map(([head = "", body = ""]) => [/bytes \S+/.exec(head)?.[0], body.trim()]), [
    ["bytes 0-1/10", "01"],
    ["bytes 8-9/10", "89"],
  ]);
});

bothWays("etag.New() responds with 304 if the page has not been modified since a date", () => {
  const app = quiet();
  app.Get("/", etag.New(), (ctx) => {
    ctx.Header("last-modified", date);
    ctx.Text(text);
  });
  return app;
}, async (ask) => {
  const statusOf = async (headers: Record<string, string>) => (await ask("/", { headers })).status;
  assertEquals(await statusOf({ "if-modified-since": date }), 304);
  assertEquals(await statusOf({ "if-modified-since": before }), 200);
  assertEquals(await statusOf({ "if-modified-since": date, "if-none-match": '"x"' }), 200);
});

for (const Key of [undefined, (ctx: fw.Context) => ctx.Path()]) {
  const name = Key === undefined ? "the default key" : "a key without the host";
  bothWays(`cache.New() does not mix the pages of applications behind SetHost, with ${name}`, () => {
    const shared = cache.New({ MaxAge: 60_000, ...Key !== undefined && { Key } });
    const site = (title: string) => {
      const app = quiet();
      let runs = 0;
      app.Use(shared);
      app.Get("/", (ctx) => ctx.Text(`${title} ${++runs}`));
      app.Post("/", (ctx) => ctx.StatusCode(204));
      const inner = quiet();
      inner.Use(shared);
      inner.Get("/", (ctx) => ctx.Text(`inner ${title}`));
      app.Mount("/inner", inner.fetch);
      return app;
    };
    const [a, b] = [site("a"), site("b")];
    const hosts = [["a.com", a], ["b.com", b], ["www.a.com", a]] as const;
    return apps.Switch(hosts.map(([Pattern, Target]) => ({ Pattern, Target })), apps.SetHost("inner.example"));
  }, async (ask) => {
    const get = async (host: string, path = "/") => (await ask(path, { headers: { host } })).text;
    const all = async () => [await get("a.com"), await get("b.com"), await get("www.a.com"), await get("b.com")];
    assertEquals(await all(), ["a 1", "b 1", "a 1", "b 1"]);
    if (Key === undefined) {
      assertEquals([await get("b.com", "/inner"), await get("a.com", "/inner")], ["inner b", "inner a"]);
    }
    await ask("/", { method: "POST", headers: { host: "www.a.com" } });
    assertEquals(await get("a.com"), "a 2", "a write at another host of the same application");
  });
}
