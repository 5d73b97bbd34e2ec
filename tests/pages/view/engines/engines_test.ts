import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "@fw/web";
import Handlebars from "npm:handlebars@^4.7";
import Nunjucks from "npm:nunjucks@^3.2";
import { renderToString } from "npm:preact-render-to-string@^6";
import { h } from "npm:preact@^10";
import * as handlebars from "../../../../src/pages/view/engines/handlebars.ts";
import * as jsx from "../../../../src/pages/view/engines/jsx.ts";
import { Markdown } from "../../../../src/pages/view/engines/markdown.ts";
import * as nunjucks from "../../../../src/pages/view/engines/nunjucks.ts";
import { withFolder } from "../folder.ts";

type Templated = ReturnType<typeof handlebars.New> | ReturnType<typeof Markdown>;

const preact = { Render: renderToString, Element: h };

/** The same page in every language: a heading, a list, a function, a partial, and the URLs of the request. */
const languages: Readonly<Record<string, { create: (folder: string) => Templated; files: Record<string, string> }>> = {
  handlebars: {
    create: (folder) => handlebars.New(Handlebars, folder),
    files: {
      "page.html":
        `<h1>{{Title}}</h1>{{#each Tags}}<i>{{this}}</i>{{/each}}{{upper Title}}{{> parts/foot}}<a href="{{urlpath "user" ID}}">{{tr "hi" Title}}</a>`,
      "parts/foot.html": "<b>{{Title}}</b>",
      "main.html": "<main>{{yield}}</main>",
      "attribute.html": `<a title="{{Title}}">`,
    },
  },
  nunjucks: {
    create: (folder) => nunjucks.New(Nunjucks, folder),
    files: {
      "page.html":
        `<h1>{{ Title }}</h1>{% for tag in Tags %}<i>{{ tag }}</i>{% endfor %}{{ upper(Title) }}{% include "parts/foot" %}<a href="{{ urlpath("user", ID) }}">{{ tr("hi", Title) }}</a>`,
      "parts/foot.html": "<b>{{ Title }}</b>",
      "main.html": "<main>{{ body }}</main>",
      "attribute.html": `<a title="{{ Title }}">`,
    },
  },
  markdown: {
    create: (folder) => Markdown(folder),
    files: {
      "page.md":
        `<h1><%= it.Title %></h1><% for (const tag of it.Tags) { %><i><%= tag %></i><% } %><%= upper(it.Title) %><%~ include("parts/foot.html") %><a href="<%= urlpath("user", it.ID) %>"><%= tr("hi", it.Title) %></a>`,
      "parts/foot.html": "<b><%= it.Title %></b>",
      "main.html": "<main><%~ body %></main>",
      "attribute.md": `<a title="<%= it.Title %>">`,
    },
  },
};

