import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as cache from "@fw/web/middleware/cache";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import * as sessions from "@fw/web/sessions";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";

const texts = { en: { hi: "Hello" }, "de-DE": { hi: "Hallo" } };
const proxy = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50000 } } as const;
const stranger = { remoteAddr: { transport: "tcp", hostname: "203.0.113.7", port: 50000 } } as const;

/** The places where the application is published, with the request that reaches it there. */
interface Place {
  readonly name: string;
  /** The public path of the application. */
  readonly root: string;
  readonly configure: readonly fw.Configurator[];
  /** The path that the application receives for a path below its root. */
  readonly sent: (path: string) => string;
  readonly headers?: Record<string, string>;
}

const trusted = fw.WithProxy({ Trust: ["loopback"] });
const places: readonly Place[] = [
  { name: "at the root", root: "", configure: [], sent: (path) => path },
  {
    name: "below a base path that the proxy keeps",
    root: "/seats",
    configure: [fw.WithBasePath("/seats/")],
    sent: (path) => `/seats${path}`,
  },
  {
    name: "below a base path that the proxy removes",
    root: "/seats",
    configure: [fw.WithBasePath("/seats")],
    sent: (path) => path,
  },
  {
    name: "below a prefix that a trusted proxy reports",
    root: "/box/office",
    configure: [trusted],
    sent: (path) => path,
    headers: { "x-forwarded-prefix": "/box/office/" },
  },
  {
    name: "below a prefix that replaces the base path",
    root: "/new",
    configure: [trusted, fw.WithBasePath("/former")],
    sent: (path) => path,
    headers: { "x-forwarded-prefix": "/new" },
  },
  {
    name: "below an escaped base path",
    root: "/caf%C3%A9/bar",
    configure: [fw.WithBasePath("/café/bar")],
    sent: (path) => `/caf%c3%a9//bar${path}`,
  },
];

class Shows {
  PostBook() {
    return new mvc.Response({ Path: "/shows/7" });
  }
}

function newApp(...configure: fw.Configurator[]): fw.Application {
  const app = fw.New().Configure(...configure);
  app.Logger().SetLevel("disable");
  app.I18n.LoadKV(texts);
  app.RegisterView(
    fw.HTML("").ParseTemplate(
      "page.html",
      "<%= urlpath('show', 7) %> <%= url('show', 7) %> <%= tr('hi') %>",
    ),
  );
  app.WrapRouter(rewrite.New({
    Rules: [{ From: "/old/{id:int}", To: "/shows/{id}", Status: 301 }, {
      From: "/to-en",
      To: "/en/shows/7",
      Status: 302,
    }],
  }));
  app.Get("/shows/{id:int}", (ctx) => ctx.WriteString(ctx.Path())).SetName("show");
  app.Get("/", (ctx) => ctx.WriteString("home")).SetName("home");
  app.Get("/page", (ctx) => ctx.View("page.html"));
  app.Get("/links", (ctx) =>
    ctx.JSON([
      ctx.URLPath("show", 7),
      ctx.URLPath("home"),
      ctx.URL("show", 7),
      ctx.AbsoluteURI("/shows/7"),
      ctx.AbsoluteURI("shows/7"),
      ctx.FullRequestURI(),
    ]));
  app.Get("/go", (ctx) => ctx.Redirect(ctx.URLParam("to")));
  app.Get("/go/by-name", (ctx) => ctx.Redirect(`${ctx.URLPath("show", 7)}?a=1#b`, 303));
  app.Get("/go/outside", (ctx) => ctx.Redirect(ctx.Application().Reverse("show", 7)));
  app.Get("/cookie", (ctx) => {
    ctx.SetCookie("a", "1");
    ctx.SetCookie("b", "1", { Path: "/shows" });
    ctx.SetCookie("c", "1", { Path: "/" });
    ctx.SetCookie("__Host-d", "1", { Secure: true });
    ctx.RemoveCookie("a");
  });
  mvc.New(app.Party("/mvc")).Handle(Shows);
  return app;
}

