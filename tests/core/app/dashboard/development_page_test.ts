import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { withFolder } from "../../../pages/view/folder.ts";
import { bothWays, quiet } from "../../../serving.ts";

const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

/** Creates a production-like site with error pages, a login page and an API. */
function newSite(): fw.Application {
  const app = quiet();
  app.Configure(fw.WithDevelopment);
  app.OnAnyErrorCode((ctx) => {
    if (ctx.GetStatusCode() === 403) return ctx.Redirect("/login");
    ctx.HTML(`<p>own page ${ctx.GetStatusCode()}</p>`);
  });
  app.OnErrorCode(401, (ctx) => ctx.HTML("<form>log in</form>"));
  app.OnErrorCode(500, (ctx) => ctx.HTML("<p>own page 500</p>"));
  app.OnErrorCode(404, (ctx) => ctx.HTML("<p>own page 404</p>"));
  app.Get("/broken", () => {
    throw new Error("The kettle is cold");
  });
  app.Get("/teas/{name}", (ctx) => ctx.NotFound());
  app.Get("/conflict", () => {
    throw new fw.HTTPError(409, "That name is taken");
  });
  app.Get("/private", (ctx) => ctx.StopWithStatus(401));
  app.Get("/admin", (ctx) => ctx.StopWithStatus(403));
  return app;
}

bothWays("fw.WithDevelopment takes precedence over the application's error pages", newSite, async (ask) => {
  for (const [path, text] of [["/broken", "The kettle is cold"], ["/brken", "Similar routes"]]) {
    const page = await ask(`${path}`, browser);
    assertStringIncludes(page.text, `${text}`);
    assertStringIncludes(page.text, "fw.WithDevelopment");
    assert(!page.text.includes("<p>own page"), path);
  }
});

bothWays("fw.WithDevelopment does not replace logins, redirects and 404 pages of a site", newSite, async (ask) => {
  assertEquals((await ask("/private", browser)).text, "<form>log in</form>");
  const redirected = await ask("/admin", browser);
  assertEquals([redirected.status, redirected.headers.get("location")], [302, "/login"]);
  assertEquals((await ask("/teas/green", browser)).text, "<p>own page 404</p>");
  // Whether a page is for one status or for all makes no difference.
  assertEquals((await ask("/conflict", browser)).text, "<p>own page 409</p>");
});

bothWays("fw.WithDevelopment does not affect clients other than browsers", newSite, async (ask) => {
  assertEquals((await ask("/broken")).text, "<p>own page 500</p>");
  assertEquals((await ask("/conflict")).text, "<p>own page 409</p>");
});

Deno.test("developmentPage() shows the failed lines of the template and escapes the message", async () => {
  const files = {
    "page.html": '<main>\n<%~ include("part") %>\n</main>',
    "part.html": "<ul>\n<% for (const tea of it.teas) { %>\n<li><%= tea.name.first %></li>\n<% } %>\n</ul>",
    "bad.html": "<p>\n<%= it.a( %>\n</p>",
  };
  await withFolder(files, async (folder) => {
    const app = quiet();
    app.Configure(fw.WithDevelopment);
    app.RegisterView(fw.HTML(folder));
    app.Get("/", (ctx) => ctx.View("page", { teas: [{}] }));
    app.Get("/bad", (ctx) => ctx.View("bad"));
    const show = async (path: string) =>
      await (await app.fetch(new Request(`http://localhost${path}`, browser))).text();

    const rendered = await show("/");
    const [, heading = ""] = /<h1>([^]*?)<\/h1>/.exec(rendered) ?? [];
    assertStringIncludes(heading, "part.html&quot; at line 3: Cannot read properties of undefined");
    assert(!heading.includes("\n"), heading);
    assertStringIncludes(rendered, `<pre>included by &quot;${folder}/page.html&quot; at line 2</pre>`);
    assertStringIncludes(rendered, `<h2>${folder}/part.html:3</h2>`);
    assertStringIncludes(rendered, "<mark> 3  &lt;li&gt;&lt;%= tea.name.first %&gt;&lt;/li&gt;</mark>");

    const compiled = await show("/bad");
    assertStringIncludes(compiled, `<h2>${folder}/bad.html:2</h2>`);
    assertStringIncludes(compiled, "<mark> 2  &lt;%= it.a( %&gt;</mark>");
  });
});
