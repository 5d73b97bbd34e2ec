import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, logged, overSocket, quiet } from "../../serving.ts";

type Verb = "Get" | "Post" | "Put" | "Delete" | "Patch" | "Head" | "Options" | "Connect" | "Trace";

const fetchable: readonly Verb[] = ["Get", "Post", "Put", "Delete", "Patch", "Head", "Options"];
const verbs: readonly Verb[] = [...fetchable, "Connect", "Trace"];

/** Responds with the method in a header, so that HEAD responses have it too. */
function echo(ctx: fw.Context): void {
  ctx.Header("x-method", ctx.Method());
  ctx.WriteString(ctx.GetCurrentRoute()?.Name ?? "none");
}

for (const verb of fetchable) {
  bothWays(`Party.${verb}() registers a handler for its method only`, () => {
    const app = quiet().Configure(fw.WithoutAutoHead, fw.WithoutAutoOptions);
    app[verb]("/thing", echo);
    return app;
  }, async (ask) => {
    for (const other of fetchable) {
      const response = await ask("/thing", { method: other.toUpperCase() });
      assertEquals(response.status, other === verb ? 200 : 405);
      if (other === verb) assertEquals(response.headers.get("x-method"), verb.toUpperCase());
    }
  });
}

Deno.test("Party.Trace() registers a handler for TRACE", async () => {
  const app = quiet();
  app.Trace("/thing", echo);
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/thing", { method: "TRACE" })).text, "TRACE /thing");
    assertEquals((await ask("/thing", { method: "GET" })).status, 405);
  });
});

Deno.test("Party.Connect() registers a handler for CONNECT requests, which have a host but no path", async () => {
  const app = quiet();
  app.Connect("/", (ctx) => ctx.WriteString(`${ctx.Method()} ${ctx.Host()} "${ctx.Path()}"`));
  await overSocket(app, async (ask) => {
    const response = await ask("example.com:443", { method: "CONNECT" });
    assertEquals([response.status, response.text], [200, 'CONNECT example.com:443 "/"']);
  });
});

Deno.test("Application without a CONNECT route responds with 404 and continues to serve", async () => {
  const app = quiet();
  app.Get("/a", echo);
  await overSocket(app, async (ask) => {
    assertEquals((await ask("example.com:443", { method: "CONNECT" })).status, 404);
    assertEquals((await ask("/a")).status, 200);
  });
});

bothWays("Party.Handle() accepts the method in any case", () => {
  const app = quiet();
  app.Handle("get", "/a", echo);
  app.Handle("POST", "/a", echo);
  app.Handle("pUt", "/a", echo);
  return app;
}, async (ask) => {
  for (const method of ["GET", "POST", "PUT"]) assertEquals((await ask("/a", { method })).text, `${method} /a`);
});

bothWays("Party.Handle() runs several handlers in order", () => {
  const app = quiet();
  app.Handle(
    "GET",
    "/",
    (ctx) => (ctx.WriteString("a"), ctx.Next()),
    (ctx) => (ctx.WriteString("b"), ctx.Next()),
    (ctx) => ctx.WriteString("c"),
  );
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "abc");
});

bothWays("Party.Any() serves every method", () => {
  const app = quiet();
  app.Any("/a", echo);
  return app;
}, async (ask, way) => {
  for (const verb of way === "in process" ? fetchable : verbs) {
    if (verb === "Connect") continue;
    const method = verb.toUpperCase();
    assertEquals((await ask("/a", { method })).headers.get("x-method"), method);
  }
});

Deno.test("Party.Any() returns one route per method", () => {
  const routes = fw.New().Any("/a", echo);
  assertEquals(routes.map((route) => route.Method), [...fw.Methods]);
  assertEquals(new Set(routes.map((route) => route.Path)), new Set(["/a"]));
});

bothWays("Party.HandleMany() registers several methods and paths", () => {
  const app = quiet();
  app.HandleMany("GET POST", "/a /b/{id:int min(1) max(9)} /c", echo);
  return app;
}, async (ask) => {
  assertEquals((await ask("/a", { method: "POST" })).text, "POST /a");
  assertEquals((await ask("/b/5")).text, "GET /b/{id:int min(1) max(9)}");
  assertEquals((await ask("/b/10")).status, 404);
  assertEquals((await ask("/c")).text, "GET /c");
  assertEquals((await ask("/c", { method: "PUT" })).status, 405);
});

