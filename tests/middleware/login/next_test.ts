import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import { bothWays, quiet } from "../../serving.ts";

const origin = "http://app.example";

function newApp(): fw.Application {
  const app = fw.New();
  app.Get("/login", async (ctx) => ctx.Redirect(await auth.Next(ctx)));
  app.Post("/login", async (ctx) => ctx.Redirect(await auth.Next(ctx, { Default: "/home" }), 303));
  return app;
}

async function nextOf(app: fw.Application, next: string, path = "/login"): Promise<string> {
  const response = await app.fetch(new Request(`${origin}${path}?next=${encodeURIComponent(next)}`));
  return response.headers.get("location") ?? "";
}

const addresses: [address: string, next: string][] = [
  ["/a/b?c=d", "/a/b?c=d"],
  ["/", "/"],
  ["", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["\\\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["/\n/evil.example", "/"],
  [" //evil.example", "/"],
  ["https://evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["/a\\b", "/"],
  ["/..//evil.example", "/"],
  ["/.//evil.example", "/"],
  ["/a/../..//evil.example", "/"],
  ["/a//evil.example", "/"],
  ["/de//evil.example", "/"],
  ["/a/.//evil.example", "/"],
  ["/a#b", "/a"],
  ["/a/./b/../c", "/a/c"],
  ["/%2e%2e/%2e%2e//evil.example", "/"],
  ["/%2f%2fevil.example", "/"],
  ["/%2Fevil.example", "/"],
  ["/%5cevil.example", "/"],
  ["/a%5C%5Cevil.example", "/"],
  ["/%0d%0aLocation:%20https://evil.example", "/"],
  ["/%00", "/"],
  ["/caf%C3%A9?q=a%2Fb#part", "/caf%C3%A9?q=a%2Fb"],
  ["/caf\u00e9", "/caf%C3%A9"],
  ["/\u0085/evil.example", "/"],
  ["/search?next=https://evil.example", "/search?next=https://evil.example"],
  ["http:evil.example", "/"],
  ["https:/evil.example", "/"],
  ["mailto:ada@evil.example", "/"],
  ["orders", "/"],
  ["?page=2", "/"],
  [`/${"a".repeat(3_000)}`, "/"],
];
for (const [address, next] of addresses) {
  Deno.test(`auth.Next() of ${JSON.stringify(address.slice(0, 60))} leads to this application`, async () => {
    const found = await nextOf(newApp(), address);
    assertEquals(new URL(found, origin).origin, origin);
    assertEquals(found, next);
  });
}

bothWays("auth.Next() reads the form of a POST request, and falls back to the default", newApp, async (ask) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const post = async (body: string, query = "") =>
    (await ask(`/login${query}`, { method: "POST", headers, body })).headers.get("location");
  assertEquals(await post("next=%2Forders"), "/orders");
  assertEquals(await post("name=ada", "?next=%2Forders"), "/orders");
  assertEquals(await post("next=%2F%2Fevil.example"), "/home");
  assertEquals(await post("name=ada"), "/home");
});

for (const path of ["home", "//example.com", "/\\example.com", "https://example.com"]) {
  Deno.test(`auth.Next() refuses the default ${path}`, async () => {
    const app = quiet();
    app.Get("/login", async (ctx) => {
      const error = await assertRejects(() => auth.Next(ctx, { Default: path }), fw.FrameworkError);
      ctx.WriteString(error.message);
    });
    const response = await app.fetch(new Request("http://localhost/login"));
    assertStringIncludes(await response.text(), "a path that starts with a single slash");
  });
}

Deno.test("auth.Next() stays below the base path of the application", async () => {
  const app = newApp().Configure(fw.WithBasePath("/seats"));
  assertEquals(await nextOf(app, "/orders", "/seats/login"), "/seats/orders");
  assertEquals(await nextOf(app, "/seats/orders", "/seats/login"), "/seats/orders");
  assertEquals(await nextOf(app, "/seats/../admin", "/seats/login"), "/seats/admin");
  assertEquals(await nextOf(app, "/seatsadmin", "/seats/login"), "/seats/seatsadmin");
});

Deno.test("auth.Next() stays in a mounted application", async () => {
  const app = fw.New();
  app.Mount("/shop", newApp());
  assertEquals(await nextOf(app, "/orders", "/shop/login"), "/shop/orders");
  assertEquals(await nextOf(app, "/shop/orders", "/shop/login"), "/shop/orders");
});

/** The public path of the login, and the addresses with the paths that they lead to. */
type PrefixRow = [login: string, rows: Readonly<Record<string, string>>];

function translated(app: fw.Application): fw.Application {
  app.I18n.LoadKV({ en: { hi: "Hello" }, de: { hi: "Hallo" } }, "en", "de");
  return app;
}

function mounted(outer: fw.Application, inner: fw.Application): fw.Application {
  outer.Mount("/shop", inner);
  return outer;
}

const prefixes: Readonly<Record<string, [app: () => fw.Application, ...PrefixRow]>> = {
  "an application with languages": [
    () => translated(newApp()),
    "/de/login",
    {
      "/orders": "/de/orders",
      "/de/orders": "/de/orders",
      "/en/orders?a=b": "/en/orders?a=b",
      "/de//evil.example": "/de/",
    },
  ],
  "an application with languages below a base path": [
    () => translated(newApp()).Configure(fw.WithBasePath("/seats")),
    "/seats/de/login",
    { "/orders": "/seats/de/orders", "/seats/orders": "/seats/de/orders", "/seats/en/orders": "/seats/en/orders" },
  ],
  "a mounted application with languages": [
    () => mounted(fw.New(), translated(newApp())),
    "/shop/de/login",
    { "/orders": "/shop/de/orders", "/shop/orders": "/shop/de/orders", "/shop/en/orders": "/shop/en/orders" },
  ],
  "an application in one with languages": [
    () => mounted(translated(fw.New()), newApp()),
    "/de/shop/login",
    {
      "/orders": "/de/shop/orders",
      "/shop/orders": "/de/shop/orders",
      "/de/shop/orders": "/de/shop/orders",
      "/en/shop/orders?a=b": "/en/shop/orders?a=b",
      "/en/shop": "/en/shop",
      "/en/shopping": "/de/shop/en/shopping",
      "/en/shop//evil.example": "/de/shop/",
    },
  ],
};
for (const [name, [app, login, rows]] of Object.entries(prefixes)) {
  Deno.test(`auth.Next() leads to ${name} in any of its languages`, async () => {
    for (const [address, next] of Object.entries(rows)) {
      assertEquals(await nextOf(app(), address, login), next, address);
    }
  });
}

Deno.test("auth.Require() redirects pages to the login, and Next() leads back, also below a base path", async () => {
  const app = newApp().Configure(fw.WithBasePath("/seats"));
  app.Get("/private", auth.Require("/login"), (ctx) => ctx.WriteString("private"));
  const visit = async (path: string, accept: string, method = "GET") => {
    const response = await app.fetch(new Request(origin + path, { method, headers: { accept } }));
    return [response.status, response.headers.get("location")];
  };
  const login = "/seats/login?next=%2Fseats%2Fprivate%3Ftab%3D1";
  assertEquals(await visit("/seats/private?tab=1", "text/html"), [302, login]);
  assertEquals(await visit(login, "text/html"), [302, "/seats/private?tab=1"]);
  assertEquals(await visit("/seats/private", "application/json"), [401, null]);
});

Deno.test("auth.Require() adds the page to the query string of a login page", async () => {
  const app = quiet();
  app.Get("/private", auth.Require("/login?by=mail"), (ctx) => ctx.WriteString("private"));
  const response = await app.fetch(new Request(`${origin}/private`, { headers: { accept: "text/html" } }));
  assertEquals(response.headers.get("location"), "/login?by=mail&next=%2Fprivate");
});

for (const path of ["login", "//example.com", "/\\example.com", "https://example.com", "/login#form", "/a;b", 1]) {
  Deno.test(`auth.Require() refuses the login page ${path}`, () => {
    const error = assertThrows(() => auth.Require(path as string), fw.FrameworkError);
    assertStringIncludes(error.message, "a path that starts with a single slash, without a fragment");
  });
}
