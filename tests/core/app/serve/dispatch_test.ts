import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { bothWays, overSocket, quiet, type Received, sendBytes } from "../../../serving.ts";

function text(body: string): fw.Handler {
  return (ctx) => ctx.WriteString(body);
}

/** Responds with the parameters as JSON. */
function params(ctx: fw.Context): void {
  ctx.JSON(Object.fromEntries(ctx.Params().Entries()));
}

/** Returns the body, or the status if it is an error. */
function said(response: Received): string {
  return response.status < 400 ? response.text : String(response.status);
}

// Escape sequences

bothWays("Application decodes escapes once, after the path was split", () => {
  const app = quiet();
  app.Get("/one/{x}", params);
  app.Get("/two/{x}/{y}", params);
  app.Get("/rest/{p:path}", params);
  return app;
}, async (ask) => {
  const cases: [path: string, expected: unknown][] = [
    ["/one/a%20b", { x: "a b" }],
    ["/one/a+b", { x: "a+b" }],
    ["/one/a%2Fb", { x: "a/b" }],
    ["/one/a%2fb%2F", { x: "a/b/" }],
    ["/one/%2F", { x: "/" }],
    ["/one/a%252Fb", { x: "a%2Fb" }],
    ["/one/%25", { x: "%" }],
    ["/one/%2525", { x: "%25" }],
    ["/one/%E2%82%AC", { x: "€" }],
    ["/one/%F0%9F%98%80", { x: "😀" }],
    ["/one/%F0%9F%90%AF", { x: "🐯" }],
    ["/one/%F0%9F%90%AF%2F%F0%9F%90%AF", { x: "🐯/🐯" }],
    ["/one/%00", { x: "\0" }],
    ["/one/%3Fa%23b", { x: "?a#b" }],
    ["/two/a%2Fb/c", { x: "a/b", y: "c" }],
    ["/two/%2F/%2F", { x: "/", y: "/" }],
    ["/rest/a%2Fb/c%20d/e", { p: "a/b/c d/e" }],
    ["/rest/caf%C3%A9", { p: "café" }],
    ["/one/x?y=%zz", { x: "x" }],
  ];
  for (const [path, expected] of cases) assertEquals(JSON.parse((await ask(path)).text), expected, path);
});

bothWays("Application responds with 400 to a malformed escape", () => {
  const app = quiet();
  app.Get("/{p:path}", params);
  app.Get("/", text("root"));
  return app;
}, async (ask) => {
  for (
    const path of [
      "/%",
      "/a%",
      "/%z",
      "/%zz",
      "/%2",
      "/a/%e",
      "/%ff",
      "/%C3",
      "/%C3%28",
      "/%ED%A0%80",
      "/%ED%B0%AF",
      "/%F8%80%80%80%80",
    ]
  ) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [400, "Bad Request"], path);
  }
  assertEquals((await ask("/%zz", { method: "POST" })).status, 400);
  assertEquals((await ask("/ok?%zz")).status, 200);
});

bothWays("Application finds static routes with and without escape sequences", () => {
  const app = quiet();
  app.Get("/café/naïve", text("utf-8"));
  app.Get("/caf%C3%A9/escaped", text("escaped"));
  app.Get("/a b", text("blank"));
  app.Get("/a%2Fb", text("inner slash"));
  app.Get("/a/b", text("outer slash"));
  app.Get("/100%25", text("percent"));
  app.Get("/plain", text("plain"));
  return app;
}, async (ask) => {
  assertEquals(said(await ask("/caf%C3%A9/na%C3%AFve")), "utf-8");
  assertEquals(said(await ask("/caf%c3%a9/escaped")), "escaped");
  assertEquals(said(await ask("/a%20b")), "blank");
  assertEquals(said(await ask("/a%2Fb")), "inner slash");
  assertEquals(said(await ask("/a/b")), "outer slash");
  assertEquals(said(await ask("/100%25")), "percent");
  assertEquals(said(await ask("/%70lain")), "plain");
  assertEquals(said(await ask("/caf%C3%A8/naive")), "404");
});

