import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { NoLayout } from "../../../src/pages/engine/engine.ts";
import { HTML } from "../../../src/pages/engine/default/html.ts";
import "../../../src/pages/view/mod.ts";
import { withFolder } from "./folder.ts";

/** Renders the template "page" from the given files. */
async function render(files: Readonly<Record<string, string>>, data?: unknown, layout?: string): Promise<string> {
  let text = "";
  await withFolder(files, async (folder) => {
    text = await HTML(folder).Render("page", data, { Layout: layout });
  });
  return text;
}

Deno.test("Frame escapes angle brackets, ampersands and quotes in <%=", async () => {
  const page = `<a title="<%= it.X %>" id='<%= it.X %>'><%= it.X %></a>`;
  const nasty = `"><script>alert('x')</script>&amp;`;
  const safe = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;";
  assertEquals(await render({ "page.html": page }, { X: nasty }), `<a title="${safe}" id='${safe}'>${safe}</a>`);
});

Deno.test("Frame escapes the results of objects and functions", async () => {
  const data = { X: { toString: () => "<i>" }, F: () => "<b>", List: ["<", ">"] };
  assertEquals(
    await render({ "page.html": "<%= it.X %> <%= it.F() %> <%= it.List %>" }, data),
    "&lt;i&gt; &lt;b&gt; &lt;,&gt;",
  );
});

Deno.test("Frame does not escape <%~", async () => {
  assertEquals(await render({ "page.html": "<%~ it.X %>" }, { X: "<b>" }), "<b>");
});

Deno.test("Frame writes nothing for undefined and null, and false and zero as they are", async () => {
  const page = "[<%= it.A %><%= it.B %><%~ it.A %><%~ it.B %>][<%= false %><%= 0 %><%= 0n %><%= '' %><%= NaN %>]";
  assertEquals(await render({ "page.html": page }, { A: undefined, B: null }), "[][false00NaN]");
});

Deno.test("Frame rejects a promise, which would be rendered as [object Promise]", async () => {
  for (const tag of ["=", "~"]) {
    await withFolder({ "page.html": `<%${tag} slow() %>` }, (folder) => {
      const engine = HTML(folder).AddFunc("slow", () => Promise.resolve("x"));
      assertThrows(() => engine.Render("page"), FrameworkError, "await it in the handler and pass its value");
    });
  }
});

Deno.test("Frame runs loops, conditions with and without braces, and callbacks across tags", async () => {
  const page = `<% for (const n of it.List) { %><%= n %>,<% } %>
<% if (it.Yes) { %>yes<% } else { %>no<% } %>
<% if (!it.Yes) %><%= "shown by mistake" %>
<% if (!it.Yes) %>shown by mistake
<% it.List.forEach((n) => { %>(<%= n %>)<% }) %>
`;
  assertEquals(await render({ "page.html": page }, { List: [1, 2], Yes: true }), "1,2,\nyes\n\n(1)(2)\n");
});

Deno.test("Frame reads values that end in a comment, span lines or begin with a bracket", async () => {
  const page =
    "<%= it.A // the first %><%=\n  [\n    it.A,\n    it.B\n  ]\n  .join()\n%>;<%= it.A %><% [1].map((x) => x) %>";
  assertEquals(await render({ "page.html": page }, { A: 1, B: 2 }), "11,2;1");
});

Deno.test("Frame keeps quotes, backslashes, dollars and line breaks of the text", async () => {
  const text = "it's \"quoted\" \\n \\' `tick` ${it.X}\n\u2028\u2029\ttail";
  assertEquals(await render({ "page.html": text }), text);
});

Deno.test("Frame drops a byte order mark at the beginning of a file", async () => {
  assertEquals(await render({ "page.html": "\uFEFF<p>" }), "<p>");
});

