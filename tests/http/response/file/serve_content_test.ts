import { assertEquals } from "@std/assert";
import type * as fw from "../../../../mod.ts";
import { bothWays, quiet } from "../../../serving.ts";

const text = "0123456789";
const modified = new Date("2026-01-02T03:04:05.678Z");

/** Creates an application that serves the same text in several forms. */
function application(): fw.Application {
  const app = quiet();
  const slices: string[] = [];
  app.Get("/text", (ctx) => ctx.ServeContent(text, "a.txt", modified));
  app.Get("/bytes", (ctx) => ctx.ServeContent(new TextEncoder().encode(text), "a.txt", modified));
  app.Get("/blob", (ctx) => ctx.ServeContent(new Blob([text]), "a.txt", modified));
  app.Get("/source", (ctx) => {
    const slice = (start: number, end: number) => {
      slices.push(`${start}-${end}`);
      return new Blob([text.slice(start, end)]);
    };
    return ctx.ServeContent({ size: text.length, slice }, "a.txt", modified);
  });
  app.Get("/slices", (ctx) => ctx.JSON(slices));
  app.Get("/own", (ctx) => {
    ctx.Header("etag", '"own"');
    ctx.ContentType("application/x-own");
    return ctx.ServeContent(text, "a.png");
  });
  app.Get("/large", (ctx) => ctx.ServeContent(new Uint8Array(2 << 20), "a.bin"));
  app.Get("/empty", (ctx) => ctx.ServeContent("", "a.txt"));
  return app;
}

bothWays(
  "Context.ServeContent() serves text, bytes, blobs and sources, whole and in parts",
  application,
  async (ask) => {
    for (const path of ["/text", "/bytes", "/blob", "/source"]) {
      const all = await ask(path);
      assertEquals([all.status, all.text], [200, text], path);
      assertEquals(all.headers.get("content-type"), "text/plain; charset=UTF-8");
      assertEquals(all.headers.get("content-length"), "10");
      assertEquals(all.headers.get("accept-ranges"), "bytes");
      assertEquals(all.headers.get("last-modified"), "Fri, 02 Jan 2026 03:04:05 GMT");
      const part = await ask(path, { headers: { range: "bytes=2-4" } });
      assertEquals([part.status, part.text, part.headers.get("content-range")], [206, "234", "bytes 2-4/10"]);
      const parts = await ask(path, { headers: { range: "bytes=0-1,-2" } });
      assertEquals(parts.status, 206);
      assertEquals(parts.text.match(/\r\n\r\n(\d+)/g), ["\r\n\r\n01", "\r\n\r\n89"]);
      const beyond = await ask(path, { headers: { range: "bytes=10-" } });
      assertEquals([beyond.status, beyond.headers.get("content-range")], [416, "bytes */10"]);
      const head = await ask(path, { method: "HEAD" });
      assertEquals([head.status, head.text, head.headers.get("content-length")], [200, "", "10"]);
      const tag = all.headers.get("etag") ?? "";
      for (const headers of [{ "if-none-match": tag }, { "if-modified-since": "Fri, 02 Jan 2026 03:04:05 GMT" }]) {
        assertEquals((await ask(path, { headers })).status, 304);
      }
      assertEquals((await ask(path, { headers: { "if-match": '"other"' } })).status, 412);
      const resumed = await ask(path, { headers: { range: "bytes=5-", "if-range": tag } });
      assertEquals([resumed.status, resumed.text], [206, "56789"]);
      const changed = await ask(path, { headers: { range: "bytes=5-", "if-range": '"other"' } });
      assertEquals([changed.status, changed.text], [200, text]);
    }
    const slices: string[] = JSON.parse((await ask("/slices")).text);
    assertEquals(slices.slice(0, 2), ["0-10", "2-5"], "only the requested parts are read");
  },
);

bothWays("Context.ServeContent() keeps the validators and the type of the handler", application, async (ask) => {
  const own = await ask("/own");
  assertEquals([own.headers.get("etag"), own.headers.get("content-type")], ['"own"', "application/x-own"]);
  assertEquals((await ask("/own", { headers: { "if-none-match": '"own"' } })).status, 304);
  const large = await ask("/large", { headers: { range: "bytes=-3" } });
  assertEquals([large.status, large.bytes.length, large.headers.has("etag")], [206, 3, false]);
  assertEquals((await ask("/large")).bytes.length, 2 << 20);
  const empty = await ask("/empty");
  assertEquals([empty.status, empty.text, empty.headers.get("content-length")], [200, "", "0"]);
});