async function ask(app: fw.Application, place: Place, path: string, method = "GET"): Promise<[Response, string]> {
  const request = new Request(`http://shop.example${place.sent(path)}`, { method, headers: place.headers ?? {} });
  const response = await app.fetch(request, proxy);
  return [response, await response.text()];
}

async function redirectOf(app: fw.Application, place: Place, path: string, method = "GET"): Promise<string | null> {
  return (await ask(app, place, path, method))[0].headers.get("location");
}

for (const place of places) {
  for (const language of ["", "/de", "/en", "/de-DE"]) {
    const home = place.root + language;

    Deno.test(`every URL leads back to the application ${place.name} with the language "${language}"`, async () => {
      const app = newApp(...place.configure);
      const [, links] = await ask(app, place, `${language}/links?q=1`);
      assertEquals(JSON.parse(links), [
        `${home}/shows/7`,
        `${home}/`,
        `http://shop.example${home}/shows/7`,
        `http://shop.example${home}/shows/7`,
        `http://shop.example${home}/shows/7`,
        `http://shop.example${home}/links?q=1`,
      ]);
      const [, page] = await ask(app, place, `${language}/page`);
      assertEquals(
        page,
        `${home}/shows/7 http://shop.example${home}/shows/7 ${language.startsWith("/de") ? "Hallo" : "Hello"}`,
      );
      assertEquals((await ask(app, place, `${language}/shows/7`))[1], "/shows/7");
      assertEquals(await redirectOf(app, place, `${language}/shows/7/?a=1`), `${home}/shows/7?a=1`);
      assertEquals(await redirectOf(app, place, `${language}/go/by-name`), `${home}/shows/7?a=1#b`);
      assertEquals(await redirectOf(app, place, `${language}/mvc/book`, "POST"), `${home}/shows/7`);
      assertEquals(await redirectOf(app, place, `${language}/old/9?a=1`), `${home}/shows/9?a=1`);
      assertEquals(await redirectOf(app, place, `${language}/to-en`), `${place.root}/en/shows/7`);
    });

    Deno.test(`Context.Redirect() takes a path of the application ${place.name} with "${language}"`, async () => {
      const app = newApp(...place.configure);
      const rows: Record<string, string> = {
        "/shows/7": `${home}/shows/7`,
        "/": `${home}/`,
        "/?a=1": `${home}/?a=1`,
        // A language switcher chooses the language itself.
        "/en/shows/7": `${place.root}/en/shows/7`,
        "/de?x": `${place.root}/de?x`,
        // Relative references are resolved by the client.
        "shows/7": "shows/7",
        "../x": "../x",
        "?page=2": "?page=2",
        "#top": "#top",
        "https://elsewhere.example/shows": "https://elsewhere.example/shows",
        "//elsewhere.example/shows": "//elsewhere.example/shows",
      };
      if (place.root !== "") {
        rows[`${place.root}/shows/7`] = `${home}/shows/7`;
        rows[`${place.root}`] = home;
        rows[`${place.root}?a`] = `${home}?a`;
        rows[`${place.root}x/1`] = `${home}${place.root}x/1`;
        rows[`${place.root}/en/shows/7`] = `${place.root}/en/shows/7`;
      }
      for (const [to, expected] of Object.entries(rows)) {
        assertEquals(await redirectOf(app, place, `${language}/go?to=${encodeURIComponent(to)}`), expected, to);
      }
    });
  }

  Deno.test(`Context.SetCookie() limits cookies to the application ${place.name}`, async () => {
    const [response] = await ask(newApp(...place.configure), place, "/de/cookie");
    const root = place.root || "/";
    assertEquals(response.headers.getSetCookie().map((line) => /Path=([^;]*)/.exec(line)?.[1]), [
      root,
      `${place.root}/shows`,
      "/",
      "/",
      root,
    ]);
  });
}

Deno.test("Application.Reverse() includes the base path, and a redirect to it keeps the language", async () => {
  const app = newApp(fw.WithBasePath("/seats"));
  assertEquals(app.Reverse("show", 7), "/seats/shows/7");
  const response = await app.fetch(new Request("http://localhost/seats/de/go/outside"));
  assertEquals(response.headers.get("location"), "/seats/de/shows/7");
});

