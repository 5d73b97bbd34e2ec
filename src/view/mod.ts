/**
 * Views: what a template engine is, and the default one, which reads HTML files with tags of JavaScript.
 *
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const views = await Deno.makeTempDir(); // usually new URL("./views/", import.meta.url)
 * await Deno.writeTextFile(`${views}/hello.html`, "<h1>Hello, <%= it.Name %></h1>");
 *
 * const app = fw.New();
 * app.RegisterView(fw.HTML(views));
 * app.Get("/hello/{name}", (ctx) => ctx.View("hello", { Name: ctx.Params().Get("name") }));
 *
 * const response = await app.fetch(new Request("http://localhost/hello/<Ann>"));
 * await response.text(); // → "<h1>Hello, &lt;Ann&gt;</h1>"
 * await Deno.remove(views, { recursive: true });
 * ```
 *
 * A template calls its data `it`:
 *
 * | Tag | Does |
 * |---|---|
 * | `<%= it.Name %>` | writes a value, with `& < > " '` escaped; `undefined` and `null` write nothing |
 * | `<%~ it.Trusted %>` | writes a value as it is: only for HTML of your own |
 * | `<% for (const tag of it.Tags) { %> … <% } %>` | runs JavaScript, in strict mode |
 * | `<%~ include("partials/row", { Tag: tag }) %>` | renders a partial; its `it` is the data with these keys laid over it |
 * | `<% layout("layouts/main", { Title: "Users" }) %>` | picks the layout of this view; `layout("")` picks none |
 * | `<%~ body %>` | in a layout: the view that it is put around; `<%~ it.body %>`, as Eta spells it, is the same |
 * | `<%~ block("aside", () => { %> … <% }) %>` | in a view: a piece for the layout; in a layout: the piece's place, and what stands there without one |
 * | `<%~ capture(() => { %> … <% }) %>` | the text written inside, as a value |
 * | `<script>const tags = <%~ json(it.Tags) %>;</script>` | data for a script, such that no `</script>` in it ends the script |
 * | `<a href="<%= urlpath("user", it.ID) %>">` | the path of the route that `SetName("user")` named, with the values of its parameters |
 * | `<%= url("user", it.ID) %>` | the same with scheme and host, for mails and feeds |
 * | `<%= tr("hi", it.Name) %>` | the translation of a key into the language of the request |
 * | `<%= upper(it.Name) %>` | calls what `AddFunc("upper", …)` added |
 * | `<%-`, `<%_`, `-%>`, `_%>` | also remove one line break, or all blanks, on that side |
 *
 * Names are paths below the directory, the extension may be left out, and a view is only ever found among the files of
 * its directory. The layout is, in this order: what the handler asked for with `ctx.ViewLayout`, what the view asks for
 * with `layout(…)`, what the party was given with `Layout`, what the engine was given with `Layout`.
 *
 * `@fw/web/view/jsx`, `@fw/web/view/handlebars`, `@fw/web/view/nunjucks` and `@fw/web/view/markdown` are engines for
 * other template languages, with the same layouts, functions and checks.
 *
 * In a tag, a comment is best written between slash-stars: after `//` an apostrophe is taken for the start of a text.
 *
 * Attribute values belong in quotes: `<a title="<%= it.Title %>">`. Escaping is for HTML text and quoted attributes; it
 * does not make a value safe as a whole URL of a link or inside a script, a style or an attribute that is a script.
 *
 * All templates are compiled when the application is built. That needs `--allow-read` for the directory and nothing
 * else; importing this module needs no permission.
 *
 * @module
 */

import { provideTemplates } from "./html.ts";
import { openTemplates } from "./open_templates.ts";

export { type Engine, type Links, NoLayout, type RenderOptions, type ViewFunc } from "./engine.ts";
export { HTML, HTMLEngine, type SourceLanguage } from "./html.ts";
export { ViewNotFound } from "./view_not_found.ts";

// A program that imports this entry uses views: what the package itself loads on first use is there at once.
provideTemplates(openTemplates);
