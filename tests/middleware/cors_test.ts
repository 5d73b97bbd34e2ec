import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as cors from "../../src/middleware/cors.ts";
import { askInProcess, bothWays, quiet } from "../serving.ts";

const shop = "https://shop.example";

function appWith(options?: cors.Options): fw.Application {
  const app = quiet();
  app.UseRouter(cors.New(options));
  app.Get("/", (ctx) => ctx.WriteString("text"));
  app.Put("/", (ctx) => ctx.WriteString("put"));
  return app;
}

/** Returns the CORS headers and the Vary header of a response. */
async function granted(
  options: cors.Options | undefined,
  headers: Record<string, string>,
  method = "GET",
): Promise<Record<string, string>> {
  const response = await askInProcess(appWith(options), "/", { method, headers });
  const all = Object.fromEntries([...response.headers].filter(([name]) => /^access-|^vary$/.test(name)));
  return { ...all, status: String(response.status) };
}

function preflight(origin: string, more: Record<string, string> = {}): Record<string, string> {
  return { origin, "access-control-request-method": "PUT", ...more };
}

Deno.test("cors.New() allows every origin by default, without credentials", async () => {
  const expected = { "access-control-allow-origin": "*", status: "200" };
  assertEquals(await granted(undefined, { origin: shop }), expected);
  assertEquals(await granted(undefined, {}), expected);
  assertEquals(await granted(undefined, { origin: "null" }), expected);
});

Deno.test("cors.New() with one origin always sends it, without Vary", async () => {
  const expected = { "access-control-allow-origin": shop, "access-control-allow-credentials": "true", status: "200" };
  const options = { Origins: shop, AllowCredentials: true };
  assertEquals(await granted(options, { origin: shop }), expected);
  assertEquals(await granted(options, { origin: "https://evil.example" }), expected);
});

Deno.test("cors.New() with several origins sends the requesting one, with Vary", async () => {
  const options = { Origins: [shop, "https://admin.example"], ExposeHeaders: ["x-total", "x-page"] };
  assertEquals(await granted(options, { origin: shop }), {
    "access-control-allow-origin": shop,
    "access-control-expose-headers": "x-total, x-page",
    vary: "Origin",
    status: "200",
  });
  assertEquals(await granted(options, { origin: "https://evil.example" }), { vary: "Origin", status: "200" });
  assertEquals(await granted(options, {}), { vary: "Origin", status: "200" });
});

const listed = { Origins: [shop, "https://*.example.org", "http://localhost:3000"] };
const origins: [origin: string, isAllowed: boolean][] = [
  [shop, true],
  ["http://localhost:3000", true],
  ["https://a.example.org", true],
  ["https://a.b.example.org", true],
  ["https://example.org", false],
  // Origins must match as a whole, including prefix, suffix, case, scheme and port.
  ["https://shop.example.evil.example", false],
  ["https://evil-shop.example", false],
  ["https://evilshop.example", false],
  ["http://shop.example", false],
  ["https://shop.example:8443", false],
  ["https://SHOP.example", false],
  ["https://shop.example/", false],
  ["https://shop.example.", false],
  ["https://evilexample.org", false],
  ["https://a.example.org.evil.example", false],
  ["https://evil.example/.example.org", false],
  ["https://evil.example#.example.org", false],
  ["https://evil.example?.example.org", false],
  ["https://evil.example:80.example.org", false],
  ["https://user@a.example.org", false],
  ["https://.example.org", false],
  ["https://*.example.org", false],
  ["http://a.example.org", false],
  ["https://a.example.org:1", false],
  ["null", false],
  ["", false],
  // Two headers with the same name are combined into one.
  [`${shop}, https://evil.example`, false],
  [`https://evil.example, ${shop}`, false],
  ["http://localhost:30000", false],
  ["http://localhost", false],
];
for (const [origin, isAllowed] of origins) {
  Deno.test(`cors.New() with a list ${isAllowed ? "allows" : "does not allow"} ${JSON.stringify(origin)}`, async () => {
    const headers = await granted(listed, { origin });
    assertEquals(headers["access-control-allow-origin"], isAllowed ? origin : undefined);
    const before = await granted(listed, preflight(origin), "OPTIONS");
    assertEquals(before["access-control-allow-origin"], isAllowed ? origin : undefined);
  });
}

