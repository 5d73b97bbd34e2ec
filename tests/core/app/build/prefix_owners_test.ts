import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as rewrite from "../../../../src/middleware/rewrite/mod.ts";
import { bothWays, overSocket, quiet, type Received } from "../../../serving.ts";

function deny(ctx: fw.Context): void | Promise<void> {
  return ctx.GetHeader("x-key") === "open" ? ctx.Next() : ctx.StopWithStatus(403);
}

/** Returns the body, or the status if it is an error. */
function said({ status, text }: Received): string {
  return status < 300 ? text : String(status);
}

/** Creates middleware that writes a letter. */
function mark(letter: string): fw.Handler {
  return (ctx) => (ctx.Write(letter), ctx.Next());
}

/** Equivalent spellings of `/files/admin/keys.txt`. */
const spellings = [
  "/files/admin/keys.txt",
  "/files/admin//keys.txt",
  "/files//admin/keys.txt",
  "//files/admin/keys.txt",
  "/files/admin/%2Fkeys.txt",
  "/files/admin%2Fkeys.txt",
  "/files/%2Fadmin/keys.txt",
  "/files/pub/../admin/keys.txt",
  "/files/pub/%2e%2e/admin/keys.txt",
  "/files/pub/.%2E/admin/keys.txt",
  "/files/pub%2F..%2Fadmin%2Fkeys.txt",
  "/files/pub/..%2Fadmin/keys.txt",
  "/files/./admin/./keys.txt",
  "/files/%61dmin/keys.txt",
  "/files/%61%64%6D%69%6E%2Fkeys.txt",
  "/x/../files/admin/keys.txt",
  "/files/admin/../admin/keys.txt",
  "/../files/admin/keys.txt",
  "http://localhost/files/admin//keys.txt",
];

Deno.test("Party.Use() applies to an outer catch-all below the party's prefix, for every spelling", async () => {
  const app = quiet();
  app.Get("/files/{f:path}", (ctx) => ctx.WriteString(`open ${ctx.Params().Get("f")}`));
  app.Party("/files/admin").Use(deny);
  await overSocket(app, async (ask) => {
    for (
      const path of [
        ...spellings,
        "/files/admin",
        "/files/admin/",
        "/files/admin//",
        "/files/admin/.",
        "/files/a/../admin/",
      ]
    ) {
      assertEquals(said(await ask(path)), "403", path);
    }
    for (const path of spellings) {
      const opened = said(await ask(path, { headers: { "x-key": "open" } }));
      assertEquals(opened.replace("//", "/"), "open admin/keys.txt", path);
    }
    for (const path of ["/files/administrator", "/files/pub/admin/keys.txt", "/files/admin.txt", "/files/admin/../x"]) {
      assertEquals((await ask(path)).status, 200, path);
    }
  });
});