Deno.test("Application.Explain() takes the path as a client sends it", async () => {
  const app = newApp(fw.WithBasePath("/seats"));
  assertEquals((await app.Explain("GET", "/seats/de/shows/7")).Route, "show");
  assertEquals((await app.Explain("GET", "/shows/7")).Route, "show");
  assertEquals((await app.Explain("GET", "/seats/de/shows/7/?a=1")).Location, "/seats/de/shows/7?a=1");
});

Deno.test("sessions send their cookie for the base path, unless Path is set", async () => {
  for (const [options, path] of [[{}, "/seats"], [{ Path: "/" }, "/"], [{ Path: "/in" }, "/seats/in"]] as const) {
    const app = fw.New().Configure(fw.WithBasePath("/seats"));
    const manager = sessions.New(options);
    app.Get("/", async (ctx) => {
      (await manager.Start(ctx)).Set("a", 1);
    });
    const response = await app.fetch(new Request("http://localhost/seats"));
    assertStringIncludes(response.headers.get("set-cookie") ?? "", `Path=${path};`);
  }
});

const forged = [
  "//evil.example",
  "/\\evil.example",
  "https://evil.example",
  "http:/evil.example",
  "evil",
  "/a//b",
  "/a/../b",
  "/./a",
  "/%2e%2e/a",
  "/a%2Fb",
  "/a%5Cb",
  "/a%0d%0aset-cookie:x=1",
  "/a%00",
  "/a b",
  "/a, /b",
  "/a;Domain=evil.example",
  "/a?b",
  "/a#b",
  '/"><script>',
  "/'onx=",
  "/%zz",
  `/${"a".repeat(300)}`,
];

for (const value of forged) {
  Deno.test(`X-Forwarded-Prefix is ignored if it is ${JSON.stringify(value.slice(0, 30))}`, async () => {
    const app = newApp(trusted);
    for (const path of ["/de/shows/7/", "/de/go?to=/shows/7", "/old/7"]) {
      const request = new Request(`http://shop.example${path}`, { headers: { "x-forwarded-prefix": value } });
      const response = await app.fetch(request, proxy);
      assertEquals(response.headers.get("location"), path === "/old/7" ? "/shows/7" : "/de/shows/7");
    }
  });

  Deno.test(`fw.WithBasePath() refuses ${JSON.stringify(value.slice(0, 30))}`, () => {
    assertThrows(
      () => fw.WithBasePath(value),
      fw.FrameworkError,
      '"BasePath" of the configuration: it must be a path such as "/seats", not "',
    );
  });
}

Deno.test("X-Forwarded-Prefix is ignored if its sender is not trusted or the header is not taken", async () => {
  const headers = { "x-forwarded-prefix": "/evil" };
  const rows = [
    [newApp(), proxy],
    [newApp(trusted), stranger],
    [newApp(trusted), undefined],
    [newApp(fw.WithProxy({ Trust: ["loopback"], Take: ["X-Forwarded-For"] })), proxy],
    [newApp(fw.WithProxy({ Trust: ["loopback"], Take: ["Forwarded"] })), proxy],
  ] as const;
  for (const [app, peer] of rows) {
    const response = await app.fetch(new Request("http://shop.example/shows/7/", { headers }), peer);
    assertEquals(response.headers.get("location"), "/shows/7");
  }
  const both = newApp(fw.WithProxy({ Trust: ["loopback"], Take: ["Forwarded", "X-Forwarded-Prefix"] }));
  const response = await both.fetch(new Request("http://shop.example/shows/7/", { headers }), proxy);
  assertEquals(response.headers.get("location"), "/evil/shows/7");
});

Deno.test("cache.New() keeps the pages of different prefixes apart", async () => {
  const app = fw.New().Configure(trusted);
  app.Use(cache.New({ MaxAge: 60_000 }));
  app.Get("/", (ctx) => ctx.WriteString(ctx.URLPath("home"))).SetName("home");
  for (const prefix of ["/a", "/b", "/a"]) {
    const request = new Request("http://shop.example/", { headers: { "x-forwarded-prefix": prefix } });
    assertEquals(await (await app.fetch(request, proxy)).text(), `${prefix}/`);
  }
});

