import type * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import { assertEquals } from "@std/assert";
import { overSocket, quiet, type Received } from "../serving.ts";

const text = "tea ".repeat(1000);
const file = new URL("../../deno.lock", import.meta.url);

/** Handlers that write the same kind of page in different ways. */
const pages: Readonly<Record<string, fw.Handler>> = {
  "/text": (ctx) => ctx.WriteString(text),
  "/json": (ctx) => ctx.JSON({ text }),
  "/bytes": (ctx) => {
    ctx.ContentType("text/plain");
    ctx.Write(new TextEncoder().encode(text));
  },
  "/response": () => new Response(text, { headers: { "cache-control": "max-age=60", vary: "accept-language" } }),
  "/tagged": () =>
    new Response(text, { headers: { "cache-control": "max-age=60", vary: "accept-language", etag: '"own"' } }),
  "/stream": (ctx) => ctx.Stream([text]),
  "/file": (ctx) => ctx.ServeFile(file),
  "/content": (ctx) => ctx.ServeContent(text, "tea.txt"),
  "/long": (ctx) => ctx.ServeContent(text.repeat(400), "tea.txt"),
  "/short": (ctx) => ctx.WriteString("tea"),
  "/empty": (ctx) => ctx.StatusCode(200),
  "/missing": (ctx) => ctx.NotFound(),
};

const orders: Readonly<Record<string, () => fw.Handler[]>> = {
  none: () => [],
  etag: () => [etag.New()],
  compress: () => [compress.New()],
  "compress, etag": () => [compress.New(), etag.New()],
  "etag, compress": () => [etag.New(), compress.New()],
  "compress, etag, cache": () => [compress.New(), etag.New(), cache.New({ MaxAge: 60_000 })],
  "cache, compress, etag": () => [cache.New({ MaxAge: 60_000 }), compress.New(), etag.New()],
};

/** The applications in which the middleware and the pages are: in the same one, or in one around the other. */
const places: Readonly<Record<string, (order: readonly fw.Handler[]) => fw.Application>> = {
  "": (order) => withPages(order),
  " around a mount": (order) => mounted(order, withPages([])),
  " around a mount and in it": ([first, ...rest]) => mounted(first === undefined ? [] : [first], withPages(rest)),
};

function withPages(order: readonly fw.Handler[]): fw.Application {
  const app = quiet();
  app.UseRouter(...order);
  for (const [path, handler] of Object.entries(pages)) app.Get(path, handler);
  return app;
}

function mounted(order: readonly fw.Handler[], inner: fw.Application): fw.Application {
  const app = quiet();
  app.UseRouter(...order);
  app.Mount("/", inner);
  return app;
}

/** Returns the headers that are the same for all responses of a page, regardless of how the body is sent. */
function lasting({ headers }: Received, omitted: readonly string[] = []): Record<string, string> {
  const names = ["age", "cache-status", "content-length", "date", "transfer-encoding", ...omitted];
  return Object.fromEntries([...headers].filter(([name]) => !names.includes(name)));
}

for (const [name, order] of Object.entries(orders)) {
  for (const [place, newApp] of Object.entries(places)) {
    for (const coding of ["identity", "gzip"]) {
      Deno.test(`Application with ${name}${place} sends the headers of GET with HEAD and 304 for ${coding}`, async () => {
        await overSocket(newApp(order()), async (_, port) => {
          for (const path of Object.keys(pages)) await compareHeaders(port, path, coding, place !== "");
        });
      });
    }
  }
}

async function compareHeaders(port: number, path: string, coding: string, isMounted: boolean): Promise<void> {
  const ask = (method: string, tag = "") => askRaw(port, method, path, { "accept-encoding": coding, tag });
  const get = await ask("GET");
  const head = await ask("HEAD");
  // The tag of a body is not known to an application around the one that has omitted the body.
  const isUntagged = isMounted && !head.headers.has("etag");
  assertEquals(lasting(head), lasting(get, isUntagged ? ["etag"] : []), path);
  const length = head.headers.get("content-length") ?? String(get.bytes.length);
  assertEquals(length, String(get.bytes.length), `length of ${path}`);
  if (path === "/short") assertEquals([get.text, get.headers.has("content-encoding")], ["tea", false]);
  const tag = get.headers.get("etag") ?? "";
  if (tag === "") return;
  const known = await ask("GET", tag);
  if (known.status === 200) return;
  const unsent = ["accept-ranges", "content-encoding", "content-type", "last-modified"];
  assertEquals(lasting(known, unsent), lasting(get, unsent), `304 of ${path}`);
  assertEquals(known.headers.has("content-type"), false, path);
  if (!isUntagged) assertEquals(lasting(await ask("HEAD", tag)), lasting(known), `HEAD and 304 of ${path}`);
}

Deno.test("etag.New() does not tag the empty body of a HEAD response", async () => {
  const app = quiet();
  app.UseRouter(etag.New());
  app.Get("/long", (ctx) => ctx.ServeContent(text.repeat(400), "tea.txt"));
  app.Head("/own", () => new Response(null, { headers: { "content-length": "4000" } }));
  app.Get("/own", (ctx) => ctx.WriteString(text));
  for (const path of ["/long", "/own"]) {
    const response = await app.fetch(new Request(`http://localhost${path}`, { method: "HEAD" }));
    assertEquals([response.status, response.headers.get("etag")], [200, null], path);
  }
});

Deno.test("Recorder.SetBody() keeps the headers of a returned Response without a body", async () => {
  const app = quiet();
  app.UseRouter((ctx) => {
    ctx.Recorder().OnSend((recorder) => recorder.SetBody("tea"));
    return ctx.Next();
  });
  app.Get("/", () => new Response(null, { headers: { "x-tea": "Assam", "content-type": "text/html" } }));
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals(await response.text(), "tea");
  assertEquals([response.headers.get("x-tea"), response.headers.get("content-type")], ["Assam", "text/html"]);
});

Deno.test("cache.New() does not give an empty response a content type", async () => {
  const app = quiet();
  app.Get("/", cache.New({ MaxAge: 60_000 }), (ctx) => ctx.StatusCode(200));
  for (const age of [null, "0"]) {
    const { headers } = await app.fetch(new Request("http://localhost/"));
    assertEquals([headers.get("age"), headers.get("content-type")], [age, null]);
  }
});

/** Sends one request over a new connection. Unlike `fetch`, the response is not decompressed. */
async function askRaw(
  port: number,
  method: string,
  path: string,
  { tag, ...headers }: Record<string, string>,
): Promise<Received> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const all = { host: "localhost", connection: "close", ...headers, ...tag !== "" && { "if-none-match": tag } };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  await connection.write(new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  const sent = new Uint8Array(await new Response(connection.readable).arrayBuffer());
  const [head = ""] = new TextDecoder("latin1").decode(sent).split("\r\n\r\n", 1);
  const [status = "", ...pairs] = head.split("\r\n");
  const received = new Headers();
  for (const line of pairs) received.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1));
  const body = sent.slice(head.length + 4);
  const bytes = received.get("transfer-encoding") === "chunked" ? unchunked(body) : body;
  return { status: Number(status.split(" ")[1]), headers: received, bytes, text: new TextDecoder().decode(bytes) };
}

function unchunked(body: Uint8Array): Uint8Array {
  const chunks: number[] = [];
  const latin = new TextDecoder("latin1").decode(body);
  for (let at = 0;;) {
    const end = latin.indexOf("\r\n", at);
    const length = parseInt(latin.slice(at, end), 16);
    if (length === 0) return new Uint8Array(chunks);
    chunks.push(...body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
