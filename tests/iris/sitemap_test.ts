import * as fw from "@fw/web";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as versioning from "@fw/web/versioning";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";

function page(ctx: fw.Context): void {
  ctx.WriteString(ctx.Path());
}

async function textOf(app: fw.Application, path = "/sitemap.xml", origin = "http://localhost:8080"): Promise<string> {
  return await (await app.fetch(new Request(origin + path))).text();
}

async function pathsOf(app: fw.Application, origin = "http://localhost:8080"): Promise<string[]> {
  const text = await textOf(app, "/sitemap.xml", origin);
  return [...text.matchAll(/<loc>([^<]*)/g)].map(([, url = ""]) => url.replace(origin, ""));
}

Deno.test("Go's TestSitemap: the sitemap lists GET routes without parameters, with their settings", async () => {
  const app = fw.New().Configure(fw.WithSitemap("http://localhost:8080"));
  const changed = new Date("2019-12-13T21:50:33+02:00");
  app.Get("/home", page).SetLastMod(changed).SetChangeFreq("hourly").SetPriority(1);
  app.Get("/articles", page).SetChangeFreq("daily");
  app.Get("/path1", page);
  app.Get("/path2", page);
  app.Post("/this-should-not-be-listed", page);
  app.Get("/this/{myparam}/should/not/be/listed", page);
  app.Get("/about", page).ExcludeSitemap();
  app.Get("/hidden", page).Describe({ Hidden: true });
  app.Subdomain("admin").Get("/", page);
  const response = await app.fetch(new Request("http://localhost:8080/sitemap.xml"));
  assertEquals(response.headers.get("content-type"), "application/xml; charset=utf-8");
  assertEquals(
    await response.text(),
    '<?xml version="1.0" encoding="utf-8" standalone="yes"?>' +
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://localhost:8080/home</loc>' +
      "<lastmod>2019-12-13T19:50:33Z</lastmod><changefreq>hourly</changefreq><priority>1</priority></url>" +
      "<url><loc>http://localhost:8080/articles</loc><changefreq>daily</changefreq></url>" +
      "<url><loc>http://localhost:8080/path1</loc></url><url><loc>http://localhost:8080/path2</loc></url></urlset>",
  );
});

Deno.test("WithSitemap() rejects other URLs, and SetPriority() other numbers", () => {
  for (const url of ["example.com", "/x", "ftp://example.com"]) {
    assertThrows(() => fw.WithSitemap(url), fw.FrameworkError, '"Sitemap" of the configuration: it must be a URL');
  }
  assertThrows(() => fw.New().Get("/", page).SetPriority(2), fw.FrameworkError, "it must be between 0 and 1");
});

Deno.test("WithSitemap() × guards: pages that visitors cannot reach are not listed, with any guard", async () => {
  const app = fw.New().Configure(fw.WithSitemap("http://localhost:8080"));
  const lines: string[] = [];
  const log = accesslog.New({ Output: (line: string) => void lines.push(line) });
  const seen: string[] = [];
  app.UseRouter(log.Handler());
  app.Get("/open", (ctx) => void seen.push(ctx.Path()));
  app.Party("/basic", basicauth.New({ Users: () => Promise.resolve(undefined) })).Get("/", page);
  app.Party("/custom", (ctx) => ctx.GetHeader("x-key") === "tea" ? ctx.Next() : ctx.StopWithStatus(403)).Get("/", page);
  app.Party("/login", async (ctx) => {
    await Promise.resolve();
    ctx.Redirect("/");
  }).Get("/", page);
  app.Party("/router").UseRouter((ctx) => ctx.StopWithStatus(401)).Get("/", page);
  app.Get("/own", (ctx) => ctx.StopWithStatus(404), page);
  app.Get("/throws", () => {
    throw new fw.HTTPError(403);
  }, page);
  app.Party("/passes", (ctx) => ctx.Next()).Get("/", page);
  app.Use((ctx) => ctx.StopWithStatus(401));
  app.Get("/late", page);
  assertEquals(await pathsOf(app), ["/open", "/passes"]);
  assertEquals(seen, [], "the pages themselves do not run");
  log.Close();
  assertEquals(lines.length, 1, "only the request for the sitemap is logged");
});

Deno.test("WithSitemap() × caches: a check neither uses nor replaces a stored page", async () => {
  const app = fw.New().Configure(fw.WithSitemap("http://localhost:8080"));
  app.Party("/", cache.New({ MaxAge: 60_000 })).Get("/teas", (ctx) => ctx.WriteString("Assam"));
  assertEquals(await textOf(app, "/teas"), "Assam");
  assertEquals(await pathsOf(app), ["/teas"]);
  assertEquals(await textOf(app, "/teas"), "Assam");
});