Deno.test("Frame includes nested partials with merged data", async () => {
  const files = {
    "page.html": '<%~ include("a", { X: 2 }) %>|<%= it.X %>',
    "a.html": '<%= it.X %><%~ include("/deep/b.html", { Y: 3 }) %><%= it.Y %>',
    "deep/b.html": "<%= it.X %><%= it.Y %><%= it.Z %>",
  };
  assertEquals(await render(files, { X: 1, Z: 9 }), "2239|1");
});

Deno.test("Frame passes the same object to a partial without further data", async () => {
  class User {
    #name = "Ann";
    get Name(): string {
      return this.#name;
    }
    Greet(): string {
      return `Hi ${this.#name}`;
    }
  }
  const files = {
    "page.html": '<%~ include("part") %>',
    "part.html": "<%= it.Name %>,<%= it.Greet() %>",
    "main.html": "<%= it.Name %>:<%~ body %>",
  };
  assertEquals(await render(files, new User(), "main"), "Ann:Ann,Hi Ann");
});

Deno.test("Frame passes data that is not an object to the template unchanged", async () => {
  assertEquals(await render({ "page.html": "<%= it.length %><%= it %>" }, "<abc>"), "5&lt;abc&gt;");
  assertEquals(await render({ "page.html": "<%= it.join('-') %>" }, [1, 2]), "1-2");
});

Deno.test("Frame rejects partial data that is not an object", async () => {
  await withFolder({ "page.html": '<%~ include("part", "text") %>', "part.html": "" }, (folder) => {
    assertThrows(() => HTML(folder).Render("page"), FrameworkError, "must be an object, not a string");
  });
});

Deno.test("Frame nests layouts and passes each the data added by the inner one", async () => {
  const files = {
    "page.html": '<% layout("inner", { Title: "T" }) %>page',
    "inner.html": '<% layout("outer", { Menu: "M" }) %>inner(<%~ body %>,<%= it.Title %>)',
    "outer.html": "outer(<%~ body %>,<%= it.Title %>,<%= it.Menu %>,<%= it.X %>)",
  };
  assertEquals(await render(files, { X: 1 }), "outer(inner(page,T),T,M,1)");
});

Deno.test("Frame passes the view to its layout as it.body", async () => {
  for (const spelling of ["it.body", "it?.body", "it['body']", 'it [ "body" ]']) {
    const files = { "page.html": "<b><%= it.body %></b>", "main.html": `<%= it.Title %>:<%~ ${spelling} %>` };
    assertEquals(await render(files, { Title: "T", body: "<i>" }, "main"), "T:<b>&lt;i&gt;</b>");
  }
  const nested = {
    "page.html": '<% layout("inner") %>page',
    "inner.html": '<% layout("outer") %>inner(<%~ it.body %>)',
    "outer.html": "outer(<%~ it.body %>)",
  };
  assertEquals(await render(nested), "outer(inner(page))");
});

Deno.test("Frame stops layouts that wrap each other endlessly", async () => {
  const files = { "page.html": '<% layout("a") %>', "a.html": '<% layout("b") %>', "b.html": '<% layout("a") %>' };
  await withFolder(files, (folder) => {
    assertThrows(() => HTML(folder).Render("page"), FrameworkError, "the chain of layouts does not end");
  });
});

Deno.test("Frame stops a partial that includes itself endlessly, and allows 500 nested partials", async () => {
  const files = {
    "page.html": '<%~ include("page") %>',
    "tree.html": '.<% if (--it.N) { %><%~ include("tree") %><% } %>',
  };
  await withFolder(files, (folder) => {
    const error = assertThrows(() => HTML(folder).Render("page"), FrameworkError);
    assertStringIncludes(
      error.message,
      `Cannot include template "${folder}/page.html": more than 500 partials are nested`,
    );
    assertEquals(error.message.length < 2000, true);
    assertEquals(HTML(folder).Render("tree", { N: 501 }), ".".repeat(501));
  });
});

