import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as sessions from "@fw/web/sessions";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

async function ask(app: fw.Application, url: string, init?: RequestInit): Promise<string> {
  const response = await app.fetch(new Request(url, init));
  return `${response.status} ${response.headers.get("location") ?? await response.text()}`;
}

function info(ctx: fw.Context): void {
  ctx.WriteString(`${ctx.Method()} ${ctx.Subdomain()} ${ctx.Path()}`);
}

Deno.test("example subdomains/www/www-method: WWW() redirects the root domain and serves the subdomain", async () => {
  const app = fw.New();
  const www = app.WWW();
  www.Get("/", info);
  www.Get("/about", info);
  www.PartyFunc("/api/users", (users) => {
    users.Get("/", info);
    users.Get("/{id:uint64}", info);
    users.Put("/{id:uint64}", info);
  });
  for (const path of ["/", "/about", "/api/users", "/api/users/42", "/nowhere", "/about?a=1&b=%20"]) {
    assertEquals(await ask(app, `http://mydomain.com${path}`), `301 http://www.mydomain.com${path}`);
  }
  assertEquals(await ask(app, "http://mydomain.com:8080/about"), "301 http://www.mydomain.com:8080/about");
  assertEquals(await ask(app, "https://localhost:1111/about"), "301 https://www.localhost:1111/about");
  assertEquals(await ask(app, "http://www.mydomain.com/about"), "200 GET www /about");
  assertEquals(await ask(app, "http://www.mydomain.com/api/users/42", { method: "PUT" }), "200 PUT www /api/users/42");
  assertEquals(await ask(app, "http://mydomain.com/x", { method: "PUT" }), "308 http://www.mydomain.com/x");
});

Deno.test("Go's SubdomainRedirect: a subdomain, all others and the root domain redirect in all directions", async () => {
  const app = fw.New();
  const admin = app.Subdomain("admin");
  const old = app.Subdomain("old");
  const other = app.Party("*.");
  for (const party of [app, admin, old, other]) party.Get("/", info);
  assertStrictEquals(app.SubdomainRedirect(old, admin), admin);
  app.SubdomainRedirect(other, app);
  assertEquals(await ask(app, "http://old.mydomain.com/x?y=1"), "301 http://admin.mydomain.com/x?y=1");
  assertEquals(await ask(app, "http://any.mydomain.com/x"), "301 http://mydomain.com/x");
  assertEquals(await ask(app, "http://mydomain.com/"), "200 GET  /");
  assertEquals(await ask(app, "http://admin.mydomain.com/"), "200 GET admin /");
});

Deno.test("SubdomainRedirect() rejects the same host, a wildcard as the target, and paths", () => {
  const app = fw.New();
  const www = app.Subdomain("www");
  assertThrows(() => app.SubdomainRedirect(app, app), fw.FrameworkError, "it would redirect to itself");
  assertThrows(() => app.SubdomainRedirect(www, app.Subdomain("www")), fw.FrameworkError, '"www."');
  assertThrows(() => app.SubdomainRedirect(app, app.Party("*.")), fw.FrameworkError, "it has several hosts");
  assertThrows(() => app.SubdomainRedirect(app.Party("/x"), www), fw.FrameworkError, "it is a path, not a host");
  assertThrows(() => fw.NewSubdomainPartyRedirectHandler(app.Party("*.")), fw.FrameworkError, "several hosts");
});

Deno.test("SubdomainRedirect() leaves addresses, other sites and other subdomains alone", async () => {
  const app = fw.New().Configure(fw.WithVHost("shop.example.com"));
  app.Get("/", info);
  app.WWW().Get("/", info);
  assertEquals(await ask(app, "http://127.0.0.1:80/"), "200 GET  /");
  assertEquals(await ask(app, "http://[::1]/"), "200 GET  /");
  assertEquals(await ask(app, "http://other.org/"), "200 GET  /");
  assertEquals(await ask(app, "http://shop.example.com/"), "301 http://www.shop.example.com/");
});

