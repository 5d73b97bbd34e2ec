import type * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as versioning from "@fw/web/versioning";
import { assertEquals } from "@std/assert";
import { quiet } from "../../serving.ts";

/** Creates an application in two languages whose pages have the same key, regardless of their URL. */
function translated(
  options: cache.Options = { MaxAge: 60_000, Key: () => "page" },
): { app: fw.Application; runs: number } {
  const site = { app: quiet(), runs: 0 };
  site.app.I18n.LoadKV({ "en-US": { hi: "hello" }, "el-GR": { hi: "γεια" } }, "en-US", "el-GR");
  site.app.UseRouter(cache.New(options));
  site.app.Any("/page", (ctx) => {
    site.runs++;
    ctx.WriteString(ctx.Tr("hi"));
  });
  site.app.Get("/link", (ctx) => {
    site.runs++;
    ctx.WriteString(ctx.GetCurrentRoute()?.Name ?? "");
  }).SetName("link");
  return site;
}

async function ask(app: fw.Application, path: string, init: RequestInit = {}): Promise<string> {
  return await (await app.fetch(new Request(`http://localhost${path}`, init))).text();
}

Deno.test("cache.New() with an own key stores each language separately, however the client chose it", async () => {
  const ways: [greek: string, english: string, header?: string][] = [
    ["/el/page", "/page"],
    ["/page?lang=el-GR", "/page?lang=en-US"],
    ["/page?lang=el", "/en/page"],
    ["/page", "/page", "el-GR"],
  ];
  for (const [greek, english, header = ""] of ways) {
    const site = translated();
    for (let round = 0; round < 3; round++) {
      assertEquals(await ask(site.app, english), "hello", english);
      assertEquals(await ask(site.app, greek, { headers: { "accept-language": header } }), "γεια", greek);
    }
    assertEquals(site.runs, 2, `${greek} and ${english}`);
    await ask(site.app, english, { method: "POST" });
    await ask(site.app, greek, { headers: { "accept-language": header } });
    assertEquals(site.runs, 4, "a write invalidates all languages");
  }
});

Deno.test("cache.New() with an own key stores each language that an own function chose", async () => {
  const site = translated();
  site.app.I18n.ExtractFunc = (ctx) => ctx.GetHeader("x-language");
  for (let round = 0; round < 2; round++) {
    assertEquals(await ask(site.app, "/page", { headers: { "x-language": "el" } }), "γεια");
    assertEquals(await ask(site.app, "/page", { headers: { "x-language": "en" } }), "hello");
  }
  assertEquals(site.runs, 2);
});

Deno.test("cache.New() with an own key stores pages with a language prefix separately, even without a translation", async () => {
  const site = translated({ MaxAge: 60_000, Key: (ctx) => ctx.Path() });
  for (const path of ["/link", "/el/link", "/el-GR/link", "/en/link", "/link"]) await ask(site.app, path);
  assertEquals(site.runs, 3, "two spellings of a language share an entry");
});

Deno.test("cache.New() stores a page once if its handler sets the language itself", async () => {
  const app = quiet();
  let runs = 0;
  app.I18n.LoadKV({ "en-US": { hi: "hello" }, "el-GR": { hi: "γεια" } }, "en-US", "el-GR");
  app.Get("/{language}/page", cache.New({ MaxAge: 60_000 }), (ctx) => {
    runs++;
    ctx.SetLanguage("el-GR");
    ctx.WriteString(ctx.Tr("hi"));
  });
  for (let round = 0; round < 3; round++) assertEquals(await ask(app, "/greek/page"), "γεια");
  assertEquals(runs, 1);
});

Deno.test("cache.New() lets middleware behind it influence the language after a lookup", async () => {
  const app = quiet();
  app.I18n.LoadKV({ "en-US": { hi: "hello" }, "el-GR": { hi: "γεια" } }, "en-US", "el-GR");
  let chosen = "";
  app.I18n.ExtractFunc = () => chosen;
  app.Get("/", cache.New({ MaxAge: 60_000, Key: () => "page" }), (ctx) => {
    chosen = ctx.GetHeader("x-user-language");
    ctx.WriteString(ctx.Tr("hi"));
    chosen = "";
  });
  assertEquals(await ask(app, "/", { headers: { "x-user-language": "en" } }), "hello");
  assertEquals(await ask(app, "/", { headers: { "x-user-language": "el", "accept-language": "el" } }), "γεια");
});

Deno.test("cache.New() stores each version that middleware around it has set", async () => {
  for (const Key of [undefined, () => "page"]) {
    const app = quiet();
    let runs = 0;
    const api = app.Party("/api", (ctx) => {
      versioning.SetVersion(ctx, ctx.GetHeader("x-plan") === "new" ? "2.0.0" : "1.0.0");
      return ctx.Next();
    }, cache.New({ MaxAge: 60_000, ...Key && { Key } }));
    for (const name of ["1", "2"]) {
      versioning.NewGroup(api, `${name}.x`).Any("/", (ctx) => {
        runs++;
        ctx.WriteString(`v${name}`);
      });
    }
    for (let round = 0; round < 3; round++) {
      assertEquals(await ask(app, "/api"), "v1");
      assertEquals(await ask(app, "/api", { headers: { "x-plan": "new" } }), "v2");
    }
    assertEquals(runs, 2);
    await ask(app, "/api", { method: "POST" });
    await ask(app, "/api", { headers: { "x-plan": "new" } });
    assertEquals(runs, 4, "a write invalidates all versions");
  }
});

Deno.test("cache.New() names each header in Vary once", async () => {
  const { app } = translated({ MaxAge: 60_000 });
  app.I18n.Cookie = "language";
  const varyOf = async (headers: Record<string, string>) => {
    const response = await app.fetch(new Request("http://localhost/page", { headers }));
    await response.text();
    return response.headers.get("vary");
  };
  for (let round = 0; round < 2; round++) {
    assertEquals(await varyOf({ "accept-language": "el" }), "Cookie, Accept-Language");
    assertEquals(await varyOf({ "accept-language": "en" }), "Cookie, Accept-Language");
  }
});

Deno.test("cache.New() lists Accept-Language once in Vary, whether or not the response was stored", async () => {
  const { app } = translated({ MaxAge: 60_000 });
  for (const language of ["en", "el", "en", "el"]) {
    const response = await app.fetch(
      new Request("http://localhost/page", { headers: { "accept-language": language } }),
    );
    await response.body?.cancel();
    assertEquals(response.headers.get("vary"), "Accept-Language", language);
  }
});
