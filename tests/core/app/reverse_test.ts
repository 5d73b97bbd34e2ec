import * as fw from "@fw/web";
import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { bothWays, quiet } from "../../serving.ts";

function named(template: string): fw.Application {
  const app = quiet();
  app.Get(template, (ctx) => ctx.JSON(ctx.Params().Entries())).SetName("it");
  return app;
}

const good: readonly [template: string, values: fw.PathValue[], path: string][] = [
  ["/", [], "/"],
  ["/users/{id:long}", [5n], "/users/5"],
  ["/users/{name}", ["Ada Lovelace/é".replace("/", "-")], "/users/Ada%20Lovelace-%C3%A9"],
  ["/on/{day:date}", [new Date("2026-11-15T10:00:00Z")], "/on/2026-11-15"],
  ["/is/{yes:bool}", [true], "/is/true"],
  ["/files/{rest:path}", ["a b/c.txt"], "/files/a%20b/c.txt"],
  ["/caf%C3%A9/{n:int min(1)}", [3], "/caf%C3%A9/3"],
];

for (const [template, values, path] of good) {
  Deno.test(`Application.Reverse() returns "${path}" for "${template}", and the path matches the route`, async () => {
    const app = named(template);
    assertEquals(app.Reverse("it", ...values), path);
    const response = await app.fetch(new Request(`http://localhost${path}`));
    await response.body?.cancel();
    assertEquals(response.status, 200);
  });
}

const bad: readonly [template: string, values: fw.PathValue[], message: string][] = [
  ["/users/{id:int}", ["five"], '{id} does not accept "five"'],
  ["/users/{id:int min(1)}", [0], '{id} does not accept "0"'],
  ["/users/{name}", ["a/b"], '{name} does not accept "a/b"'],
  ["/users/{name}", [""], '{name} does not accept ""'],
  ["/users/{name}", [".."], '{name} does not accept ".."'],
  ["/files/{rest:path}", ["../x"], '{rest} does not accept "../x"'],
  ["/users/{id:int}", [], "it has 1 parameters, not 0"],
];

for (const [template, values, message] of bad) {
  Deno.test(`Application.Reverse() rejects ${JSON.stringify(values)} for "${template}"`, () => {
    assertThrows(() => named(template).Reverse("it", ...values), Error, message);
  });
}

Deno.test("Application.Reverse() rejects an unknown route name", () => {
  assertThrows(() => quiet().Reverse("nothing"), Error, "there is no such route");
});

bothWays("urlpath() in templates builds paths by name", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "page.html"), '<a href="<%= urlpath("user", it.id) %>">user</a>');
  const app = quiet();
  app.RegisterView(fw.HTML(folder, ".html"));
  app.Get("/users/{id:int}", (ctx) => ctx.WriteString("user")).SetName("user");
  app.Get("/", (ctx) => ctx.View("page", { id: 7 }));
  await app.Build();
  await Deno.remove(folder, { recursive: true });
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, '<a href="/users/7">user</a>');
});

bothWays("url() in templates builds URLs with the host, the scheme and the route's own subdomain", async () => {
  const folder = await Deno.makeTempDir();
  const page =
    '<%= url("user", it.id) %> <%= url("admin") %> <%= url("tenant", "ann", "x y") %> <%= urlpath("admin") %>';
  await Deno.writeTextFile(join(folder, "page.html"), page);
  await Deno.writeTextFile(join(folder, "part.html"), '<%~ include("page", { id: 8 }) %>');
  const app = quiet();
  app.RegisterView(fw.HTML(folder, ".html"));
  app.Get("/users/{id:int}", (ctx) => ctx.WriteString("user")).SetName("user");
  app.Subdomain("admin").Get("/", (ctx) => ctx.View("page", { id: 7 })).SetName("admin");
  app.Subdomain("*").Get("/t/{name}", (ctx) => ctx.WriteString("tenant")).SetName("tenant");
  app.Get("/", (ctx) => ctx.View("page", { id: 7 }));
  app.Get("/part", (ctx) => ctx.View("part"));
  await app.Build();
  await Deno.remove(folder, { recursive: true });
  return app;
}, async (ask) => {
  const expected = (id: number) =>
    `http://localhost:81/users/${id} http://admin.localhost:81/ http://ann.localhost:81/t/x%20y /`;
  assertEquals((await ask("/", { headers: { host: "localhost:81" } })).text, expected(7));
  assertEquals((await ask("/", { headers: { host: "admin.localhost:81" } })).text, expected(7));
  assertEquals((await ask("/part", { headers: { host: "localhost:81" } })).text, expected(8));
});