Deno.test("WithSitemap() × versions and register rules: a path is listed once, if it is served without a version", async () => {
  const app = fw.New().Configure(fw.WithSitemap("http://localhost:8080"));
  versioning.NewGroup(app.Party("/only"), "1.x").Get("/", page);
  const both = app.Party("/both");
  versioning.NewGroup(both, "1.x").Get("/", page);
  versioning.NewGroup(both, "2.x").Get("/", page);
  both.Get("/", page);
  const overlap = app.Party("/overlap").SetRegisterRule(fw.RouteOverlap);
  overlap.Get("/", (ctx) => ctx.StopExecution(), page);
  overlap.Get("/", page);
  const replaced = app.Party("/replaced");
  replaced.Get("/", page);
  replaced.Get("/", (ctx) => ctx.StopWithStatus(403), page);
  assertEquals(await pathsOf(app), ["/both", "/overlap"]);
});

Deno.test("WithSitemap() × languages: every page links to its translations by path, subdomain or query", async () => {
  const site = (configure: (app: fw.Application) => void = () => {}) => {
    const app = fw.New().Configure(fw.WithSitemap("https://a.com"), fw.WithBasePath("/x"));
    app.I18n.LoadKV({ "en-US": { a: "a" }, "el-GR": { a: "b" } }, "en-US", "el-GR");
    app.Get("/a b&c", page);
    configure(app);
    return app;
  };
  const linksOf = async (app: fw.Application, path = "/sitemap.xml") =>
    [...(await textOf(app, path, "https://a.com")).matchAll(/hreflang="([^"]*)" href="([^"]*)"/g)].map(
      ([, language, url]) => `${language} ${url}`,
    );
  const own = "en-US https://a.com/x/a%20b%26c";
  assertEquals(await linksOf(site()), [own, "el-GR https://a.com/x/el-GR/a%20b%26c"]);
  assertEquals(await linksOf(site(), "/x/el/sitemap.xml"), [own, "el-GR https://a.com/x/el-GR/a%20b%26c"]);
  assertEquals(await linksOf(site((app) => app.I18n.PathRedirect = false)), [
    own,
    "el-GR https://el.a.com/x/a%20b%26c",
  ]);
  const byQuery = site((app) => app.I18n.PathRedirect = app.I18n.Subdomain = false);
  assertEquals(await linksOf(byQuery), [own, "el-GR https://a.com/x/a%20b%26c?lang=el-GR"]);
  const byNothing = site((app) => {
    app.I18n.PathRedirect = app.I18n.Subdomain = false;
    app.I18n.URLParameter = "";
  });
  assertEquals(await linksOf(byNothing), []);
  assertMatch(await textOf(site(), "/sitemap.xml", "https://a.com"), /<urlset [^>]*xmlns:xhtml=/);
});

Deno.test("WithSitemap() × hosts and mounts: the host of the URL selects the pages, and mounts add their prefix", async () => {
  const app = fw.New().Configure(fw.WithSitemap("http://www.a.com"));
  app.WWW().Get("/teas", page);
  app.Get("/root", page);
  assertEquals(await pathsOf(app, "http://www.a.com"), ["/teas"]);
  const inner = fw.New().Configure(fw.WithSitemap("http://a.com"));
  inner.Get("/teas", page);
  const outer = fw.New();
  outer.Mount("/shop", inner.fetch);
  assertMatch(await textOf(outer, "/shop/sitemap.xml", "http://a.com"), /<loc>http:\/\/a.com\/shop\/teas</);
  const named = fw.New().Configure(fw.WithSitemap("http://a.com/sub/"));
  named.Get("/", page);
  assertEquals(await pathsOf(named, "http://a.com"), ["/sub/"]);
});

Deno.test("WithSitemap() leaves a sitemap of the application alone, and lists neither folders, mounts nor itself", async () => {
  const app = fw.New().Configure(fw.WithSitemap("http://localhost:8080"));
  app.Get("/sitemap.xml", (ctx) => ctx.WriteString("mine"));
  assertEquals(await textOf(app), "mine");
  const other = fw.New().Configure(fw.WithSitemap("http://localhost:8080"));
  other.HandleDir("/static", ".");
  other.Mount("/mount", () => new Response(""));
  other.Any("/any", page);
  assertEquals(await pathsOf(other), ["/any"]);
  assertEquals((await other.fetch(new Request("http://localhost:8080/sitemap1.xml"))).status, 404);
});

Deno.test("WithSitemap() splits more than 50,000 pages into files with an index", async () => {
  const app = fw.New().Configure(fw.WithSitemap("http://localhost:8080"));
  for (let at = 0; at < 50_001; at++) app.Get(`/p${at}`, page);
  app.Party("/guarded", (ctx) => ctx.StopWithStatus(403)).Get("/", page);
  assertEquals(
    await textOf(app),
    '<?xml version="1.0" encoding="utf-8" standalone="yes"?>' +
      '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' +
      "<sitemap><loc>http://localhost:8080/sitemap1.xml</loc></sitemap>" +
      "<sitemap><loc>http://localhost:8080/sitemap2.xml</loc></sitemap></sitemapindex>",
  );
  const [first, second] = [await textOf(app, "/sitemap1.xml"), await textOf(app, "/sitemap2.xml")];
  assertEquals([first.split("<url>").length - 1, second.split("<url>").length - 1], [50_000, 1]);
  assertMatch(second, /<loc>http:\/\/localhost:8080\/p50000</);
});
