import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as cache from "../../../src/middleware/cache/mod.ts";
import { behindProxy } from "./upstream.ts";

/** The client of a load balancer that terminates TLS. */
const headers = {
  "x-forwarded-proto": "https",
  "x-forwarded-host": "tea.example",
  "x-forwarded-for": "203.0.113.7",
  "accept-language": "de",
  "accept-encoding": "gzip",
};

/** Sends a request to a proxy at `/api`, whose upstream has mounted the application at `/shop`. */
async function through(
  path: string,
  prepare: (front: fw.Application) => void = () => {},
  requests = 1,
): Promise<{ response: Response; body: Uint8Array }> {
  const inner = fw.New();
  inner.I18n.LoadKV({ en: { hi: "Hello" }, de: { hi: "Hallo" } }, "en", "de");
  inner.Use(fw.Compression);
  inner.Get("/prefix", (ctx) => ctx.Redirect("/cart"));
  inner.Get("/cart", (ctx) => ctx.WriteString("cart")).SetName("cart");
  inner.Get("/links", (ctx) => ctx.JSON([ctx.URLPath("cart"), ctx.AbsoluteURI(ctx.URLPath("cart"))]));
  inner.Get("/scheme", (ctx) => ctx.WriteString(ctx.Scheme()));
  inner.Get("/host", (ctx) => ctx.WriteString(ctx.Host()));
  inner.Get("/address", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  inner.Get("/language", (ctx) => ctx.WriteString(ctx.Tr("hi")));
  inner.Get("/encoding", (ctx) => ctx.WriteString("tea ".repeat(2_000)));
  inner.Get("/age", (ctx) => {
    ctx.Header("Age", "30");
    ctx.Header("Cache-Control", "public, max-age=60");
    return ctx.WriteString("old");
  });
  const upstream = fw.New().Configure(fw.WithProxy({ Trust: ["127.0.0.1"] }));
  upstream.Use(fw.Compression);
  upstream.Mount("/shop", inner);
  for (const app of [inner, upstream]) app.Logger().SetOutput(() => {});
  let result: { response: Response; body: Uint8Array } | undefined;
  await behindProxy(upstream.fetch, (front, url) => {
    front.Configure(fw.WithProxy({ Trust: ["127.0.0.1"] }));
    prepare(front);
    front.Party("/api").Any("/{path:path}", fw.Proxy(url));
  }, async (origin) => {
    for (let count = 0; count < requests; count++) {
      const response = await fetch(`${origin}/api/shop${path}`, { headers, redirect: "manual" });
      result = { response, body: await response.bytes() };
    }
  });
  if (result === undefined) throw new Error("There was no request");
  return result;
}

async function text(path: string): Promise<string> {
  return new TextDecoder().decode((await through(path)).body);
}

/** The facts, and what a visitor of the innermost application sees. */
const facts: Readonly<Record<string, () => Promise<void>>> = {
  async Prefix() {
    assertEquals((await through("/prefix")).response.headers.get("location"), "/api/shop/cart");
    assertEquals(JSON.parse(await text("/links")), ["/api/shop/cart", "https://tea.example/api/shop/cart"]);
  },
  async Scheme() {
    assertEquals(await text("/scheme"), "https");
  },
  async Host() {
    assertEquals(await text("/host"), "tea.example");
  },
  async Address() {
    assertEquals(await text("/address"), "203.0.113.7");
  },
  async Language() {
    const { response, body } = await through("/language");
    assertEquals(new TextDecoder().decode(body), "Hallo");
    assertEquals(list(response, "vary").filter((each) => each === "accept-language"), ["accept-language"]);
  },
  async Encoding() {
    const { response, body } = await through("/encoding", (front) => front.Use(fw.Compression));
    assertEquals(list(response, "vary").filter((each) => each === "accept-encoding"), ["accept-encoding"]);
    // The client has decompressed the body once.
    assertEquals(new TextDecoder().decode(body), "tea ".repeat(2_000));
    assertEquals(list(response, "content-encoding"), ["gzip"]);
  },
  async Age() {
    assertEquals((await through("/age")).response.headers.get("age"), "30");
    const stored = await through("/age", (front) => front.Use(cache.New()), 2);
    assertEquals(list(stored.response, "age").map((age) => Number(age) >= 30 && Number(age) < 60), [true]);
    assertEquals(stored.response.headers.get("cache-control"), "public, max-age=60");
  },
};

/** Returns the items of a header. */
function list(response: Response, name: string): string[] {
  return (response.headers.get(name) ?? "").toLowerCase().split(/ *, */).filter((each) => each !== "");
}

for (const [name, check] of Object.entries(facts)) {
  Deno.test(`Proxy(), Mount() and the application agree on the fact "${name}"`, check);
}

Deno.test("the book and the description of the architecture list the facts", async () => {
  for (const file of ["examples/book/reference/behind-a-proxy.md", ".github/ARCHITECTURE.md"]) {
    const text = await Deno.readTextFile(new URL(`../../../${file}`, import.meta.url));
    const [, rows = ""] = /\n\| Fact +\|.*\n.*\n((?:\|.*\n)+)/.exec(text) ?? [];
    const names = rows.trim().split("\n").map((row) => row.split("|")[1]?.trim());
    assertEquals(names, Object.keys(facts), file);
  }
});