Deno.test("urlpath() and url() can be replaced by the application's functions, even if two applications share an engine", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "page.html"), '<%= url("a") %> <%= urlpath("user") %>');
  const engine = fw.HTML(folder, ".html").AddFunc("url", (text: string) => `mine ${text}`);
  for (const path of ["/one", "/two"]) {
    const app = quiet();
    app.RegisterView(engine);
    app.Get(path, (ctx) => ctx.View("page")).SetName("user");
    const response = await app.fetch(new Request(`http://localhost${path}`));
    assertEquals(await response.text(), `mine a ${path}`);
  }
  assertThrows(() => engine.Render("page"), fw.FrameworkError, "the view is not rendered for a request");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("url() rejects values that are not subdomains", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "page.html"), '<%= url("tenant", it.label) %>');
  const app = quiet();
  app.RegisterView(fw.HTML(folder, ".html"));
  app.Subdomain("*").Get("/", (ctx) => ctx.WriteString("tenant")).SetName("tenant");
  app.Get("/", (ctx) => ctx.View("page", { label: ctx.URLParam("label") }));
  for (const [label, status] of [["ann", 200], ["evil.com/", 500], ["a b", 500], ["", 500]] as const) {
    const response = await app.fetch(new Request(`http://localhost/?label=${encodeURIComponent(label)}`));
    await response.body?.cancel();
    assertEquals(response.status, status, label);
  }
  await Deno.remove(folder, { recursive: true });
});

bothWays(
  "Context.URLPath() and Context.URL() build links to named routes",
  () => {
    const app = quiet();
    app.Get("/notes/{id:int}", () => {}).SetName("note");
    app.Subdomain("admin").Get("/users/{name}", () => {}).SetName("user");
    app.Get("/links", (ctx) =>
      ctx.JSON([
        ctx.URLPath("note", 7),
        ctx.URL("note", 7),
        ctx.URL("user", "Ada L"),
        ctx.Application().Reverse("note", 8),
      ]));
    app.Get("/bad/{name}", (ctx) => {
      try {
        ctx.WriteString(ctx.URLPath(ctx.Params().Get("name"), "x"));
      } catch (error) {
        ctx.WriteString((error as Error).message);
      }
    });
    return app;
  },
  async (ask) => {
    const links = await ask("/links", { headers: { host: "shop.example" } });
    assertEquals(JSON.parse(links.text), [
      "/notes/7",
      "http://shop.example/notes/7",
      "http://admin.shop.example/users/Ada%20L",
      "/notes/8",
    ]);
    assertEquals((await ask("/bad/note")).text, 'Cannot build a path for "note": {id} does not accept "x"');
    assertEquals((await ask("/bad/none")).text, 'Cannot build a path for "none": there is no such route');
  },
);

Deno.test("Application.Reverse() and urlpath take lists of values", async () => {
  const app = fw.New();
  app.Get("/posts/{year:int}/{slug}", (ctx) => ctx.WriteString("")).SetName("post");
  app.Get("/files/{kind}/{file:path}", (ctx) => ctx.WriteString("")).SetName("file");
  assertEquals(app.Reverse("post", [2026, "a b"]), "/posts/2026/a%20b");
  assertEquals(app.Reverse("post", 2026, ["a b"]), "/posts/2026/a%20b");
  assertEquals(app.Reverse("file", "img", ["a", "b c", "d.png"]), "/files/img/a/b%20c/d.png");
  assertEquals(app.Reverse("file", ["img", "a/b"]), "/files/img/a/b");
  assertThrows(() => app.Reverse("post", [2026]), fw.FrameworkError, "2 parameters, not 1");
  assertThrows(() => app.Reverse("post", [2026, "a", "b"]), fw.FrameworkError, "2 parameters, not 3");
  assertThrows(() => app.Reverse("file", "img", ["a", "..", "b"]), fw.FrameworkError, "does not accept");
  app.RegisterView(fw.HTML("").ParseTemplate("page.html", "<%= urlpath('post', it.Params) %>"));
  app.Get("/page", (ctx) => ctx.View("page", { Params: [2026, "tea"] }));
  assertEquals(await (await app.fetch(new Request("http://localhost/page"))).text(), "/posts/2026/tea");
});