Deno.test("Party.Use() applies to folders, single parameters and mounted applications below the prefix", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/files/admin`, { recursive: true });
    await Deno.writeTextFile(`${folder}/files/admin/keys.txt`, "SECRET");
    const apps: Record<string, (app: fw.Application) => void> = {
      "HandleDir(/)": (app) => app.HandleDir("/", folder),
      "HandleDir(/files)": (app) => app.HandleDir("/files", `${folder}/files`),
      "single parameters": (app) => {
        app.Get("/{a}", (ctx) => ctx.WriteString("SECRET"));
        app.Get("/{a}/{b}", (ctx) => ctx.WriteString("SECRET"));
        app.Get("/{a}/{b}/{c}", (ctx) => ctx.WriteString("SECRET"));
        app.Get("/files/{b}", (ctx) => ctx.WriteString("SECRET"));
        app.Get("/{a}/{b}/{c}/{d}", (ctx) => ctx.WriteString("SECRET"));
      },
      "Mount(/)": (app) => app.Mount("/", () => new Response("SECRET")),
      "Mount(/files)": (app) => app.Mount("/files", () => new Response("SECRET")),
      "FromFetch": (app) => app.Any("/{rest:path}", fw.FromFetch(() => new Response("SECRET"))),
    };
    for (const [name, add] of Object.entries(apps)) {
      for (const guard of ["Use", "UseRouter"] as const) {
        const app = quiet();
        add(app);
        app.Party("/files/admin")[guard](deny);
        await overSocket(app, async (ask) => {
          for (const path of [...spellings, "/files/admin%5Ckeys.txt", "/files/admin\\keys.txt"]) {
            assertEquals(said(await ask(path)), "403", `${name} ${guard} ${path}`);
          }
          const { text } = await ask("/files/admin/keys.txt", { headers: { "x-key": "open" } });
          assert(text.includes("SECRET"), `${name} ${text}`);
        });
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

bothWays("Party.Use() of a prefix runs before the middleware of the route, and shared middleware runs once", () => {
  const app = quiet();
  app.Use(mark("r"));
  app.Get("/{p:path}", mark("h"), (ctx) => ctx.WriteString("!"));
  const outer = app.Party("/a", mark("a"));
  outer.Party("/b").Use(mark("b"));
  const other = app.Party("/a/b").Use(mark("c"));
  other.Get("/own", (ctx) => ctx.WriteString("own"));
  app.UseGlobal(mark("g"));
  app.UseRouter(mark("R"));
  app.Party("/a/b").UseRouter(mark("S"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/x")).text, "Rgrh!");
  assertEquals((await ask("/a/x")).text, "Rgrah!");
  assertEquals((await ask("/a/b/x")).text, "RSgrabch!");
  assertEquals((await ask("/a/b/own")).text, "Rgrcown");
});

bothWays("Party.Use() does not run for a route whose own template contains the prefix", () => {
  const app = quiet();
  app.Party("/admin").Use(deny);
  app.Party("/users/{id:int}").Use(deny);
  app.Get("/admin/login", (ctx) => ctx.WriteString("login"));
  app.Get("/admin/assets/{f:path}", (ctx) => ctx.WriteString("assets"));
  app.Get("/users/{id:int}/photo", (ctx) => ctx.WriteString("photo"));
  app.Get("/users/{name}/posts", (ctx) => ctx.WriteString("posts"));
  app.Get("/users/me", (ctx) => ctx.WriteString("me"));
  return app;
}, async (ask) => {
  assertEquals(said(await ask("/admin/login")), "login");
  assertEquals(said(await ask("/admin/assets/a/b")), "assets");
  assertEquals(said(await ask("/users/7/photo")), "photo");
  assertEquals(said(await ask("/users/ada/posts")), "posts");
  assertEquals(said(await ask("/users/7/posts")), "403");
  assertEquals(said(await ask("/users/me")), "me");
});

bothWays("Party.UseRouter() of all parties of a prefix runs for paths without a route", () => {
  const app = quiet();
  app.Party("/a").UseRouter(mark("1"));
  app.Party("/a").UseRouter(mark("2"));
  app.Party("/a/{x}").UseRouter(mark("3"));
  app.OnErrorCode(404, (ctx) => ctx.WriteString("none"));
  return app;
}, async (ask) => {
  const heard = async (path: string) => (await ask(path)).text;
  assertEquals(await heard("/b"), "none");
  assertEquals((await heard("/a")).replace("none", ""), "12");
  assertEquals((await heard("/a/b")).replace("none", ""), "123");
});

bothWays("Party.Use() applies to other methods, HEAD and lower case paths, but not to other hosts", () => {
  const app = quiet().Configure(fw.WithLowercaseRouting);
  app.Any("/{p:path}", (ctx) => ctx.WriteString("root"));
  app.Party("/Admin").Use(deny);
  const api = app.Subdomain("api");
  api.Get("/{p:path}", (ctx) => ctx.WriteString("api"));
  return app;
}, async (ask) => {
  for (const method of ["GET", "POST", "HEAD", "PROPFIND"]) {
    assertEquals((await ask("/ADMIN/x", { method })).status, 403, method);
    assertEquals((await ask("/other", { method })).status, 200, method);
  }
  assertEquals(said(await ask("/admin/x", { headers: { host: "api.example.com" } })), "api");
});

Deno.test("Context.Exec() and rewrite run the guards of the parties that own the new path", async () => {
  const app = quiet();
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/old/{rest:path}", To: "/files/{rest}" }] }));
  app.Get("/files/{f:path}", (ctx) => ctx.WriteString("open"));
  app.Party("/files/admin").Use(deny);
  app.Party("/files/router").UseRouter(deny);
  app.Get("/exec", (ctx) => ctx.Exec("GET", ctx.URLParam("to")));
  const routed = app.Party("/routed");
  routed.UseRouter(deny);
  routed.Get("/secret", (ctx) => ctx.WriteString("secret"));
  routed.Get("/again", (ctx) => ctx.Exec("GET", "/routed/secret"));
  await overSocket(app, async (ask) => {
    for (
      const path of ["/files/admin/x", "/files/x/../admin/x", "//files//admin", "/files/router/x", "/routed/secret"]
    ) {
      assertEquals(said(await ask(`/exec?to=${encodeURIComponent(path)}`)), "403", path);
    }
    assertEquals(said(await ask("/exec?to=/files/pub")), "open");
    for (const path of ["/old/admin/x", "/old/x/../admin/x", "/old//admin/x", "/old/admin%2Fx", "/x/../old/router/x"]) {
      assertEquals(said(await ask(path)), "403", path);
    }
    assertEquals(said(await ask("/old/pub")), "open");
    assertEquals(said(await ask("/routed/again", { headers: { "x-key": "open" } })), "secret");
  });
});

Deno.test("Context.Path() and parameters interpret a spelling in the same way", async () => {
  const app = quiet();
  app.Get("/proxy/{rest:path}", (ctx) => ctx.WriteString(`${ctx.Path()} ${ctx.Params().Get("rest")}`));
  app.Get("/one/{x}", (ctx) => ctx.WriteString(`${ctx.Path()} ${ctx.Params().Get("x")}`));
  app.Get("/one/{x}/{y}", (ctx) => ctx.WriteString(`${ctx.Path()} ${ctx.Params().Get("x")}|${ctx.Params().Get("y")}`));
  await overSocket(app, async (ask) => {
    const cases: Record<string, string> = {
      "/proxy/https://x/y": "/proxy/https:/x/y https://x/y",
      "/proxy//https://x//y//": "/proxy/https:/x/y/ https://x//y//",
      "/proxy/a/../b//c": "/proxy/b/c b//c",
      "/proxy/%2Fetc/passwd": "/proxy/etc/passwd etc/passwd",
      "/one/a%2Fb": "/one/a/b a/b",
      "/one//a%2Fb": "/one/a/b a/b",
      "/one/x%2F..%2Fb": "/one/b b",
      "/one/..%2Fb": "/one/b b",
      "/one/a//b": "/one/a/b a|b",
      "/one/a/./b": "/one/a/b a|b",
      "/x/%2e%2e/one/caf%C3%A9//b": "/one/café/b café|b",
    };
    for (const [path, expected] of Object.entries(cases)) assertEquals((await ask(path)).text, expected, path);
  });
});