Deno.test("SubdomainRedirect() × wrappers, base path, languages and proxies: the URL is the public one", async () => {
  const app = fw.New().Configure(fw.WithBasePath("/seats"), fw.WithProxy({ Trust: ["127.0.0.1"] }));
  app.I18n.LoadKV({ en: { a: "a" }, el: { a: "b" } }, "en", "el");
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/old", To: "/new" }] }));
  app.WWW().Get("/new", (ctx) => ctx.WriteString(`${ctx.GetLocale().Language()} ${ctx.Path()}`));
  assertEquals(await ask(app, "http://a.com/seats/el/old?x=1"), "301 http://www.a.com/seats/el/old?x=1");
  assertEquals(await ask(app, "http://www.a.com/seats/el/old"), "200 el /new");
  const response = await app.fetch(
    new Request("http://backend/el/old", { headers: { "x-forwarded-host": "a.com", "x-forwarded-proto": "https" } }),
    { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as const,
  );
  assertEquals(response.headers.get("location"), "https://www.a.com/seats/el/old");
});

Deno.test("SubdomainRedirect() × mounts: the redirect contains the prefix of the mount", async () => {
  const inner = fw.New();
  inner.WWW().Get("/teas", info);
  const app = fw.New();
  app.Mount("/shop", inner.fetch);
  assertEquals(await ask(app, "http://a.com/shop/teas?p=2"), "301 http://www.a.com/shop/teas?p=2");
});

Deno.test("SubdomainRedirect() × sessions: a redirect starts no session", async () => {
  const app = fw.New();
  const manager = sessions.New({ Domain: "a.com" });
  app.UseRouter(manager.Handler());
  app.WWW().Get("/", (ctx) => ctx.WriteString(String(manager.Get(ctx)?.Increment("n"))));
  const moved = await app.fetch(new Request("http://a.com/"));
  assertEquals(moved.headers.getSetCookie(), []);
  assertEquals(await ask(app, "http://www.a.com/"), "200 1");
});

Deno.test("NewSubdomainPartyRedirectHandler() redirects any subdomain to the party's, and not the party itself", async () => {
  const app = fw.New();
  const shop = app.Subdomain("shop");
  shop.Get("/teas", info);
  const redirect = fw.NewSubdomainPartyRedirectHandler(shop);
  shop.UseRouter(redirect);
  app.Subdomain("store").UseRouter(redirect);
  app.Subdomain("de.store").UseRouter(redirect);
  app.Subdomain("gone").UseRouter(fw.NewSubdomainPartyRedirectHandler(app));
  assertEquals(await ask(app, "http://store.a.com:81/teas?p=1"), "301 http://shop.a.com:81/teas?p=1");
  assertEquals(await ask(app, "http://de.store.a.com/teas"), "301 http://shop.a.com/teas");
  assertEquals(await ask(app, "http://gone.a.com/teas"), "301 http://a.com/teas");
  assertEquals(await ask(app, "http://shop.a.com/teas"), "200 GET shop /teas");
  assertEquals(await ask(app, "http://store.a.com/teas", { method: "POST" }), "308 http://shop.a.com/teas");
});

Deno.test("example subdomains/redirect: rewrite's PrimarySubdomain redirects the root domain and serves its routes there", async () => {
  for (const PrimarySubdomain of ["www", "www."]) {
    const app = fw.New();
    app.Subdomain("static").Get("/", (ctx) => ctx.WriteString("static"));
    app.Party("*.").Get("/", (ctx) => ctx.WriteString("any"));
    app.Get("/", (ctx) => ctx.WriteString(`index ${ctx.Host()}`));
    app.Get("/user/login", (ctx) => ctx.WriteString("login"));
    app.WrapRouter(rewrite.New({ PrimarySubdomain, Rules: [{ From: "/in", To: "/user/login" }] }));
    for (const path of ["/", "/user", "/user/login?next=%2F"]) {
      assertEquals(await ask(app, `http://mydomain.com${path}`), `301 http://www.mydomain.com${path}`);
    }
    assertEquals(await ask(app, "http://www.mydomain.com:81/"), "200 index mydomain.com:81");
    assertEquals(await ask(app, "http://www.mydomain.com/in"), "200 login");
    assertEquals(await ask(app, "http://static.mydomain.com/"), "200 static");
    assertEquals(await ask(app, "http://x.mydomain.com/"), "200 any");
    assertEquals(await ask(app, "http://localhost/user/login"), "200 login");
    assertEquals(await ask(app, "http://127.0.0.1/user/login"), "200 login");
  }
  assertThrows(() => rewrite.New({ PrimarySubdomain: "*" }), fw.FrameworkError, "it is not a host name");
});

Deno.test("Go's TestSwitchHosts: the first matching pattern serves, and others get the error page of the switch", async () => {
  const named = (name: string) => {
    const app = fw.New();
    app.Get("/", (ctx) => ctx.WriteString(`${name} ${ctx.Host()}`));
    return app;
  };
  const my = named("my");
  my.OnErrorCode(404, (ctx) => ctx.WriteString(`${ctx.Host()} custom not found`));
  const app = apps.Switch([
    { Pattern: "testdomain1.com", Target: named("one") },
    { Pattern: "testdomain2.com", Target: named("two") },
    { Pattern: "^my.*$", Target: my },
  ]);
  app.OnErrorCode(404, (ctx) => {
    ctx.StatusCode(502);
    ctx.WriteString("Switcher: Bad Gateway");
  });
  for (
    const [url, expected] of [
      ["http://testdomain1.com/", "200 one testdomain1.com"],
      ["http://testdomain2.com/", "200 two testdomain2.com"],
      ["http://mydomain.com/", "200 my mydomain.com"],
      ["http://mydomain.com/nf", "404 mydomain.com custom not found"],
      ["http://mymy.com/", "200 my mymy.com"],
      ["http://nmy.com/", "502 Switcher: Bad Gateway"],
    ] as const
  ) assertEquals(await ask(app, url), expected);
});

Deno.test("Go's TestSwitchHostsRedirect and example multi-instances: earlier patterns serve, later ones redirect", async () => {
  const mine = fw.New();
  for (const path of ["/", "/f"]) mine.Get(path, (ctx) => ctx.WriteString(`${ctx.Host()} ${ctx.Path()}`));
  mine.OnAnyErrorCode((ctx) => ctx.WriteString(`custom: ${ctx.GetStatusCode()}`));
  const app = apps.Switch([
    { Pattern: "www.mydomain.com", Target: mine },
    { Pattern: "^test.*$", Target: mine },
    { Pattern: "^www.*$", Target: "google.com" },
  ]);
  app.Get("/", (ctx) => {
    ctx.StatusCode(502);
    ctx.WriteString(`Bad Host ${ctx.Host()}`);
  });
  assertEquals(await ask(app, "http://www.mydomain.com/f"), "200 www.mydomain.com /f");
  assertEquals(await ask(app, "http://www.mydomain.com/nf"), "404 custom: 404");
  assertEquals(await ask(app, "http://testdomain.com/"), "200 testdomain.com /");
  assertEquals(await ask(app, "http://www.golang.org/doc?q=1"), "301 http://google.com/doc?q=1");
  assertEquals(await ask(app, "http://no.mydomain.com/"), "502 Bad Host no.mydomain.com");
});
