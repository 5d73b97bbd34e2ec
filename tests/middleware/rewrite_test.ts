import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import { exchangeOf } from "../../src/core/context/context.ts";
import { encodedPath, rawPath } from "../../src/http/headers/request_url.ts";
import * as rewrite from "../../src/middleware/rewrite/mod.ts";
import { bothWays, overSocket, quiet } from "../serving.ts";

const rules: rewrite.Rule[] = [
  { From: "/old", To: "/new" },
  { From: "/café", To: "/coffee" },
  { From: "/v1/{rest:path}", To: "/api/{rest}" },
  { From: "/user/{id:int}/{tab}", To: "/people?id={id}&tab={tab}" },
  { From: "/moved/{name}", To: "/posts/{name}", Status: 301 },
  { From: "/away/{rest:path}", To: "https://other.example/{rest}", Status: 308 },
  { From: "/root/{rest:path}", To: "/{rest}", Status: 302 },
];

/** Returns the escaped path that the router received. */
function sentPath(ctx: fw.Context): string {
  return rawPath(exchangeOf(ctx).target);
}

function appWith(): fw.Application {
  const app = quiet();
  app.WrapRouter(rewrite.New({ Rules: rules }));
  app.Any("/{rest:path}", (ctx) => ctx.WriteString(`${ctx.Method()} ${sentPath(ctx)}?${ctx.URLParam("q")}`));
  app.Get("/people", (ctx) => ctx.JSON(ctx.URLParams()));
  app.Post("/api/echo", async (ctx) => ctx.WriteString(await ctx.PostValue("a")));
  return app;
}

bothWays("rewrite.New() serves requests at the new path, with any method and with the query", appWith, async (ask) => {
  assertEquals((await ask("/old")).text, "GET /new?");
  assertEquals((await ask("/old?q=1")).text, "GET /new?1");
  assertEquals((await ask("/v1/a/b?q=2", { method: "PUT" })).text, "PUT /api/a/b?2");
  assertEquals((await ask("/other")).text, "GET /other?");
  const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=form" };
  assertEquals((await ask("/v1/echo", form)).text, "form");
  assertEquals(JSON.parse((await ask("/user/7/posts?q=1")).text), { id: ["7"], tab: ["posts"], q: ["1"] });
  assertEquals((await ask("/user/x/posts")).text, "GET /user/x/posts?", "another type does not match");
});

bothWays("rewrite.New() decodes escapes like the router and passes them on", appWith, async (ask) => {
  assertEquals((await ask("/%6fld")).text, "GET /new?");
  assertEquals((await ask("/caf%C3%A9")).text, "GET /coffee?");
  assertEquals((await ask("/v1/a%2Fb/c%20d")).text, "GET /api/a%2Fb/c%20d?");
  assertEquals((await ask("/v1/t%C3%A9a%3Fx")).text, "GET /api/t%C3%A9a%3Fx?");
  assertEquals((await ask("/v1/%zz")).status, 400);
});

bothWays("rewrite.New() escapes values in a query", appWith, async (ask) => {
  const values = ["a&admin=1", "a=b", "a+b", "a%23b", "a%26b", "a%2Fb", "a%3Fb", "it's", "100%25", "t%C3%A9a"];
  for (const value of values) {
    const { text } = await ask(`/user/7/${value}?q=1`);
    assertEquals(JSON.parse(text), { id: ["7"], tab: [decodeURIComponent(value)], q: ["1"] }, value);
  }
});

Deno.test("rewrite.New() follows its rules for every spelling of a path", async () => {
  await overSocket(appWith(), async (ask) => {
    for (const path of ["//old", "/x/../old", "/./old", "/x/%2e%2e/old", "/%6f/x//../../../old"]) {
      assertEquals((await ask(path)).text, "GET /new?", path);
    }
    assertEquals((await ask("/v1/https://x/y")).text, "GET /api/https://x/y?");
  });
});

bothWays("rewrite.New() redirects with the status of its rule", appWith, async (ask) => {
  const moved = await ask("/moved/tea?q=1");
  assertEquals([moved.status, moved.headers.get("location"), moved.text], [301, "/posts/tea?q=1", ""]);
  const away = await ask("/away/a/b?q=1", { method: "POST" });
  assertEquals([away.status, away.headers.get("location")], [308, "https://other.example/a/b?q=1"]);
});