Deno.test("Party.HandleMany() accepts ANY, ALL and * for every method", () => {
  for (const all of ["ANY", "any", "ALL", "*"]) {
    assertEquals(fw.New().HandleMany(all, "/a /b", echo).length, 2 * fw.Methods.length);
  }
  assertEquals(fw.New().HandleMany("  GET   PUT ", "  /a   /b ", echo).map((route) => route.Name), [
    "GET /a",
    "PUT /a",
    "GET /b",
    "PUT /b",
  ]);
});

bothWays("Party.Party() adds its prefix to its routes at any depth", () => {
  const app = quiet();
  const users = app.Party("/users");
  users.Get("/", echo);
  users.Get("list", echo);
  const one = users.Party("/{id:int}");
  one.Get("/", echo);
  one.Party("posts/").Get("/{post}", (ctx) => ctx.WriteString(ctx.Params().Entries().join(" ")));
  return app;
}, async (ask) => {
  assertEquals((await ask("/users")).text, "GET /users");
  assertEquals((await ask("/users/list")).text, "GET /users/list");
  assertEquals((await ask("/users/7")).text, "GET /users/{id:int}");
  assertEquals((await ask("/users/7/posts/hello")).text, "id,7 post,hello");
  assertEquals((await ask("/users/x/posts/hello")).status, 404);
});

Deno.test("Party.Prefix() returns the path prefix", () => {
  const app = fw.New();
  assertEquals(app.Prefix(), "/");
  assertEquals(app.Party("/a").Party("b/").Prefix(), "/a/b");
  assertEquals(app.Party("/").Prefix(), "/");
  assertEquals(app.Party("").Prefix(), "/");
  assertEquals(app.Party("admin./x").Prefix(), "/x");
});