Deno.test("fw.WithBasePath() only removes whole segments, once, in any spelling", async () => {
  const app = fw.New().Configure(fw.WithBasePath("/seats"), fw.WithLowercaseRouting);
  app.Get("/{rest:path}", (ctx) => ctx.WriteString(ctx.Path()));
  app.Get("/", (ctx) => ctx.WriteString("/"));
  const rows = {
    "/seats": "/",
    "/seats/": "/",
    "/seats?a=/x": "/",
    "//seats//a": "/a",
    "/%73eats/a": "/a",
    "/SEATS/a": "/a",
    "/seats/seats/a": "/seats/a",
    "/seatsx/a": "/seatsx/a",
    "/a/seats": "/a/seats",
    "/seats%2Fa": "/seats/a",
  };
  for (const [path, expected] of Object.entries(rows)) {
    assertEquals(await (await app.fetch(new Request(`http://localhost${path}`))).text(), expected, path);
  }
});

Deno.test("fw.WithBasePath() also applies to a request that a wrapper passes on", async () => {
  const app = newApp(fw.WithBasePath("/seats"));
  app.WrapRouter((request, next) => next(new Request(request.url.replace("/alias/", "/shows/"), request)));
  const response = await app.fetch(new Request("http://localhost/seats/de/alias/7"));
  assertEquals(await response.text(), "/shows/7");
});

Deno.test("fw.WithBasePath() warns of routes that begin with the base path", async () => {
  const lines: string[] = [];
  const app = fw.New().Configure(fw.WithBasePath("/seats"));
  app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
  app.Get("/seatsx", () => {});
  app.Get("/seats/{id:int}", () => {});
  await app.Build();
  assertEquals(lines, [
    '[WARN] The route "/seats/{id:int}" starts with the base path "/seats", which is removed from request paths: ' +
    'clients reach it only at "/seats/seats/{id:int}"',
  ]);
});

Deno.test("Party.Mount() passes its public path on to the links of the mounted application", async () => {
  const inner = newApp();
  const outer = fw.New().Configure(fw.WithBasePath("/seats"));
  outer.I18n.LoadKV(texts);
  outer.Mount("/inner/app", inner.fetch);
  outer.Any("/whole/{rest:path}", fw.FromFetch(newApp(fw.WithBasePath("/whole")).fetch));
  for (
    const [path, home] of [["/inner/app", "/seats/inner/app"], ["/de/inner/app", "/seats/de/inner/app"], [
      "/whole",
      "/seats/whole",
    ]]
  ) {
    const get = (rest: string) => outer.fetch(new Request(`http://localhost/seats${path}${rest}`));
    assertEquals((await (await get("/links")).json())[0], `${home}/shows/7`);
    assertEquals((await get("/shows/7/")).headers.get("location"), `${home}/shows/7`);
    assertEquals((await get("/de/go?to=/shows/7")).headers.get("location"), `${home}/de/shows/7`);
    assertEquals((await get("/old/7")).headers.get("location"), `${home}/shows/7`);
    // Mounted applications often share the sessions of the outer one.
    assertStringIncludes(
      (await get("/cookie")).headers.get("set-cookie") ?? "",
      "a=1; HttpOnly; SameSite=Lax; Path=/seats",
    );
  }
});

Deno.test("openapi documents and pages name the public path of the application", async () => {
  const documented = (...configure: fw.Configurator[]) => {
    const app = newApp(...configure);
    app.Get("/docs", openapi.UI({ Document: "/openapi.json" }));
    openapi.New({ Title: "Seats", Version: "1" }).Serve(app);
    return app;
  };
  for (const place of places) {
    const app = documented(...place.configure);
    for (const language of ["", "/de"]) {
      const [, text] = await ask(app, place, `${language}/openapi.json`);
      assertEquals(JSON.parse(text).servers, [{ url: place.root || "/" }]);
      const [, yaml] = await ask(app, place, `${language}/openapi.yaml`);
      assertStringIncludes(yaml, `"url": "${place.root || "/"}"`);
      const [, page] = await ask(app, place, `${language}/docs`);
      assertStringIncludes(page, `data-document="${place.root}${language}/openapi.json"`);
    }
  }
  const app = documented(fw.WithBasePath("/seats"));
  const own = await openapi.New({ Title: "a", Version: "1" }).Build(app);
  assertEquals(own.servers, [{ url: "/seats" }]);
  const given = await openapi.New({
    Title: "a",
    Version: "1",
    Servers: [{ URL: "/v1" }, { URL: "https://x.example/" }],
  })
    .Build(app);
  assertEquals(given.servers, [{ url: "/seats/v1" }, { url: "https://x.example/" }]);
});

