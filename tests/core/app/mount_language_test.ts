import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";

const texts = { en: { hi: "Hello" }, de: { hi: "Hallo" }, fr: { hi: "Salut" } };

/** Creates an application with languages. */
function translated(...languages: readonly string[]): fw.Application {
  const app = fw.New();
  app.Logger().SetOutput(() => {});
  app.I18n.LoadKV(texts, "en", ...languages);
  app.I18n.Cookie = "lang";
  return app;
}

/** Creates an application whose pages switch to French. */
function switching(): fw.Application {
  const app = translated("de", "fr");
  app.Get("/x", (ctx) => ctx.WriteString(ctx.Tr("hi"))).SetName("x");
  app.Get("/named", (ctx) => {
    ctx.SetLanguage("fr");
    ctx.Redirect(ctx.URLPath("x"));
  });
  app.Get("/path", (ctx) => {
    ctx.SetLanguage("fr");
    ctx.Redirect("/x?a=1");
  });
  app.Get("/remember", (ctx) => {
    ctx.RememberLanguage("fr");
    ctx.Redirect("/x");
  });
  app.Get("/absolute", (ctx) => {
    ctx.SetLanguage("fr");
    ctx.Redirect(ctx.AbsoluteURI(ctx.URLPath("x")));
  });
  return app;
}

async function locationOf(app: fw.Application, path: string): Promise<string | null> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { "accept-language": "en" } }));
  await response.body?.cancel();
  return response.headers.get("location");
}

/** Paths, and where their pages lead after the switch. */
const switches: Readonly<Record<string, string>> = {
  "/named": "/x",
  "/path": "/x?a=1",
  "/remember": "/x",
  "/absolute": "/x",
};

for (const [page, next] of Object.entries(switches)) {
  Deno.test(`a language switch inside a mount leads to the chosen language in the path, at ${page}`, async () => {
    const outer = translated("de", "fr");
    outer.Mount("/m", switching());
    const middle = fw.New();
    middle.Mount("/deep", switching());
    outer.Mount("/mid", middle);
    const cells = [
      ["/m", "/m"],
      ["/de/m", "/fr/m"],
      ["/m/de", "/m/fr"],
      ["/de/mid/deep", "/fr/mid/deep"],
      ["/mid/deep/de", "/mid/deep/fr"],
    ];
    for (const [from = "", to = ""] of cells) {
      const location = await locationOf(outer, from + page);
      assertEquals(location?.replace("http://localhost", ""), to + next, from);
    }
  });
}

Deno.test("a language switch inside a mount keeps the path if the outer application does not have the language", async () => {
  const outer = translated("de");
  outer.Mount("/m", switching());
  assertEquals(await locationOf(outer, "/de/m/named"), "/de/m/x");
});

Deno.test("a language switch around a mount applies to the links inside", async () => {
  const inner = switching();
  inner.Get("/links", (ctx) => ctx.Redirect(ctx.URLPath("x")));
  const outer = translated("de", "fr");
  outer.Use((ctx) => {
    ctx.SetLanguage("fr");
    return ctx.Next();
  });
  outer.Mount("/m", inner);
  assertEquals(await locationOf(outer, "/de/m/links"), "/fr/m/x");
});

Deno.test("a language that a page inside of a mount remembers is the language of the next page around it", async () => {
  const outer = translated("de", "fr");
  outer.Get("/o", (ctx) => ctx.WriteString(ctx.Tr("hi")));
  outer.Mount("/m", switching());
  const response = await outer.fetch(new Request("http://localhost/m/remember"));
  await response.body?.cancel();
  const cookie = response.headers.getSetCookie().map((each) => each.split(";", 1)[0]).join("; ");
  const next = await outer.fetch(new Request("http://localhost/o", { headers: { cookie } }));
  assertEquals(await next.text(), "Salut");
});