bothWays("Application passes the decoded value to types", () => {
  const app = quiet();
  app.Get("/{n:int}", text("int"));
  app.Get("/{w:alphabetical}", text("letters"));
  app.Get("/{f:file}", text("file"));
  app.Get("/{s eq(a/b)}", text("a/b"));
  return app;
}, async (ask) => {
  assertEquals(said(await ask("/%31%32")), "int");
  assertEquals(said(await ask("/a%20b")), "letters");
  assertEquals(said(await ask("/a.%74xt")), "file");
  assertEquals(said(await ask("/%2e%2e%2f")), "404");
  assertEquals(said(await ask("/a%2Fb")), "a/b");
});

bothWays("Application passes an escaped slash to custom functions and types as a slash", () => {
  const app = quiet();
  app.Macros().Register({ Name: "flat", Test: (all, start, end) => !all.slice(start, end).includes("/") });
  app.Get("/type/{x:flat}", text("flat"));
  app.Get("/function/{x regexp([^/]+)}", text("flat"));
  return app;
}, async (ask) => {
  assertEquals(said(await ask("/type/a%20b")), "flat");
  assertEquals(said(await ask("/function/a%20b")), "flat");
  assertEquals(said(await ask("/type/a%2Fb")), "404");
  assertEquals(said(await ask("/function/a%2Fb")), "404");
});

Deno.test("Application accepts request targets with dots, non-ASCII characters, fragments and absolute URLs", async () => {
  const app = quiet();
  app.Get("/{p:path}", (ctx) => ctx.WriteString(`${ctx.Host()} ${ctx.Params().Get("p")}`));
  await overSocket(app, async (ask, port) => {
    assertEquals((await ask("/a/../b/./c")).text, "localhost b/c");
    assertEquals((await ask("/%2e%2e/x")).text, "localhost x");
    assertEquals((await ask("/é")).text, "localhost é");
    assertEquals((await ask("/a#b?c")).text, "localhost a");
    assertEquals((await ask("http://other.example:81/a?b")).text, "other.example:81 a");
    const bytes = await sendBytes(port, new TextEncoder().encode("GET /old HTTP/1.0\r\n\r\n"));
    assertEquals(new TextDecoder().decode(bytes).endsWith(" old"), true);
  });
});

// Hosts

function hosts(): fw.Application {
  const app = quiet();
  app.Get("/", text("root"));
  app.Get("/only-root", text("root"));
  const admin = app.Party("admin.");
  admin.Get("/", text("admin"));
  const panel = admin.Subdomain("panel");
  panel.Get("/", text("panel.admin"));
  app.Subdomain("API").Get("/", text("api"));
  app.Party("*.").Get("/", (ctx) => ctx.WriteString(`any ${ctx.SubdomainFull()}`));
  return app;
}

bothWays(
  "Party.Subdomain() serves hosts that start with the subdomain, with the most specific one first",
  hosts,
  async (ask) => {
    const at = async (host: string, path = "/") => said(await ask(path, { headers: { host } }));
    assertEquals(await at("example.com"), "root");
    assertEquals(await at("localhost"), "root");
    assertEquals(await at("admin.example.com"), "admin");
    assertEquals(await at("admin.localhost"), "admin");
    assertEquals(await at("panel.admin.example.com"), "panel.admin");
    assertEquals(await at("api.example.com"), "api");
    assertEquals(await at("shop.example.com"), "any shop.");
    assertEquals(await at("a.b.example.com"), "any a.b.");
    assertEquals(await at("xadmin.example.com"), "any xadmin.");
    assertEquals(await at("panel.example.com"), "any panel.");
  },
);