Deno.test("cors.New() accepts an asynchronous function that receives the request", async () => {
  const seen: string[] = [];
  const Origins = async (origin: string, ctx: fw.Context) => {
    seen.push(`${ctx.Method()} ${origin}`);
    await Promise.resolve();
    return origin.endsWith(".example");
  };
  assertEquals((await granted({ Origins }, { origin: shop }))["access-control-allow-origin"], shop);
  assertEquals(await granted({ Origins }, { origin: "https://x.org" }), { vary: "Origin", status: "200" });
  assertEquals((await granted({ Origins }, preflight(shop), "OPTIONS")).status, "204");
  assertEquals(seen, [`GET ${shop}`, "GET https://x.org", `OPTIONS ${shop}`]);
});

Deno.test("cors.New() never allows credentials for the origin null, regardless of a function", async () => {
  const Origins = () => true;
  assertEquals((await granted({ Origins }, { origin: "null" }))["access-control-allow-origin"], "null");
  const withCookies = { Origins, AllowCredentials: true };
  assertEquals(await granted(withCookies, { origin: "null" }), { vary: "Origin", status: "200" });
  assertEquals(
    await granted(withCookies, preflight("null"), "OPTIONS"),
    { vary: "Origin, Access-Control-Request-Headers", status: "204" },
  );
});

Deno.test("cors.New() fails the request and allows nothing if the function throws", async () => {
  const options = { Origins: () => Promise.reject(new Error("database")) };
  assertEquals(await granted(options, { origin: shop }), { vary: "Origin, Accept", status: "500" });
});

bothWays(
  "cors.New() responds to a preflight without running a handler, even for a path without a route",
  () => {
    const app = appWith({ Origins: [shop], AllowCredentials: true, MaxAge: 599_500 });
    app.Handle("OPTIONS", "/own", () => {
      throw new Error("ran");
    });
    return app;
  },
  async (ask) => {
    for (const path of ["/", "/absent", "/own"]) {
      const headers = preflight(shop, { "access-control-request-headers": "x-a, x-b" });
      const response = await ask(path, { method: "OPTIONS", headers });
      assertEquals(response.status, 204, path);
      assertEquals(response.headers.get("access-control-allow-origin"), shop);
      assertEquals(response.headers.get("access-control-allow-credentials"), "true");
      assertEquals(response.headers.get("access-control-allow-methods"), "GET, HEAD, PUT, PATCH, POST, DELETE");
      assertEquals(response.headers.get("access-control-allow-headers"), "x-a, x-b");
      assertEquals(response.headers.get("access-control-max-age"), "600");
      assertEquals(response.headers.get("vary"), "Origin, Access-Control-Request-Headers");
      assertEquals(response.text, "");
    }
  },
);

Deno.test("cors.New() passes OPTIONS requests that are not preflights to the application", async () => {
  const app = appWith();
  const response = await askInProcess(app, "/", { method: "OPTIONS", headers: { origin: shop } });
  assertEquals(response.headers.get("allow"), "GET, HEAD, OPTIONS, PUT");
  const other = await askInProcess(app, "/", {
    method: "OPTIONS",
    headers: { "access-control-request-method": "PUT" },
  });
  assertEquals(other.headers.get("allow"), "GET, HEAD, OPTIONS, PUT");
});

Deno.test("cors.New() allows only the configured methods and headers", async () => {
  const options = { AllowMethods: ["GET"], AllowHeaders: ["x-a"] };
  assertEquals(await granted(options, preflight(shop, { "access-control-request-headers": "x-evil" }), "OPTIONS"), {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "x-a",
    status: "204",
  });
  const none = await granted(
    { AllowHeaders: [] },
    preflight(shop, { "access-control-request-headers": "x" }),
    "OPTIONS",
  );
  assertEquals(none["access-control-allow-headers"], undefined);
});