Deno.test("rewrite.New() never redirects to a site chosen by the client", async () => {
  await overSocket(appWith(), async (ask) => {
    const rows: [path: string, location: string | null][] = [
      ["/root//evil.example", "/evil.example"],
      ["/root///evil.example", "/evil.example"],
      ["/root/\\evil.example", "/%5Cevil.example"],
      ["/root/%5Cevil.example", "/%5Cevil.example"],
      ["/root/%2Fevil.example", "/%2Fevil.example"],
      ["/root/https://evil.example", "/https://evil.example"],
      ["/root/%09/evil.example", "/%09/evil.example"],
      ["/away//evil.example/", "https://other.example/evil.example/"],
      ["/away/@evil.example", "https://other.example/@evil.example"],
      ["/moved/a%0d%0aset-cookie:x=1", "/posts/a%0D%0Aset-cookie:x=1"],
    ];
    for (const [path, location] of rows) {
      const response = await ask(path);
      const found = response.headers.get("location");
      assertEquals(found, location, path);
      const target = new URL(found ?? "/", "http://localhost/x");
      assertEquals(["localhost", "other.example"].includes(target.hostname), true, path);
      assertEquals(response.headers.get("set-cookie"), null);
    }
  });
});

Deno.test("rewrite.New() cannot be used to leave the folder of a rule", async () => {
  const app = quiet();
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/f/{a}/{b}", To: "/public/{a}{b}/x" }] }));
  app.Any("/{rest:path}", (ctx) => ctx.WriteString(encodedPath(exchangeOf(ctx).target)));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/f/a/b")).text, "/public/ab/x");
    for (const path of ["/f/../b", "/f/%2e%2e/b", "/f/./.", "/f/%2e/%2e", "/f/..%2f/x", "/f/..%5c/x"]) {
      const { status, text } = await ask(path);
      if (status === 400) continue;
      assertEquals(/^\/public\/[^/]+\/x$/.test(text) || !text.startsWith("/public"), true, `${path} ${text}`);
      assertEquals(new URL(text, "http://x").pathname, text, `${path} ${text}`);
    }
  });
});

Deno.test("rewrite.New() runs before the guards of the new path", async () => {
  const app = quiet();
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/open/{rest:path}", To: "/admin/{rest}" }] }));
  const admin = app.Party("/admin");
  admin.Use((ctx) => ctx.StopWithStatus(403));
  admin.Get("/users", (ctx) => ctx.WriteString("users"));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/open/users")).status, 403);
    assertEquals((await ask("/admin/users")).status, 403);
  });
});

Deno.test("rewrite.New() applies one rule per request", async () => {
  const app = quiet();
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/a", To: "/b" }, { From: "/b", To: "/a" }] }));
  app.Any("/{rest:path}", (ctx) => ctx.WriteString(ctx.Path()));
  await overSocket(app, async (ask) => {
    assertEquals([(await ask("/a")).text, (await ask("/b")).text], ["/b", "/a"]);
  });
});

Deno.test("Application.WrapRouter() passes the target chosen by one wrapper to the next one", async () => {
  const app = quiet();
  app.WrapRouter((request, next) => next(request, { URL: "http://localhost/b" }));
  app.WrapRouter((request, next) => next(request, { Method: "PUT", URL: "http://localhost/a" }));
  app.Any("/{rest:path}", (ctx) => ctx.WriteString(`${ctx.Method()} ${ctx.Path()} ${ctx.Request().url}`));
  const response = await app.fetch(new Request("http://localhost/c", { method: "POST" }));
  assertEquals(await response.text(), "PUT /b http://localhost/c");
});

const refused: [string, rewrite.Rule[]][] = [
  ["a parameter that From does not have", [{ From: "/a/{x}", To: "/b/{y}" }]],
  ["another site without a redirect", [{ From: "/a", To: "https://other.example/" }]],
  ["a host that the client completes", [{ From: "/a/{x}", To: "https://other.example{x}/", Status: 301 }]],
  ["a path with two leading slashes", [{ From: "/a", To: "//other.example/", Status: 301 }]],
  ["a path with a backslash", [{ From: "/a", To: "/\\other.example/", Status: 301 }]],
  ["a target that is neither path nor URL", [{ From: "/a", To: "b" }]],
  ["a script", [{ From: "/a", To: "javascript:alert(1)", Status: 301 }]],
  ["a fragment", [{ From: "/a", To: "/b#c" }]],
  ["a target that is not escaped", [{ From: "/a", To: "/b c" }]],
  ["dots in a target", [{ From: "/a", To: "/b/../c" }]],
  ["a status that is not a redirect", [{ From: "/a", To: "/b", Status: 200 }]],
  ["a rule twice", [{ From: "/a", To: "/b" }, { From: "/a", To: "/c" }]],
  ["a redirect to itself", [{ From: "/a", To: "/a", Status: 301 }]],
  ["a redirect that its own rule takes again", [{ From: "/{x:path}", To: "/new/{x}", Status: 301 }]],
  ["a template that cannot be read", [{ From: "/a/{x:nonsense}", To: "/b" }]],
];
for (const [what, Rules] of refused) {
  Deno.test(`rewrite.New() rejects ${what}`, () => {
    assertThrows(() => rewrite.New({ Rules }), fw.FrameworkError);
  });
}
