import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { FrameworkError, HTTPError } from "../../../src/base/errors/errors.ts";
import { HTML } from "../../../src/pages/engine/default/html.ts";
import "../../../src/pages/view/mod.ts";
import { withFolder } from "./folder.ts";

Deno.test("renderFault() reports the file, the line, the reason and an excerpt", async () => {
  const page = "<h1>\n\n<%= it.Title %>\n  <%= it.User.Name %>\n</h1>\n<p>\n";
  await withFolder({ "pages/user.html": page }, (folder) => {
    const error = assertThrows(() => HTML(folder).Render("pages/user", { Title: "x" }), FrameworkError);
    assertEquals(error.Code, "FW_VIEW");
    assertEquals(
      error.message,
      `Cannot render template "${folder}/pages/user.html" at line 4: ` +
        `Cannot read properties of undefined (reading 'Name')\n
  2 | 
  3 | <%= it.Title %>
> 4 |   <%= it.User.Name %>
  5 | </h1>
  6 | <p>`,
    );
    assertInstanceOf(error.cause, TypeError);
  });
});

Deno.test("renderFault() reports the line within a long tag, even after blank lines and Windows line breaks", async () => {
  for (const end of ["\n", "\r\n"]) {
    const rows = ["<p>", "<%", "", "  const a = 1;", "  // a note", "  it.X.y;", "%>", "<%= 1 %>"];
    await withFolder({ "page.html": rows.join(end) }, (folder) => {
      const error = assertThrows(() => HTML(folder).Render("page"), FrameworkError);
      assertStringIncludes(error.message, 'page.html" at line 6: ');
      assertStringIncludes(error.message, "\n> 6 |   it.X.y;\n");
    });
  }
});

Deno.test("renderFault() reports the line of the value if a function fails too deep for the stack trace", async () => {
  function deep(levels: number): never {
    if (levels === 0) throw new Error("deep down");
    return deep(levels - 1);
  }
  await withFolder({ "page.html": "a\n<%= 1 %>\n\n<%= fail(50) %>\n" }, (folder) => {
    const engine = HTML(folder).AddFunc("fail", deep);
    const error = assertThrows(() => engine.Render("page"), FrameworkError);
    assertStringIncludes(error.message, 'page.html" at line 4: deep down\n');
  });
});

Deno.test("renderFault() reports thrown values that are not errors", async () => {
  await withFolder({ "page.html": "\n<% throw 'a mere text' %>" }, (folder) => {
    assertThrows(() => HTML(folder).Render("page"), FrameworkError, "a mere text");
  });
});

Deno.test("renderFault() reports which template included a failing or missing partial", async () => {
  const files = {
    "page.html": "<p>\n<%~ include('list') %>",
    "list.html": "\n\n<% for (const n of [1]) { %>\n<%~ include('row') %>\n<% } %>",
    "row.html": "\n<%= it.X.y %>",
    "lost.html": "\n<%~ include(`rwo`) %>",
  };
  await withFolder(files, (folder) => {
    const engine = HTML(folder);
    const failing = assertThrows(() => engine.Render("page"), FrameworkError);
    assertStringIncludes(failing.message, `Cannot render template "${folder}/row.html" at line 2: `);
    assertStringIncludes(
      failing.message,
      `\nincluded by "${folder}/list.html" at line 4\nincluded by "${folder}/page.html" at line 2`,
    );
    const missing = assertThrows(() => engine.Render("lost"), FrameworkError);
    assertEquals(
      missing.message,
      `Cannot find partial "rwo.html" in "${folder}": similar names are "row.html"\n` +
        `included by "${folder}/lost.html" at line 2`,
    );
  });
});

Deno.test("renderFault() reports the line in a layout and inside a block", async () => {
  const files = {
    "main.html": "<html>\n<%~ body %>\n<%= it.Missing.x %>\n",
    "page.html": "page",
    "block.html": "\n<%~ block('b', () => { %>\n<%= it.Missing.x %>\n<% }) %>",
  };
  await withFolder(files, (folder) => {
    const engine = HTML(folder);
    const layout = assertThrows(() => engine.Render("page", {}, { Layout: "main" }), FrameworkError);
    assertStringIncludes(layout.message, `"${folder}/main.html" at line 3: `);
    const block = assertThrows(() => engine.Render("block"), FrameworkError);
    assertStringIncludes(block.message, `"${folder}/block.html" at line 3: `);
  });
});

Deno.test("renderFault() reports the line in a file whose name has spaces and special characters", async () => {
  await withFolder({ "my (first) page%.html": "\n<% it.X.y %>" }, (folder) => {
    const error = assertThrows(() => HTML(folder).Render("my (first) page%"), FrameworkError);
    assertStringIncludes(error.message, 'page%.html" at line 2: ');
  });
});

Deno.test("renderFault() cuts long lines of the excerpt", async () => {
  await withFolder({ "page.html": `${"x".repeat(100_000)}<%= it.X.y %>` }, (folder) => {
    const error = assertThrows(() => HTML(folder).Render("page"), FrameworkError);
    assertEquals(error.message.length < 1000, true);
  });
});

Deno.test("renderFault() rethrows an HTTPError of a function, because it is a response", async () => {
  await withFolder({ "page.html": "<%~ include('part') %>", "part.html": "<%= need() %>" }, (folder) => {
    const engine = HTML(folder).AddFunc("need", () => {
      throw new HTTPError(403, "Members only");
    });
    const error = assertThrows(() => engine.Render("page"), HTTPError, "Members only");
    assertEquals(error.Status, 403);
  });
});