bothWays("Party.Subdomain() with the longest name takes precedence, regardless of the registration order", () => {
  const app = quiet();
  app.Subdomain("*").Get("/", text("any"));
  app.Subdomain("eu").Get("/", text("eu"));
  app.Subdomain("eu.shop").Get("/", text("eu.shop"));
  app.Subdomain("us.shop").Get("/", text("us.shop"));
  app.Subdomain("us").Get("/", text("us"));
  return app;
}, async (ask) => {
  const at = async (host: string) => said(await ask("/", { headers: { host } }));
  for (const name of ["eu", "eu.shop", "us", "us.shop"]) assertEquals(await at(`${name}.example.com`), name);
  assertEquals(await at("eu.other.example.com"), "eu");
  assertEquals(await at("other.example.com"), "any");
});

bothWays("Party.Subdomain() ignores case and port", hosts, async (ask) => {
  const at = async (host: string) => said(await ask("/", { headers: { host } }));
  assertEquals(await at("ADMIN.Example.COM"), "admin");
  assertEquals(await at("admin.example.com:8080"), "admin");
  assertEquals(await at("Api.localhost:3000"), "api");
  assertEquals(await at("Shop.Example.com:80"), "any shop.");
  assertEquals(await at("EXAMPLE.com:8080"), "root");
});

bothWays("Party.Subdomain() does not fall through to the root or to another subdomain", hosts, async (ask) => {
  const status = async (host: string, path: string) => (await ask(path, { headers: { host } })).status;
  assertEquals(await status("example.com", "/only-root"), 200);
  assertEquals(await status("admin.example.com", "/only-root"), 404);
  assertEquals(await status("shop.example.com", "/only-root"), 404);
  assertEquals(await status("panel.admin.example.com", "/only-root"), 404);
});

bothWays("Party.Subdomain() does not match IP addresses, which belong to the root", () => {
  const app = hosts();
  app.Subdomain("127").Get("/", text("127"));
  return app;
}, async (ask) => {
  for (const host of ["127.0.0.1", "127.0.0.1:8080", "10.1.2.3", "[::1]", "[::1]:8080"]) {
    assertEquals(said(await ask("/", { headers: { host } })), "root", host);
  }
});

bothWays("Party(*.) does not match the root domain, which WithVHost can set", () => {
  const app = hosts();
  return app.Configure(fw.WithVHost("Example.co.uk:443"));
}, async (ask) => {
  const at = async (host: string) => said(await ask("/", { headers: { host } }));
  assertEquals(await at("example.co.uk"), "root");
  assertEquals(await at("EXAMPLE.co.uk:8443"), "root");
  assertEquals(await at("shop.example.co.uk"), "any shop.");
  assertEquals(await at("a.shop.example.co.uk"), "any a.shop.");
  assertEquals(await at("admin.example.co.uk"), "admin");
  assertEquals(await at("other.com"), "root");
});

bothWays("WithVHost keeps the root domain, even if a subdomain has a similar name", () => {
  const app = quiet().Configure(fw.WithVHost("admin.example.com"));
  app.Get("/", text("root"));
  app.Subdomain("admin").Get("/", text("admin"));
  return app;
}, async (ask) => {
  const at = async (host: string) => said(await ask("/", { headers: { host } }));
  assertEquals(await at("admin.example.com"), "root");
  assertEquals(await at("admin.admin.example.com"), "admin");
});

bothWays("Party.Subdomain() can have a path, middleware and parties", () => {
  const app = quiet();
  app.Use((ctx) => (ctx.Write("root "), ctx.Next()));
  const v1 = app.Party("api./v1", (ctx) => (ctx.Write("v1 "), ctx.Next()));
  v1.Get("/users", text("users"));
  v1.Party("/x").Get("/y", text("y"));
  v1.OnErrorCode(404, text("no such call"));
  return app;
}, async (ask) => {
  const at = async (path: string, host = "api.example.com") => (await ask(path, { headers: { host } })).text;
  assertEquals(await at("/v1/users"), "root v1 users");
  assertEquals(await at("/v1/x/y"), "root v1 y");
  assertEquals(await at("/v1/nowhere"), "no such call");
  assertEquals(await at("/nowhere"), "Not Found");
  assertEquals(await at("/v1/users", "example.com"), "Not Found");
});