Deno.test("Frame inserts the blocks of a view into the layout, or their defaults", async () => {
  const files = {
    "page.html": '<%~ block("title", () => { %>Page <%= it.X %><% }) %>text',
    "main.html": '<title><%~ block("title", () => { %>Default<% }) %></title>' +
      '<aside><%~ block("aside", () => { %>empty<% }) %></aside><i><%~ block("none") %></i><%~ body %>',
  };
  assertEquals(
    await render(files, { X: "<" }, "main"),
    "<title>Page &lt;</title><aside>empty</aside><i></i>text",
  );
  assertEquals(await render(files, { X: 1 }, NoLayout), "Page 1text");
});

Deno.test("Frame lets the innermost template win a block, through nested layouts and partials of layouts", async () => {
  const files = {
    "page.html": '<% layout("inner") %><%~ block("a", () => { %>page<% }) %>',
    "inner.html": '<% layout("outer") %><%~ block("a", () => { %>inner<% }) %><%~ block("b", () => { %>inner<% }) %>',
    "outer.html": '<%~ include("head") %>',
    "head.html": '<%~ block("a", () => { %>head<% }) %>,<%~ block("b") %>',
  };
  assertEquals(await render(files), "page,inner");
});

Deno.test("Frame captures the output of a function", async () => {
  const files = {
    "page.html":
      '<% const inner = capture(() => { %><b><%= it.X %></b><% }) %>[<%~ include("card", { Inner: inner }) %>]',
    "card.html": "<div><%~ it.Inner %></div>",
  };
  assertEquals(await render(files, { X: "&" }), "[<div><b>&amp;</b></div>]");
});

Deno.test("Frame allows variables with the names of built-in functions", async () => {
  const page = "<% const body = 1, block = 2, layout = 3; %><%= body + block + layout %>";
  assertEquals(await render({ "page.html": page }), "6");
});

Deno.test("Frame accepts data with the names of the engine's own members", async () => {
  const evil = "<script>alert(1)</script>";
  const data = {
    __blocks: { title: evil },
    __view: evil,
    __eta: { res: evil },
    body: evil,
    block: () => evil,
    include: () => evil,
    layout: "other",
    options: {},
    it: evil,
  };
  const files = {
    "page.html": '<%~ block("title", () => { %>safe<% }) %>|<%~ body %>|<%~ include("part") %>',
    "part.html": "part<%~ body %>",
    "main.html": "(<%~ body %>)",
  };
  assertEquals(await render(files, data), "safe||part");
  assertEquals(await render(files, data, "main"), "(||part)");
});

Deno.test("Frame treats a __proto__ key from JSON as plain data", async () => {
  const data = JSON.parse('{"__proto__": {"Admin": true, "polluted": true}, "X": 1}');
  const files = {
    "page.html": '<%= it.Admin %>|<%~ include("part", { Y: 2 }) %>|<%~ include("part", it.Evil) %>',
    "part.html": "<%= it.Admin %><%= it.X %>",
  };
  data.Evil = JSON.parse('{"__proto__": {"Admin": true}}');
  assertEquals(await render(files, data), "|1|1");
  assertEquals(({} as Record<string, unknown>).polluted, undefined);
});

Deno.test("Frame runs templates in strict mode, so that no variable leaks into other requests", async () => {
  await withFolder({ "page.html": "<% leaked = it.X %>" }, (folder) => {
    assertThrows(() => HTML(folder).Render("page", { X: 1 }), FrameworkError, "leaked is not defined");
  });
  assertEquals("leaked" in globalThis, false);
});

Deno.test("Frame keeps the line breaks after tags of every kind, unless a tag removes them", async () => {
  const data = { a: "Ada", b: "Lovelace" };
  assertEquals(
    await render({ "page.html": "<pre><%= it.a %>\n<%~ it.b %>\r\n<% const c = 1 %>\n</pre>\n" }, data),
    "<pre>Ada\nLovelace\n\n</pre>\n",
  );
  assertEquals(await render({ "page.html": "<%= it.a -%>\n\n<%= it.b _%>\n\n." }, data), "Ada\nLovelace.");
  assertEquals(await render({ "page.html": "a\n<%- it.a %>\n<%_ it.b %>" }, data), "a");
});
