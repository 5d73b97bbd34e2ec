import { assertEquals, assertStrictEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, toFileUrl } from "@std/path";
import { FrameworkError } from "../../../../src/base/errors/errors.ts";
import { type Engine, NoLayout } from "../../../../src/pages/engine/engine.ts";
import { HTML } from "../../../../src/pages/engine/default/html.ts";
import "../../../../src/pages/view/mod.ts";
import { withFolder, writeFiles } from "../../view/folder.ts";

Deno.test("HTML() renders a template from the directory with the data in the variable it", async () => {
  await withFolder({ "hello.html": "<h1>Hello, <%= it.Name %></h1>" }, (folder) => {
    assertEquals(HTML(folder).Render("hello", { Name: "Ann" }), "<h1>Hello, Ann</h1>");
  });
});

Deno.test("HTML() accepts the directory as a file URL, with and without a final slash", async () => {
  await withFolder({ "views/a.html": "A" }, (folder) => {
    const here = toFileUrl(`${folder}/`);
    assertEquals(HTML(new URL("./views/", here)).Render("a"), "A");
    assertEquals(HTML(new URL("./views", here)).Render("a"), "A");
    assertEquals(HTML(new URL("./views", here).href).Render("a"), "A");
  });
});

Deno.test("HTML() rejects URLs other than file URLs", () => {
  const error = assertThrows(() => HTML(new URL("https://example.com/views/")), FrameworkError);
  assertEquals(error.message, 'Cannot read views from "https://example.com/views/": it is not a path or a file URL');
});

Deno.test("HTML() accepts another extension, with or without its dot", async () => {
  await withFolder({ "a.tmpl.html": "A", "b.html": "B" }, (folder) => {
    assertEquals(HTML(folder, ".tmpl.html").Render("a"), "A");
    assertEquals(HTML(folder, "tmpl.html").Render("a"), "A");
    assertThrows(() => HTML(folder, ".tmpl.html").Render("b"), FrameworkError, "Cannot find template");
  });
});

Deno.test("HTMLEngine.Render() appends the extension if it is missing and drops leading slashes", async () => {
  const files = { "users/list.html": "list", "v1.2.html": "dots", "a.html": "short", "a.html.html": "long" };
  await withFolder(files, (folder) => {
    const engine = HTML(folder);
    for (const name of ["users/list", "users/list.html", "/users/list", "/users/list.html", "//users/list"]) {
      assertEquals(engine.Render(name), "list", name);
    }
    assertEquals(engine.Render("v1.2"), "dots");
    assertEquals(engine.Render("a"), "short");
    assertEquals(engine.Render("a.html"), "short");
    assertEquals(engine.Render("a.html.html"), "long");
  });
});

Deno.test("HTMLEngine.Render() returns a string and no promise", async () => {
  await withFolder({ "a.html": "A" }, (folder) => {
    const engine: Engine = HTML(folder);
    assertEquals(engine.Load(), undefined);
    assertStrictEquals(engine.Render("a", undefined), "A");
  });
});

Deno.test("HTMLEngine.Render() passes an empty object if there is no data", async () => {
  await withFolder({ "a.html": "[<%= it.Name %>]" }, (folder) => {
    assertEquals(HTML(folder).Render("a"), "[]");
    assertEquals(HTML(folder).Render("a", null), "[]");
  });
});

Deno.test("HTMLEngine.Render() reports the directory and similar names if a template does not exist", async () => {
  const files = { "pages/user.html": "", "pages/users.html": "", "pages/index.html": "", "z.html": "" };
  await withFolder(files, (folder) => {
    const engine = HTML(folder);
    const near = assertThrows(() => engine.Render("pages/usr"), FrameworkError);
    assertEquals(near.Code, "FW_VIEW");
    assertEquals(
      near.message,
      `Cannot find template "pages/usr.html" in "${folder}": similar names are "pages/user.html", "pages/users.html"`,
    );
    assertThrows(() => engine.Render("index"), FrameworkError, 'similar names are "pages/index.html"');
    assertThrows(
      () => engine.Render("nothing/like/it"),
      FrameworkError,
      'it holds "pages/index.html", "pages/user.html", "pages/users.html", "z.html"',
    );
  });
});

Deno.test("HTMLEngine.Render() cannot forge log lines with a name", async () => {
  await withFolder({ "a.html": "" }, (folder) => {
    const error = assertThrows(() => HTML(folder).Render(`x\n${"y".repeat(9999)}`), FrameworkError);
    assertEquals(error.message.split("\n").length, 1);
    assertEquals(error.message.length < 400, true);
  });
});

Deno.test("HTMLEngine.Render() does not find templates named like members of Object.prototype", async () => {
  await withFolder({ "a.html": "" }, (folder) => {
    const engine = HTML(folder);
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", ""]) {
      assertThrows(() => engine.Render(name), FrameworkError, "Cannot find template");
    }
  });
});