bothWays("Party.Subdomain() has its own 405, OPTIONS, HEAD and trailing slashes", () => {
  const app = quiet();
  app.Post("/a", text("root"));
  app.Subdomain("admin").Get("/a", text("admin"));
  return app;
}, async (ask) => {
  const headers = { host: "admin.example.com" };
  assertEquals((await ask("/a", { method: "POST", headers })).headers.get("allow"), "GET, HEAD, OPTIONS");
  assertEquals((await ask("/a", { method: "OPTIONS", headers })).headers.get("allow"), "GET, HEAD, OPTIONS");
  assertEquals((await ask("/a", { method: "HEAD", headers })).headers.get("content-length"), "5");
  assertEquals((await ask("/a/", { headers })).headers.get("location"), "/a");
  assertEquals((await ask("/a")).status, 405);
});

bothWays("Party.Subdomain() twice with the same name keeps the routes and error handlers of both", () => {
  const app = quiet();
  app.Subdomain("admin").Get("/a", text("a"));
  const second = app.Subdomain("admin");
  second.Get("/b", text("b"));
  second.OnErrorCode(404, text("admin 404"));
  return app;
}, async (ask) => {
  const at = async (path: string) => (await ask(path, { headers: { host: "admin.example.com" } })).text;
  assertEquals(await at("/a"), "a");
  assertEquals(await at("/b"), "b");
  assertEquals(await at("/c"), "admin 404");
});

bothWays("Application without subdomains ignores the host", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(`${ctx.Host()} ${ctx.SubdomainFull()}`));
  return app;
}, async (ask) => {
  assertEquals((await ask("/", { headers: { host: "a.b.example.com:81" } })).text, "a.b.example.com:81 a.b.");
  assertEquals((await ask("/", { headers: { host: "example.com" } })).text, "example.com ");
});

// Concurrent requests

bothWays("Application does not mix the parameters of concurrent requests", () => {
  const app = quiet();
  app.Get("/{a}/{b}", async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ctx.Params().Get("a")) % 7));
    params(ctx);
  });
  app.Get("/{a}/{b}/{c}", (ctx) => params(ctx));
  return app;
}, async (ask) => {
  const numbers = Array.from({ length: 40 }, (_, i) => i);
  const responses = await Promise.all(numbers.flatMap((i) => [ask(`/${i}/${i * 1000}`), ask(`/x/${i}/z`)]));
  for (const i of numbers) {
    assertEquals(JSON.parse(responses[2 * i]?.text ?? ""), { a: String(i), b: String(i * 1000) });
    assertEquals(JSON.parse(responses[2 * i + 1]?.text ?? ""), { a: "x", b: String(i), c: "z" });
  }
});

Deno.test("Application treats an escaped slash in a catch-all as a slash, so that guards of parties apply", async () => {
  const app = quiet();
  app.Get("/files/{f:path}", (ctx) => ctx.WriteString(`open ${ctx.Params().Get("f")}`));
  const guarded = app.Party("/files/admin");
  guarded.Use((ctx) => ctx.StopWithStatus(403));
  guarded.Get("/{f:path}", (ctx) => ctx.WriteString("guarded"));
  const ask = async (path: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    return response.status === 200 ? await response.text() : `${response.status}`;
  };
  assertEquals(await ask("/files/admin/keys"), "403");
  assertEquals(await ask("/files/admin%2Fkeys"), "403");
  assertEquals(await ask("/files/admin%2fkeys%2Fmore"), "403");
  assertEquals(await ask("/files/%61dmin%2fkeys"), "403");
  assertEquals(await ask("/files/%2Fetc/passwd"), "open etc/passwd");
  assertEquals(await ask("/files/docs%2Fpage"), "open docs/page");
  assertEquals(await ask("/files/%F0%9F%90%AF/x"), "open 🐯/x");
});