async function withEngine(
  { create, files }: { create: (folder: string) => Templated; files: Record<string, string> },
  use: (engine: Templated, folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(files, async (folder) => {
    await use(create(folder).AddFunc("upper", (text: string) => text.toUpperCase()), folder);
  });
}

for (const [name, language] of Object.entries(languages)) {
  Deno.test(`${name} views have layouts, partials, functions, urlpath and tr`, async () => {
    await withEngine(language, async (engine) => {
      const app = fw.New();
      app.RegisterView(engine.Layout(name === "markdown" ? "main.html" : "main"));
      app.I18n.LoadKV({ en: { hi: "Hi %s" } });
      app.Get("/users/{id:int}", (ctx) => ctx.View("page", { Title: "a&b", Tags: ["x", "<y>"], ID: 7 })).SetName(
        "user",
      );
      const response = await app.fetch(new Request("http://localhost/users/7"));
      assertEquals(
        (await response.text()).replaceAll("\n", ""),
        '<main><h1>a&amp;b</h1><i>x</i><i>&lt;y&gt;</i>A&amp;B<b>a&amp;b</b><a href="/users/7">Hi a&amp;b</a></main>',
      );
      assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
    });
  });

  Deno.test(`${name} views escape values in text and in quoted attributes`, async () => {
    await withEngine(language, async (engine) => {
      const vectors = [
        "<script>alert(1)</script>",
        `"><img src=x onerror=alert(1)>`,
        `' onmouseover='alert(1)`,
        `" autofocus onfocus="alert(1)`,
        "</title><svg/onload=alert(1)>",
        "[x](javascript:alert(1))",
        "{{constructor.constructor('alert(1)')()}}",
        "<%= alert(1) %>",
        "\u0000<b>",
      ];
      for (const Title of vectors) {
        const text = await engine.Render("attribute", { Title });
        const inside = text.slice(text.indexOf('title="') + 7, text.lastIndexOf('">'));
        assertEquals(/["<>]/.test(inside), false, `${Title} → ${text}`);
        const page = await engine.Render("page", { Title, Tags: [Title], ID: 1 }, {
          Links: { URLPath: () => "/", URL: () => "/", Tr: (_key, value) => String(value) },
        });
        assertEquals(/<(?:script|img|svg|b>)/.test(page.replace(/<\/?b>/g, "")), false, `${Title} → ${page}`);
      }
    });
  });

  Deno.test(`${name} views are never found outside their folder`, async () => {
    await withEngine(language, async (engine) => {
      for (const path of ["../secret", "/etc/passwd", "..%2fsecret", "page\0", "constructor", "__proto__"]) {
        assertThrows(() => engine.Render(path, {}), fw.ViewNotFound, "Cannot find template");
      }
      await Promise.resolve();
    });
  });

  Deno.test(`${name} views reload and recover`, async () => {
    await withEngine(language, async (engine, folder) => {
      const file = `${folder}/attribute${name === "markdown" ? ".md" : ".html"}`;
      engine.Reload();
      await engine.Load();
      const before = await engine.Render("attribute", { Title: "one" });
      assertStringIncludes(before, "one");
      await Deno.writeTextFile(file, { handlebars: "{{#if", nunjucks: "{% if", markdown: "<% if ( %>" }[name] ?? "");
      assertThrows(() => engine.Render("attribute", { Title: "two" }), fw.FrameworkError, "attribute");
      await Deno.writeTextFile(file, "mended");
      assertStringIncludes(await engine.Render("attribute", {}), "mended");
    });
  });

  Deno.test(`${name} views with syntax errors fail at start-up and report their file`, async () => {
    const broken = { handlebars: "{{#if x}}", nunjucks: "{% if x", markdown: "<% if ( { %>" }[name] ?? "";
    const file = name === "markdown" ? "bad.md" : "bad.html";
    await withEngine({ ...language, files: { [file]: broken } }, async (engine) => {
      assertThrows(() => engine.Load(), fw.FrameworkError, file);
      await Promise.resolve();
    });
  });

  Deno.test(`${name}.ParseTemplate() adds a template from a string`, async () => {
    const text = {
      handlebars: "{{shout Name}}",
      nunjucks: "{{ shout(Name) }}",
      markdown: "<%= shout(it.Name) %>",
    }[name] ?? "";
    const engine = language.create("").ParseTemplate(name === "markdown" ? "a.md" : "a.html", text, {
      shout: (word: string) => `${word}!`,
    });
    assertStringIncludes(await engine.Render("a", { Name: "tea" }), "tea!");
    assertThrows(() => engine.ParseTemplate("b.html", ""), fw.FrameworkError, "already loaded");
  });
}

Deno.test("JSX views render components in layouts, escape values and can access the request", async () => {
  const Main = ({ children }: { children?: unknown }) => h("main", null, children as never);
  const Page = ({ Title, Tags }: { Title: string; Tags: string[] }) =>
    h(
      "section",
      { title: Title },
      Tags.map((tag) => h("i", null, tag)),
      h("a", { href: jsx.useRequest().URLPath("user", 7) }, jsx.useRequest().Tr("hi", Title)),
    );
  const app = fw.New();
  app.RegisterView(jsx.New(preact, { page: Page, main: Main }).Layout("main"));
  app.I18n.LoadKV({ en: { hi: "Hi %s" } });
  app.Get("/users/{id:int}", (ctx) => ctx.View("page", { Title: `"<b>`, Tags: ["<script>"] })).SetName("user");
  const text = await (await app.fetch(new Request("http://localhost/users/7"))).text();
  assertEquals(
    text,
    '<!DOCTYPE html><main><section title="&quot;&lt;b>"><i>&lt;script></i><a href="/users/7">Hi &quot;&lt;b></a></section></main>',
  );
  assertThrows(() => jsx.New(preact, { page: Page }).Render("pag", {}), fw.ViewNotFound, 'similar names are "page"');
  assertThrows(
    () => jsx.New(preact, { page: Page }).Layout("none").Load(),
    fw.ViewNotFound,
    'Cannot find layout "none"',
  );
});

Deno.test("New() of an engine names the missing member and shows the import of the library", () => {
  const cases: readonly [() => unknown, string, string][] = [
    [() => handlebars.New("views" as never, ""), '"create"', 'import Handlebars from "npm:handlebars@^4.7"'],
    [() => handlebars.New({ create() {} } as never, ""), '"compile"', 'import Handlebars from "npm:handlebars@^4.7"'],
    [() => nunjucks.New("views" as never, ""), '"Environment"', 'import nunjucks from "npm:nunjucks@^3.2"'],
    [
      () => nunjucks.New({ Environment: class {} } as never, ""),
      '"runtime.SafeString"',
      'import nunjucks from "npm:nunjucks@^3.2"',
    ],
    [
      () => jsx.New({ page: () => "" } as never),
      '"Render"',
      'import { renderToString } from "npm:preact-render-to-string@^6"',
    ],
    [
      () => jsx.New(undefined as never),
      '"Render"',
      'import { renderToString } from "npm:preact-render-to-string@^6"',
    ],
  ];
  for (const [create, member, line] of cases) {
    const error = assertThrows(create, fw.FrameworkError, `has no method ${member}`);
    assertEquals(error.Code, "FW_CONFIG");
    assertStringIncludes(error.message, line);
  }
});

Deno.test("Nunjucks() offers added functions as filters, too", () => {
  const engine = nunjucks.New(Nunjucks, "").AddFunc(
    "shout",
    (text: string, mark = "!") => `${text.toUpperCase()}${mark}`,
  )
    .ParseTemplate("a.html", '{{ Name | shout }} {{ Name | shout("?") }} {{ shout(Name) }} {{ Name | upper }}');
  assertEquals(engine.Render("a", { Name: "a&b" }), "A&amp;B! A&amp;B? A&amp;B! A&amp;B");
});