Deno.test("HTMLEngine.Layout() puts a layout around every view", async () => {
  await withFolder({ "layouts/main.html": "<main><%~ body %></main>", "a.html": "<%= it.X %>" }, (folder) => {
    assertEquals(HTML(folder).Layout("layouts/main").Render("a", { X: "<" }), "<main>&lt;</main>");
  });
});

Deno.test("HTMLEngine.Render() prefers the handler's layout to the view's, and the view's to the engine's", async () => {
  const files = {
    "one.html": "1(<%~ body %>)",
    "two.html": "2(<%~ body %>)",
    "three.html": "3(<%~ body %>)",
    "plain.html": "plain",
    "picky.html": '<% layout("two") %>picky',
    "bare.html": '<% layout("") %>bare',
  };
  await withFolder(files, (folder) => {
    const engine = HTML(folder).Layout("one");
    assertEquals(engine.Render("plain"), "1(plain)");
    assertEquals(engine.Render("plain", {}, { Layout: "" }), "1(plain)");
    assertEquals(engine.Render("plain", {}, { Layout: "/three.html" }), "3(plain)");
    assertEquals(engine.Render("plain", {}, { Layout: NoLayout }), "plain");
    assertEquals(engine.Render("picky"), "2(picky)");
    assertEquals(engine.Render("picky", {}, { Layout: "three" }), "3(picky)");
    assertEquals(engine.Render("picky", {}, { Layout: NoLayout }), "picky");
    assertEquals(engine.Render("bare"), "bare");
    assertEquals(HTML(folder).Layout("one").Layout(NoLayout).Render("plain"), "plain");
  });
});

Deno.test("HTMLEngine.AddFunc() makes a function available in views, partials and layouts", async () => {
  const files = {
    "main.html": "<%= upper(it.Name) %>|<%~ body %>",
    "page.html": '<%= upper(it.Name) %>|<%~ include("part") %>',
    "part.html": "<%= sum(1, 2) %>",
  };
  await withFolder(files, (folder) => {
    const engine = HTML(folder)
      .Layout("main")
      .AddFunc("upper", (text: string) => text.toUpperCase())
      .AddFunc("sum", (a: number, b: number) => a + b);
    assertEquals(engine.Render("page", { Name: "a<b" }), "A&lt;B|A&lt;B|3");
  });
});

Deno.test("HTMLEngine.AddFunc() rejects invalid and duplicate names", () => {
  const engine = HTML("unused");
  for (const name of ["", "a b", "a-b", "1a", "class", "let", "a,b", "a=1", "x){}//"]) {
    assertThrows(() => engine.AddFunc(name, () => ""), FrameworkError, "it is not a valid JavaScript name");
  }
  for (const name of ["it", "include", "layout", "block", "body", "capture", "__view"]) {
    assertThrows(() => engine.AddFunc(name, () => ""), FrameworkError, "the name is already in use");
  }
  engine.AddFunc("größe", () => "").AddFunc("$", () => "").AddFunc("json", () => "");
});

Deno.test("HTMLEngine.Delims() changes the delimiters of tags", async () => {
  await withFolder({ "a.html": "{{ if (it.On) { }}<%= {{= it.Name }} %>{{ } }}" }, (folder) => {
    assertEquals(HTML(folder).Delims("{{", "}}").Render("a", { On: true, Name: "&" }), "<%= &amp; %>");
  });
  assertThrows(() => HTML("unused").Delims("", "}}"), FrameworkError, "they must not be empty");
});

Deno.test("HTMLEngine rejects new functions, layouts and delimiters after its templates are loaded", async () => {
  await withFolder({ "a.html": "" }, (folder) => {
    const engine = HTML(folder);
    engine.Load();
    engine.Load();
    const error = assertThrows(() => engine.AddFunc("f", () => ""), FrameworkError);
    assertEquals(error.Code, "FW_STATE");
    assertEquals(error.message, 'Cannot add function "f" of the views: the templates are already loaded');
    assertThrows(() => engine.Layout("a"), FrameworkError, "already loaded");
    assertThrows(() => engine.Delims("{{", "}}"), FrameworkError, "already loaded");
  });
});

Deno.test("HTMLEngine.Load() fails if the directory, its templates or the layout are missing", async () => {
  await withFolder({ "a.txt": "", "sub/a.html": "" }, (folder) => {
    assertThrows(
      () => HTML(`${folder}/absent`).Load(),
      FrameworkError,
      `Cannot read views from "${folder}/absent": it does not exist`,
    );
    assertThrows(
      () => HTML(folder, ".tmpl").Load(),
      FrameworkError,
      `Cannot load views from "${folder}": it contains no file that ends in ".tmpl"`,
    );
    assertThrows(
      () => HTML(folder).Layout("b").Load(),
      FrameworkError,
      `Cannot find layout "b.html" in "${folder}"`,
    );
  });
});

