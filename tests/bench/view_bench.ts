/**
 * Measures the rendering of a small page by itself, in a layout, and with partials, compared to Eta.
 *
 * Run: deno bench -A tests/bench/view_bench.ts
 */

import { Eta } from "npm:eta@^4";
import { NoLayout } from "../../src/pages/engine/engine.ts";
import { HTML } from "../../src/pages/engine/default/html.ts";
import "../../src/pages/view/mod.ts";

const layout = `<!doctype html>
<html lang="en">
  <head><title><%= it.Title %></title></head>
  <body>
    <nav><a href="/">Home</a></nav>
    BODY
  </body>
</html>
`;
const page = `<h1>Hello, <%= it.Name %></h1>
<p>You have <%= it.Count %> messages.</p>
`;
const list = `<ul>
<% for (const item of it.Items) { %>
<%~ include("ROW", { Item: item }) %>
<% } %>
</ul>
`;
const row = `<li><%= it.Item.Name %>: <%= it.Item.Price %></li>
`;

const folder = Deno.makeTempDirSync();
Deno.mkdirSync(`${folder}/eta`);
Deno.writeTextFileSync(`${folder}/main.html`, layout.replace("BODY", "<%~ body %>"));
Deno.writeTextFileSync(`${folder}/page.html`, page);
Deno.writeTextFileSync(`${folder}/list.html`, list.replace("ROW", "row"));
Deno.writeTextFileSync(`${folder}/row.html`, row);
const engine = HTML(folder).Layout("main");
engine.Load();

const eta = new Eta({ cache: true, debug: true });
eta.loadTemplate("@main", layout.replace("BODY", "<%~ it.body %>"));
eta.loadTemplate("@page", page);
eta.loadTemplate("@wrapped", `<% layout("@main") %>${page}`);
eta.loadTemplate("@list", list.replace("ROW", "@row"));
eta.loadTemplate("@row", row);
Deno.removeSync(folder, { recursive: true });

const alone = { Layout: NoLayout };
const user = { Title: "Messages", Name: "Ann", Count: 3 };
const items = { Items: Array.from({ length: 20 }, (_, index) => ({ Name: `Item & ${index}`, Price: index })) };

Deno.bench("page alone: fw", { group: "page alone", baseline: true }, () => void engine.Render("page", user, alone));
Deno.bench("page alone: eta", { group: "page alone" }, () => void eta.render("@page", user));
Deno.bench("page in layout: fw", { group: "page in layout", baseline: true }, () => void engine.Render("page", user));
Deno.bench("page in layout: eta", { group: "page in layout" }, () => void eta.render("@wrapped", user));
Deno.bench("20 partials: fw", { group: "20 partials", baseline: true }, () => void engine.Render("list", items, alone));
Deno.bench("20 partials: eta", { group: "20 partials" }, () => void eta.render("@list", items));