bothWays("Party.Party() creates two groups if it is called twice with the same path", () => {
  const app = quiet();
  app.Party("/a", (ctx) => (ctx.WriteString("1"), ctx.Next())).Get("/x", (ctx) => ctx.WriteString("x"));
  app.Party("/a").Get("/y", (ctx) => ctx.WriteString("y"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a/x")).text, "1x");
  assertEquals((await ask("/a/y")).text, "y");
});

bothWays("Party.PartyFunc() passes the new party to a function", () => {
  const app = quiet();
  const made = app.PartyFunc("/a", (party) => {
    party.Get("/b", echo);
  });
  made.Get("/c", echo);
  return app;
}, async (ask) => {
  assertEquals((await ask("/a/b")).text, "GET /a/b");
  assertEquals((await ask("/a/c")).text, "GET /a/c");
});

Deno.test("Party.Routes() lists the routes of the whole application in order", () => {
  const app = fw.New();
  app.Get("/b/{id:int}/{name}", echo).SetName("b");
  const party = app.Party("admin./x");
  party.Post("/a", echo);
  assertEquals(app.Routes().map((route) => [route.Name, route.Method, route.Subdomain, route.Path, route.Params]), [
    ["b", "GET", "", "/b/{id:int}/{name}", ["id", "name"]],
    ["POST admin./x/a", "POST", "admin.", "/x/a", []],
  ]);
  assertEquals(party.Routes().length, 2);
  assertEquals(app.Routes()[0]?.Controller, undefined);
});

bothWays("Context.GetCurrentRoute() returns the route and its name", () => {
  const app = quiet();
  app.Get("/x/{id}", (ctx) => ctx.JSON(ctx.GetCurrentRoute())).SetName("x");
  app.UseRouter((ctx) => (ctx.Header("x-route", ctx.GetCurrentRoute()?.Name ?? "none"), ctx.Next()));
  return app;
}, async (ask) => {
  const response = await ask("/x/1");
  assertEquals(response.headers.get("x-route"), "x");
  assertEquals(JSON.parse(response.text).Path, "/x/{id}");
  assertEquals((await ask("/nowhere")).headers.get("x-route"), "none");
});

bothWays("Party.Macros() registers custom types and functions", () => {
  const app = quiet();
  app.Macros()
    .Register({ Name: "even", Rank: 5, Test: (text, start, end) => /^\d*[02468]$/.test(text.slice(start, end)) })
    .RegisterFunc("*", "not", (unwanted = "") => (value) => value !== unwanted);
  app.Get("/{n:even}", (ctx) => ctx.WriteString(`even ${ctx.Params().Get("n")}`));
  app.Get("/{n:int not(13)}", (ctx) => ctx.WriteString(`int ${ctx.Params().Get("n")}`));
  return app;
}, async (ask) => {
  assertEquals((await ask("/12")).text, "even 12");
  assertEquals((await ask("/11")).text, "int 11");
  assertEquals((await ask("/13")).status, 404);
});

bothWays("Party.OnErrorCode() accepts every status from 400 to 599", () => {
  const app = quiet();
  for (const status of [400, 599]) app.OnErrorCode(status, (ctx) => ctx.WriteString(`page of ${status}`));
  app.Get("/{status:int}", (ctx) => ctx.StatusCode(ctx.Params().GetIntDefault("status", 0)));
  return app;
}, async (ask) => {
  for (const status of [400, 599]) assertEquals((await ask(`/${status}`)).text, `page of ${status}`);
});

// Mistakes are reported where they are made.

const refusals: [what: string, act: (app: fw.Application) => unknown, code: fw.ErrorCode, message: string][] = [
  [
    "a method that is not a token",
    (app) => app.Handle("FE TCH", "/a", echo),
    "FW_ROUTE",
    'Cannot register the path "/a": "FE TCH" is not an HTTP method',
  ],
  [
    "an empty method",
    (app) => app.Handle("", "/a", echo),
    "FW_ROUTE",
    'Cannot register the path "/a": "" is not an HTTP method',
  ],
  ["no handler", (app) => app.Get("/a"), "FW_ROUTE", "Cannot register GET /a: it has no handler"],
  [
    "a handler that is not a function",
    (app) => app.Party("/x").Post("/a", echo, "text" as unknown as fw.Handler),
    "FW_ROUTE",
    'Cannot register POST /x/a: handler 2 is "text", not a function',
  ],
  [
    "a handler that is missing",
    (app) => app.Get("/a", undefined as unknown as fw.Handler),
    "FW_ROUTE",
    'Cannot register GET /a: handler 1 is "undefined", not a function',
  ],
  [
    "middleware that is not a function",
    (app) => app.Use({} as fw.Handler),
    "FW_ROUTE",
    'Cannot register middleware with Use: handler 1 is "{}", not a function',
  ],
  [
    "middleware without a prototype",
    (app) => app.Use(Object.create(null) as fw.Handler),
    "FW_ROUTE",
    'Cannot register middleware with Use: handler 1 is "[Object: null prototype] {}", not a function',
  ],
  [
    "a list of handlers",
    (app) => app.Get("/a", [echo] as unknown as fw.Handler),
    "FW_ROUTE",
    'Cannot register GET /a: handler 1 is "[ [Function: echo] ]", not a function',
  ],
  [
    "a party's middleware that is not a function",
    (app) => app.Party("/a", null as unknown as fw.Handler),
    "FW_ROUTE",
    'Cannot register the party "/a": handler 1 is "null", not a function',
  ],
  [
    "a name that occurs twice",
    (app) => app.Get("/{id}/{id:int}", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/{id}/{id:int}": parameter "id" occurs twice at column 8',
  ],
  [
    "a name that occurs in the party and in the route",
    (app) => app.Party("/{id}").Get("/{id:int}", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/{id}/{id:int}": parameter "id" occurs twice at column 8',
  ],
  [
    "an unknown type",
    (app) => app.Get("/u/{id:lng}", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/u/{id:lng}": unknown parameter type "lng" (did you mean "long"?) at column 8',
  ],
  [
    "an open brace",
    (app) => app.Get("/u/{id", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/u/{id": "{" is not closed at column 4',
  ],
  [
    "text before a parameter",
    (app) => app.Get("/u/x-{id}", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/u/x-{id}": a parameter must fill its whole segment: text comes before it at column 6',
  ],
  [
    "a rest that is not last",
    (app) => app.Get("/{p:path}/x", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/{p:path}/x": nothing may follow "{p}", which matches the rest of the path, at column 11',
  ],
  [
    "a query in a path",
    (app) => app.Get("/a?b", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/a?b": a path cannot contain "?" at column 3',
  ],
  [
    "a malformed escape",
    (app) => app.Get("/a%zz", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/a%zz": malformed escape "%zz" at column 3',
  ],
  [
    "a bad else code",
    (app) => app.Get("/{n:int else 99}", echo),
    "FW_TEMPLATE",
    'Cannot parse path template "/{n:int else 99}": a status from 400 to 599 must follow "else" at column 14',
  ],
  [
    "a bad prefix",
    (app) => app.Party("/{id:nope}"),
    "FW_TEMPLATE",
    'Cannot parse path template "/{id:nope}": unknown parameter type "nope" at column 6',
  ],
  [
    "a path that is not a text",
    (app) => app.Get(7 as unknown as string, echo),
    "FW_TEMPLATE",
    'Cannot parse path template "7": it is not a string',
  ],
  [
    "a party's path that is not a text",
    (app) => app.Party(undefined as unknown as string),
    "FW_TEMPLATE",
    'Cannot parse path template "undefined": it is not a string',
  ],
  [
    "a status that is not an error",
    (app) => app.OnErrorCode(302, echo),
    "FW_STATUS",
    'Cannot handle the error status "302": it must be between 400 and 599',
  ],
  [
    "an error handler that is not a function",
    (app) => app.OnErrorCode(404, 1 as unknown as fw.Handler),
    "FW_ROUTE",
    'Cannot register the handler for status 404: handler 1 is "1", not a function',
  ],
  [
    "no error handler",
    (app) => app.OnErrorCode(404),
    "FW_ROUTE",
    "Cannot register the handler for status 404: it has no handler",
  ],
  [
    "a subdomain below a path",
    (app) => app.Party("/x").Party("admin."),
    "FW_ROUTE",
    'Cannot create the party "admin.": a subdomain cannot be inside the path "/x"',
  ],
  [
    "any subdomain of a subdomain",
    (app) => app.Subdomain("admin").Subdomain("*"),
    "FW_ROUTE",
    'Cannot create the party "*.": it is already inside "admin."',
  ],
  [
    "a subdomain of any subdomain",
    (app) => app.Subdomain("*").Subdomain("admin"),
    "FW_ROUTE",
    'Cannot create the party "admin.": it is already inside "*."',
  ],
];

for (const [what, act, code, message] of refusals) {
  Deno.test(`Party rejects ${what} at registration`, () => {
    const error = assertThrows(() => act(fw.New()), fw.FrameworkError);
    assertEquals([error.Code, error.message], [code, message]);
  });
}

const lateCalls: [call: string, act: (app: fw.Application) => unknown, message: string][] = [
  ["Get", (app) => app.Get("/late", echo), "Cannot register GET /late: the application has already been built"],
  ["Any", (app) => app.Any("/late", echo), "Cannot register GET /late: the application has already been built"],
  ["Party", (app) => app.Party("/late"), 'Cannot create the party "/late": the application has already been built'],
  ["Use", (app) => app.Use(echo), "Cannot add middleware with Use: the application has already been built"],
  [
    "UseGlobal",
    (app) => app.UseGlobal(echo),
    "Cannot add middleware with UseGlobal: the application has already been built",
  ],
  [
    "UseRouter",
    (app) => app.UseRouter(echo),
    "Cannot add middleware with UseRouter: the application has already been built",
  ],
  [
    "UseError",
    (app) => app.UseError(echo),
    "Cannot add middleware with UseError: the application has already been built",
  ],
  ["Done", (app) => app.Done(echo), "Cannot add middleware with Done: the application has already been built"],
  [
    "OnErrorCode",
    (app) => app.OnErrorCode(404, echo),
    "Cannot register the handler for status 404: the application has already been built",
  ],
  [
    "OnAnyErrorCode",
    (app) => app.OnAnyErrorCode(echo),
    "Cannot register the handler for any error status: the application has already been built",
  ],
  [
    "RegisterView",
    (app) => app.RegisterView({ Load() {}, Render: () => "" }),
    "Cannot register a view engine: the application has already been built",
  ],
  [
    "Configure",
    (app) => app.Configure(fw.WithoutAutoHead),
    "Cannot configure the application: the application has already been built",
  ],
];

for (const [call, act, message] of lateCalls) {
  Deno.test(`Party.${call}() throws after the application has been built`, async () => {
    const app = quiet();
    app.Get("/", echo);
    await app.fetch(new Request("http://localhost/"));
    const error = assertThrows(() => act(app), fw.FrameworkError);
    assertEquals([error.Code, error.message], ["FW_STATE", message]);
  });
}

bothWays("Party.Get() replaces a route with an equivalent template and logs a warning", () => {
  const { app, lines } = logged();
  app.Get("/{a:int}", (ctx) => ctx.WriteString("first"));
  app.Get("/{b:int}", (ctx) => ctx.WriteString(`second ${lines.join("|")}`));
  app.Get("/{c}", (ctx) => ctx.WriteString("other"));
  app.Post("/{a:int}", (ctx) => ctx.WriteString("other"));
  return app;
}, async (ask) => {
  assertEquals(
    (await ask("/1")).text,
    'second [WARN] Route "GET /{b:int}" replaces "GET /{a:int}": both match the same requests',
  );
});