Deno.test("HTMLEngine.Load() fails for any invalid template, even one that is never rendered", async () => {
  await withFolder({ "fine.html": "fine", "deep/down/broken.html": "<p>\n<% if ( %>\n</p>" }, (folder) => {
    const error = assertThrows(() => HTML(folder).Load(), FrameworkError);
    assertEquals(error.Code, "FW_VIEW");
    assertStringIncludes(error.message, `Cannot compile template "${folder}/deep/down/broken.html" at line 2: `);
    assertStringIncludes(error.message, "\n  1 | <p>\n> 2 | <% if ( %>\n  3 | </p>");
  });
});

Deno.test("HTMLEngine reads each template once, so changes have no effect without Reload()", async () => {
  await withFolder({ "a.html": "old" }, (folder) => {
    const engine = HTML(folder);
    assertEquals(engine.Render("a"), "old");
    writeFiles(folder, { "a.html": "new" });
    assertEquals(engine.Render("a"), "old");
  });
});

Deno.test("HTMLEngine.Reload() detects changed, added and removed templates", async () => {
  await withFolder({ "main.html": "m(<%~ body %>)", "a.html": 'a<%~ include("p") %>', "p.html": "p" }, (folder) => {
    const engine = HTML(folder).Layout("main").Reload();
    engine.Load();
    assertEquals(engine.Render("a"), "m(ap)");
    // The length and the modification time are the same, so neither reveals the change.
    writeFiles(folder, { "p.html": "P" });
    assertEquals(engine.Render("a"), "m(aP)");
    writeFiles(folder, { "main.html": "M(<%~ body %>)", "new/b.html": "b" });
    assertEquals(engine.Render("new/b"), "M(b)");
    Deno.removeSync(`${folder}/p.html`);
    assertThrows(() => engine.Render("a"), FrameworkError, 'Cannot find partial "p.html"');
    engine.Reload(false);
    writeFiles(folder, { "new/b.html": "changed" });
    assertEquals(engine.Render("new/b"), "M(b)");
  });
});

Deno.test("HTMLEngine.Reload() fails only the pages that use an invalid file, and only until it is fixed", async () => {
  await withFolder({ "a.html": "a", "b.html": "b" }, (folder) => {
    const engine = HTML(folder).Reload();
    engine.Load();
    writeFiles(folder, { "b.html": "<%= ( %>" });
    assertEquals(engine.Render("a"), "a");
    assertThrows(() => engine.Render("b"), FrameworkError, `Cannot compile template "${folder}/b.html" at line 1`);
    writeFiles(folder, { "b.html": "mended" });
    assertEquals(engine.Render("b"), "mended");
  });
});

Deno.test("HTMLEngine does not mix 1,000 concurrent renderings", async () => {
  const files = {
    "main.html": '<title><%~ block("title", () => { %>none<% }) %></title><%~ body %>:<%= it.Id %>',
    "page.html": '<%~ block("title", () => { %>T<%= it.Id %><% }) %><% for (const n of it.List) { %>' +
      '<%~ include("row", { N: n }) %><% } %>',
    "row.html": "[<%= it.Id %>/<%= it.N %>]",
  };
  await withFolder(files, async (folder) => {
    const engine = HTML(folder).Layout("main");
    const pages = await Promise.all(Array.from({ length: 1000 }, async (_, id) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      return engine.Render("page", { Id: id, List: [id, id + 1] });
    }));
    pages.forEach((page, id) => {
      assertEquals(page, `<title>T${id}</title>[${id}/${id}][${id}/${id + 1}]:${id}`);
    });
  });
});

Deno.test("HTMLEngine needs no permission to be imported and created, and reading only for its directory", async () => {
  await withFolder({ "views/a.html": "A", "secret.html": "" }, async (folder) => {
    const source = new URL("../../../../src/", import.meta.url).href;
    writeFiles(folder, {
      "main.ts": `import { HTML } from ${JSON.stringify(`${source}pages/engine/default/html.ts`)};
        import ${JSON.stringify(`${source}pages/view/mod.ts`)};
        const engine = HTML(Deno.args[0]);
        console.log("created");
        try { console.log(engine.Render("a")); } catch (error) { console.log(error.message); }`,
    });
    const config = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
    async function run(...flags: string[]): Promise<string> {
      const command = new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", "--no-lock", "--config", config, ...flags, `${folder}/main.ts`, `${folder}/views`],
        stderr: "inherit",
      });
      return new TextDecoder().decode((await command.output()).stdout);
    }
    assertEquals(await run(`--allow-read=${folder}/views`), "created\nA\n");
    const refused = await run();
    assertStringIncludes(refused, `created\nCannot read views from "${folder}/views": Requires read access`);
  });
});
