/**
 * Renders views with template engines. The default engine uses HTML files with JavaScript tags.
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
 * A template accesses its data as `it`:
 *
 * | Tag | Effect |
 * |---|---|
 * | `<%= it.Name %>` | writes a value with `& < > " '` escaped, and nothing for `undefined` and `null` |
 * | `<%~ it.Trusted %>` | writes a value unescaped; use it only for trusted HTML |
 * | `<% for (const tag of it.Tags) { %> … <% } %>` | runs JavaScript in strict mode |
 * | `<%~ include("partials/row", { Tag: tag }) %>` | renders a partial with the current data and the given keys |
 * | `<% layout("layouts/main", { Title: "Users" }) %>` | sets this view's layout; `layout("")` disables it |
 * | `<%~ body %>` | in a layout, writes the view; `<%~ it.body %>`, Eta's notation, is equivalent |
 * | `<%~ block("aside", () => { %> … <% }) %>` | in a view, defines a block for the layout; in a layout, writes the
 * block or its default content |
 * | `<%~ capture(() => { %> … <% }) %>` | returns the enclosed output as a string |
 * | `<script>const tags = <%~ json(it.Tags) %>;</script>` | writes data for a script, escaped so that `</script>`
 * cannot end the script |
 * | `<a href="<%= urlpath('user', it.ID) %>">` | writes the path of the route named with `SetName("user")`, with its
 * parameter values, the base path and the language from the request's path |
 * | `<%= url("user", it.ID) %>` | writes the absolute URL of a route, for emails and feeds |
 * | `<%= tr("hi", it.Name) %>` | writes the translation of a key into the request's language |
 * | `<%= upper(it.Name) %>` | calls a function added with `AddFunc("upper", …)` |
 * | `<%-`, `<%_`, `-%>`, `_%>` | remove one line break (`-`) or all whitespace (`_`) on that side |
 *
 * A view's name is its path relative to the directory, and the extension is optional. Only files in the directory can
 * be used as views. The layout is the first of the following that is set: `ctx.ViewLayout` in the handler, `layout(…)`
 * in the view, the party's `Layout`, the engine's `Layout`.
 *
 * `@fw/web/view/jsx`, `@fw/web/view/handlebars`, `@fw/web/view/nunjucks` and `@fw/web/view/markdown` are engines for
 * other template languages, with the same layouts, functions and checks.
 *
 * Use block comments in tags, because an apostrophe after `//` would be parsed as the start of a string.
 *
 * `deno fmt` does not recognize template tags and changes the strings inside them. To exclude the templates, add
 * `"fmt": { "exclude": ["views/"] }` to `deno.json`. Use single quotes for strings in attribute values.
 *
 * Always quote attribute values: `<a title="<%= it.Title %>">`. Values are escaped for HTML text and quoted attributes.
 * Escaping does not make a value safe to use as a link URL or inside a script, a style or an event handler attribute.
 *
 * The functions and types that applications use, such as `HTML`, `Engine` and `NoLayout`, are exported by `@fw/web`.
 * Importing this module loads the template parser immediately instead of when the first view is rendered.
 *
 * All templates are compiled when the application is built. This only requires `--allow-read` for the directory.
 * Importing this module does not require permissions.
 *
 * @module
 */

import { provideTemplates } from "../engine/template_parts.ts";
import { openTemplates } from "./open_templates.ts";

export type { Links } from "../engine/engine.ts";
export {
  /** An engine for a folder of templates in one template language. */
  type FileEngine,
} from "./engines/file_engine.ts";
export type { SourceLanguage } from "../engine/template_parts.ts";

// A program that imports this module uses views, so the parser is loaded immediately instead of on first use.
provideTemplates(openTemplates);