Deno.test("cors.New() allows private network access only if configured, with Vary", async () => {
  const headers = preflight(shop, { "access-control-request-private-network": "true" });
  assertEquals((await granted({}, headers, "OPTIONS"))["access-control-allow-private-network"], undefined);
  const open = await granted({ AllowPrivateNetwork: true }, headers, "OPTIONS");
  assertEquals(open["access-control-allow-private-network"], "true");
  assertEquals(open.vary, "Access-Control-Request-Headers, Access-Control-Request-Private-Network");
  const other = await granted({ AllowPrivateNetwork: true }, preflight(shop), "OPTIONS");
  assertEquals(other["access-control-allow-private-network"], undefined);
});

Deno.test("cors.New() also sets its headers on error pages", async () => {
  const app = appWith({ Origins: [shop] });
  app.Get("/fails", () => {
    throw new fw.HTTPError(409, "Taken");
  });
  const response = await askInProcess(app, "/fails", { headers: { origin: shop } });
  assertEquals([response.status, response.headers.get("access-control-allow-origin")], [409, shop]);
});

Deno.test("cors.New() adds to an existing Vary header", async () => {
  const app = quiet();
  app.UseRouter((ctx) => {
    ctx.AddHeader("Vary", "Accept");
    return ctx.Next();
  });
  app.UseRouter(cors.New({ Origins: [shop] }));
  app.Get("/returned", () => new Response("x", { headers: { vary: "Cookie" } }));
  assertEquals((await askInProcess(app, "/")).headers.get("vary"), "Accept, Origin");
  assertEquals((await askInProcess(app, "/returned")).headers.get("vary"), "Cookie, Accept, Origin");
});

const refused: [string, cors.Options][] = [
  ["credentials for every origin", { AllowCredentials: true }],
  ["credentials for *", { Origins: "*", AllowCredentials: true }],
  ["* in a list", { Origins: ["*"] }],
  ["an origin without scheme", { Origins: "shop.example" }],
  ["an origin with a path", { Origins: "https://shop.example/" }],
  ["an origin in capitals", { Origins: "https://Shop.example" }],
  ["an origin with the port of its scheme", { Origins: "https://shop.example:443" }],
  ["the origin null", { Origins: ["null"] }],
  ["a star in the middle", { Origins: "https://shop.*.example" }],
  ["a star without a dot", { Origins: "https://*shop.example" }],
  ["two stars", { Origins: "https://*.*.example" }],
  ["a negative age", { MaxAge: -1 }],
  ["an age without an end", { MaxAge: Infinity }],
  ["a header with a line break", { ExposeHeaders: ["x\r\nset-cookie: a=1"] }],
];
for (const [what, options] of refused) {
  Deno.test(`cors.New() rejects ${what}`, () => {
    assertThrows(() => cors.New(options), fw.FrameworkError);
  });
}

Deno.test("cors.New() in a party replaces the headers of cors.New() around it", async () => {
  const other = "https://other.example";
  const inner = quiet();
  inner.UseRouter(cors.New({ Origins: [shop, other] }));
  inner.Get("/", (ctx) => ctx.WriteString("text"));
  for (const Origins of ["*", [shop, other]]) {
    const app = quiet();
    app.UseRouter(cors.New({ Origins }));
    app.Party("/party", cors.New({ Origins: [shop, other], ExposeHeaders: ["x-tea"] })).Get(
      "/",
      (ctx) => ctx.Text("tea"),
    );
    app.Mount("/mounted", inner.fetch);
    for (const path of ["/party", "/mounted"]) {
      const { headers } = await askInProcess(app, path, { headers: { origin: shop } });
      const allowed = path === "/mounted" && Origins === "*" ? "*" : shop;
      assertEquals([headers.get("access-control-allow-origin"), headers.get("vary")], [allowed, "Origin"], path);
    }
  }
});