Deno.test("Context.Exec() takes a path of the application, also with its public prefix", async () => {
  const app = newApp(fw.WithBasePath("/seats"));
  app.Get("/exec", (ctx) => ctx.Exec("GET", ctx.URLParam("path")));
  app.Get("/exec-link", (ctx) => ctx.Exec("GET", ctx.URLPath("show", 9)));
  for (const prefix of ["/seats", "/seats/de"]) {
    const get = async (path: string) => await (await app.fetch(new Request(`http://localhost${prefix}${path}`))).text();
    assertEquals(await get("/exec?path=/shows/8"), "/shows/8");
    assertEquals(await get("/exec?path=/seats/shows/8"), "/shows/8");
    assertEquals(await get("/exec-link"), "/shows/9");
  }
});

Deno.test("X-Forwarded-Prefix of a trusted proxy is reported once if it is not a path", async () => {
  const lines: string[] = [];
  const app = newApp(trusted);
  app.Logger().SetLevel("warn").SetTimeFormat("").SetOutput((line) => lines.push(line));
  for (let i = 0; i < 2; i++) {
    const request = new Request("http://shop.example/go/by-name", { headers: { "x-forwarded-prefix": "//evil" } });
    await (await app.fetch(request, proxy)).body?.cancel();
  }
  assertEquals(lines, [
    '[WARN] Cannot use the header "X-Forwarded-Prefix" of a trusted proxy: it is not a single absolute path',
  ]);
});

Deno.test("fw.WithProxy() names a header that it cannot take", () => {
  const take = ["X-Real-IP" as fw.ForwardingHeader];
  assertThrows(
    () => fw.WithProxy({ Trust: ["loopback"], Take: take }),
    fw.FrameworkError,
    '"Take" of WithProxy: it must be an array of the headers X-Forwarded-For, X-Forwarded-Proto, ',
  );
});

Deno.test("fw.RedirectToHTTPS() keeps the path as the client sent it", async () => {
  for (const place of places) {
    const app = newApp(...place.configure);
    app.UseRouter(fw.RedirectToHTTPS());
    const location = await redirectOf(app, place, "/de/shows/7?a=1");
    assertEquals(decodeURI(new URL(location ?? "").pathname), decodeURI(`${place.root}/de/shows/7`).replace("//", "/"));
    assertEquals(new URL(location ?? "").search, "?a=1");
  }
});

class Places {
  GetBy(id = 0) {
    return { id };
  }
}

Deno.test("mcp.New() announces its metadata and calls tools below the base path", async () => {
  const app = fw.New().Configure(fw.WithBasePath("/seats"));
  app.Logger().SetLevel("disable");
  // The party has the same name as the base path.
  mvc.New(app.Party("/seats")).Handle(Places);
  mcp.New(app, {
    Name: "seats",
    Controllers: [Places],
    Sessions: false,
    Authorization: { Servers: ["https://login.example"] },
  });
  const get = (path: string) => app.fetch(new Request(`http://shop.example/seats${path}`));
  const metadata = await get("/.well-known/oauth-protected-resource/mcp");
  assertEquals((await metadata.json()).resource, "http://shop.example/seats/mcp");
  const send = async (method: string, params: unknown) => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await app.fetch(
      new Request("http://shop.example/seats/mcp", { method: "POST", headers, body }),
    );
    return (await response.json()).result;
  };
  const [tool] = (await send("tools/list", {})).tools;
  const result = await send("tools/call", { name: tool.name, arguments: { id: 7 } });
  assertEquals(JSON.parse(result.content[0].text), { id: 7 });
});
