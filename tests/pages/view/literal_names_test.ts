import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import { withFolder } from "./folder.ts";

/** Builds an application with the views of a folder. */
async function build(folder: string, change: (engine: fw.HTMLEngine) => void = () => {}): Promise<void> {
  const engine = fw.HTML(folder);
  change(engine);
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.RegisterView(engine);
  await app.Build();
}

/** Templates that name one that does not exist, the line, and the kind of the missing one. */
const missing: readonly (readonly [source: string, line: number, kind: string])[] = [
  ['<%~ include("nowhere") %>', 1, "partial"],
  ['<p>\n<%~ include("nowhere", { a: 1 }) %>', 2, "partial"],
  ["<% if (it.a) { %>\n\n<%~ include('nowhere') %>\n<% } %>", 3, "partial"],
  ['<% layout("nowhere") %>', 1, "layout"],
  ['<% layout("nowhere", it) %>\n<p>', 1, "layout"],
];

for (const [source, line, kind] of missing) {
  Deno.test(`Application.Build() fails if a view contains ${JSON.stringify(source)} and there is no such file`, async () => {
    await withFolder({ "page.html": source, "part.html": "x" }, async (folder) => {
      const error = await assertRejects(() => build(folder), fw.FrameworkError, `page.html" at line ${line}: `);
      assertEquals(error.Code, "FW_VIEW");
      assertEquals(error.message.includes(`Cannot find ${kind} "nowhere.html"`), true, error.message);
    });
  });
}

/** Templates whose names are found, computed, or not names of templates. */
const accepted: readonly string[] = [
  '<%~ include("part") %><%~ include("/part.html") %>',
  '<% layout("main") %>x',
  '<% layout("fw.NoLayout") %>x',
  '<%~ include(it.name ?? "nowhere") %>',
  '<%~ include("no" + it.where) %>',
  "<%~ include(`no${it.where}`) %>",
  "<%= \"include('nowhere')\" %>",
  '<% /* include("nowhere") */ %>',
  '<% // layout("nowhere") %>',
  'include("nowhere") layout("nowhere")',
  '<%= it.include("nowhere") %>',
  '<% const include = (name) => name; %><%= include("nowhere") %>',
  '<% function layout(name) { return name; } %><%= layout("nowhere") %>',
];

for (const source of accepted) {
  Deno.test(`Application.Build() accepts a view with ${JSON.stringify(source)}`, async () => {
    await withFolder({ "page.html": source, "part.html": "x", "main.html": "<%~ body %>" }, (folder) => build(folder));
  });
}

Deno.test("Application.Build() accepts views that are parsed from strings, and views that may be added later", async () => {
  await withFolder({ "page.html": '<%~ include("own") %>' }, async (folder) => {
    await build(folder, (engine) => engine.ParseTemplate("own", "x"));
    await build(folder, (engine) => engine.Reload(true));
  });
});

const unknown: readonly (readonly [source: string, name: string, line: number])[] = [
  ["<p><%= money(it.Price) %></p>", "money", 1],
  ["a\n<% if (isOpen(it)) { %>x<% } %>", "isOpen", 2],
  ["<%~ wrap(it.a.map((each) => each.name)) %>", "wrap", 1],
  ["<% const total = sum(it.a); %>\n<%= total %>", "sum", 1],
  ["<%= it.money(1) + money(2) %>", "money", 1],
  ["<%= Math.max(1, money(2)) %>", "money", 1],
  ["<% if (it.a) { money(2) } %>", "money", 1],
];

for (const [source, name, line] of unknown) {
  Deno.test(`Application.Build() fails if a view contains ${JSON.stringify(source)} and there is no such function`, async () => {
    await withFolder({ "page.html": source }, async (folder) => {
      const expected = `page.html" at line ${line}: The function "${name}" does not exist`;
      await assertRejects(() => build(folder), fw.FrameworkError, expected);
      await build(folder, (engine) => engine.AddFunc(name, String));
    });
  });
}

const called = [
  "<%= it.money(1) + it?.price?.(2) %>",
  "<% const money = (n) => n; %><%= money(1) %>",
  "<% function money(n) { return n; } %><%= money(1) %>",
  "<% const tools = { a: 1, money(n = (1)) { return n; }, get x() { return 1; }, async b() {} }; %><%= tools.money(1) %>",
  "<% class Tool { money(n) { return n; } static other() { return 2; } } %><%= new Tool().money(1) + Tool.other() %>",
  "<% const later = async (n) => n; %><%= typeof later(1) %>",
  "<% function walk(n) { return n > 0 ? walk(n - 1) : 0; } %><%= walk(3) %>",
  "<% for (const each of (it.a ?? [])) { %><%= String(each) %><% } %>",
  "<% it.a?.forEach((show) => { %><%= show(1) %><% }) %>",
  "<% const { money } = it; if (money) { %><%= money(1) %><% } %>",
  "<% if (typeof money === 'function') { %><%= money(1) %><% } %>",
  "<%= `${1}` + encodeURIComponent('x') + new Date(0).getTime() + parseInt('1') %>",
  "<%= json(it) + tr('x') + /money(1)/.test('money(1)') %>",
  "<% /* money(1) */ while (false) {} switch (1) {} %>money(1)",
  "<% try { throw Error('x') } catch (e) { %><%= e.message %><% } %>",
];

for (const source of called) {
  Deno.test(`Application.Build() accepts the calls in ${JSON.stringify(source)}`, async () => {
    await withFolder({ "page.html": source }, (folder) => build(folder));
  });
}
