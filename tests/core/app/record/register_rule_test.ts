import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import * as sessions from "@fw/web/sessions";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import * as timeout from "@fw/web/middleware/timeout";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";

type Names = Record<string, string>;

async function ask(app: fw.Application, path: string, headers: Names = {}, method = "GET"): Promise<[number, string]> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { method, headers }));
  return [response.status, await response.text()];
}

function names(text: string): fw.Handler {
  return (ctx) => ctx.WriteString(`[${text}] ${ctx.Method()}`);
}

Deno.test("RouteSkip keeps the first route and returns it", async () => {
  const app = fw.New();
  const v1 = app.Party("/v1").SetRegisterRule(fw.RouteSkip);
  const first = v1.Get("/", names("get"));
  const all = v1.Any("/", names("any"));
  assertStrictEquals(v1.Get("/", names("third")), first);
  assertStrictEquals(all.find((route) => route.Method === "GET"), first);
  for (const method of fw.Methods.filter((each) => each !== "CONNECT" && each !== "TRACE" && each !== "HEAD")) {
    const expected = method === "GET" ? "[get] GET" : `[any] ${method}`;
    assertEquals(await ask(app, "/v1", {}, method), [200, expected]);
  }
});

Deno.test("RouteOverride lets the later route replace the earlier one, without a warning if the rule is explicit", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line) => lines.push(line));
  app.SetRegisterRule(fw.RouteOverride);
  app.Get("/", names("get"));
  app.Any("/", names("any"));
  assertEquals(await ask(app, "/"), [200, "[any] GET"]);
  assertEquals(lines.filter((line) => line.includes("replaces")), []);
});

Deno.test("RouteError throws an error with both routes", () => {
  const app = fw.New();
  const v1 = app.Party("/v1");
  v1.Get("/", names("get"));
  v1.SetRegisterRule(fw.RouteError);
  const error = assertThrows(
    () => v1.Get("/", names("again")),
    fw.FrameworkError,
    'Cannot register GET /v1: "GET /v1"',
  );
  assertEquals(error.Code, "FW_ROUTE");
  v1.Post("/", names("post"));
  v1.OnErrorCode(404, names("404"));
  assertThrows(() => v1.OnErrorCode(404, names("404")), fw.FrameworkError, "status 404");
});

Deno.test("a rule applies to parties created afterwards, and compares types, functions and subdomains", () => {
  const app = fw.New();
  const before = app.Party("/before");
  app.SetRegisterRule(fw.RouteError);
  before.Get("/", names("a"));
  before.Get("/", names("b"));
  const after = app.Party("/after");
  after.Get("/{id:int min(1)}", names("a"));
  after.Get("/{id:int min(2)}", names("b"));
  after.Get("/{id:int}", names("c"));
  after.Get("/{id:long}", names("d"));
  app.Subdomain("eu").Get("/after/{id:int}", names("e"));
  assertThrows(() => after.Get("{other:int min(2)}/", names("f")), fw.FrameworkError, "exists already");
});

Deno.test("SetRegisterRule() rejects values that are not rules, and throws after the application has been built", async () => {
  const app = fw.New();
  assertThrows(() => app.SetRegisterRule("replace" as never), fw.FrameworkError, '"replace"');
  await app.Build();
  assertThrows(() => app.SetRegisterRule(fw.RouteSkip), fw.FrameworkError, "already");
});

Deno.test("RouteOverlap clears the headers except for Vary, and sets the current route", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.UseRouter((ctx) => {
    ctx.Header("x-outer", "1");
    return ctx.Next();
  });
  app.Get("/{id:int}", async (ctx) => {
    await Promise.resolve();
    ctx.Header("x-first", "1");
    ctx.Header("vary", "x-user");
    ctx.ContentType("text/css");
    ctx.StopExecution();
  }).SetName("first");
  app.Get("/{number:int}", async (ctx) => {
    await Promise.resolve();
    const { Name } = ctx.GetCurrentRoute() ?? { Name: "" };
    ctx.JSON({ Name, number: ctx.Params().Get("number"), id: ctx.Params().Get("id") });
  }).SetName("second");
  const response = await app.fetch(new Request("http://localhost/7"));
  assertEquals(response.status, 200);
  assertEquals(await response.json(), { Name: "second", number: "7", id: "" });
  assertEquals(response.headers.get("vary"), "x-user");
  assertEquals(response.headers.get("x-first"), null);
  assertEquals(response.headers.get("x-outer"), "1");
  assertEquals(response.headers.get("content-type"), "application/json");
});

Deno.test("RouteOverlap continues through more than two routes, up to the first one that decides the response", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  const seen: string[] = [];
  const route = (name: string): fw.Handler => async (ctx) => {
    seen.push(name);
    if (name === "b") await Promise.resolve();
    if (ctx.URLParam("by") === name) return ctx.WriteString(name);
    if (ctx.URLParam("stop") === name) return ctx.StopWithStatus(402);
    ctx.StopExecution();
  };
  for (const name of ["a", "b", "c"]) app.Get("/", route(name));
  const rows = [
    ["by=a", [200, "a"], "a"],
    ["by=b", [200, "b"], "ab"],
    ["by=c", [200, "c"], "abc"],
    ["stop=a&by=b", [402, "Payment Required"], "a"],
    ["stop=b&by=c", [402, "Payment Required"], "ab"],
    ["", [200, ""], "abc"],
  ] as const;
  for (const [query, response, names] of rows) {
    assertEquals(await ask(app, `/?${query}`), [...response]);
    assertEquals(seen.splice(0).join(""), names, query);
  }
});

Deno.test("RouteOverlap does not run another route if the first one decided anything about the response", async () => {
  const decisions: [status: number, decide: fw.Handler][] = [
    [401, (ctx) => ctx.StopWithStatus(401)],
    [409, (ctx) => ctx.StopWithError(409, new Error("taken"))],
    [409, (ctx) => ctx.StopWithError(409, new Error())],
    [400, (ctx) => ctx.StopWithText(400, "")],
    [200, (ctx) => ctx.StopWithStatus(200)],
    [403, (ctx) => ctx.StopWithJSON(403, {})],
    [422, (ctx) => ctx.StopWithProblem({ Status: 422 })],
    [302, (ctx) => ctx.Redirect("/login")],
    [403, (ctx) => ctx.StatusCode(403)],
    [404, (ctx) => ctx.NotFound()],
    [200, (ctx) => ctx.WriteString("first")],
    [200, (ctx) => ctx.Write(new Uint8Array())],
    [204, () => new Response(null, { status: 204 })],
    [200, (ctx) => ctx.Header("www-authenticate", "Basic")],
    [200, (ctx) => ctx.Header("location", "/login")],
    [200, (ctx) => ctx.Header("retry-after", "3")],
    [200, (ctx) =>
      ctx.Stream(async function* () {
        await Promise.resolve();
        yield "first";
      })],
  ];
  const recorders = {
    none: [],
    compress: [compress.New],
    etag: [etag.New],
    cache: [() => cache.New({ MaxAge: 1000 })],
  };
  for (const [name, recorder] of Object.entries(recorders)) {
    for (const [at, [status, decide]] of decisions.entries()) {
      const app = fw.New().SetRegisterRule(fw.RouteOverlap);
      app.Use(...recorder.map((each) => each()));
      app.Logger().SetLevel("disable");
      let runs = 0;
      app.Get("/", async (ctx) => {
        if (at % 2 === 1) await Promise.resolve();
        const returned = await decide(ctx);
        ctx.StopExecution();
        return returned;
      });
      app.Get("/", () => void runs++);
      assertEquals([(await ask(app, "/"))[0], runs], [status, 0], `decision ${at} inside of ${name}`);
    }
  }
});

Deno.test("RouteOverlap does not run another route if middleware of the first one stopped", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.Party("/", (ctx) => ctx.URLParam("key") === "" ? ctx.StopExecution() : ctx.Next()).Get(
    "/",
    (ctx) => ctx.StopExecution(),
  );
  app.Get("/", (ctx) => ctx.WriteString("second"));
  assertEquals(await ask(app, "/"), [200, ""]);
  assertEquals(await ask(app, "/?key=1"), [200, "second"]);
});

Deno.test("RouteOverlap does not run another route if middleware calls Next() several times", async () => {
  for (const times of [2, 3, 4, 5]) {
    const app = fw.New().SetRegisterRule(fw.RouteOverlap);
    const seen: string[] = [];
    app.Use(async (ctx) => {
      for (let at = 0; at < times; at++) await ctx.Next();
    });
    app.Get("/", (ctx) => {
      seen.push("first");
      ctx.WriteString("first");
      return ctx.Next();
    });
    app.Get("/", () => void seen.push("second"));
    assertEquals(await ask(app, "/"), [200, "first"]);
    assertEquals(seen, ["first"]);
  }
});

Deno.test("RouteOverlap leaves thrown errors to the error page", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.Logger().SetLevel("disable");
  app.Get("/", () => {
    throw new Error("broken");
  });
  app.Get("/", (ctx) => ctx.WriteString("second"));
  assertEquals((await ask(app, "/"))[0], 500);
});

Deno.test("RouteOverlap runs shared middleware once, a guard for both routes, and Done of the route that serves", async () => {
  const app = fw.New();
  const seen: string[] = [];
  const party = app.Party("/api", async (ctx) => {
    seen.push("in");
    if (ctx.URLParam("key") === "") return ctx.StopWithStatus(401);
    await ctx.Next();
    seen.push(`out ${ctx.GetStatusCode()}`);
  });
  party.SetRegisterRule(fw.RouteOverlap);
  const first = party.Party("/", (ctx) => {
    seen.push("first");
    return ctx.Next();
  });
  first.Done(() => void seen.push("done of the first"));
  first.Get("/", (ctx) => ctx.StopExecution());
  const second = party.Party("/", (ctx) => {
    seen.push("second");
    return ctx.Next();
  });
  second.Done(() => void seen.push("done"));
  second.Get("/", (ctx) => {
    ctx.StatusCode(200);
    ctx.WriteString("served");
  });
  assertEquals(await ask(app, "/api"), [401, "Unauthorized"]);
  assertEquals(seen.splice(0), ["in"]);
  assertEquals(await ask(app, "/api?key=1"), [200, "served"]);
  assertEquals(seen, ["in", "first", "second", "done", "out 200"]);
});

Deno.test("RouteOverlap does not run another route after a timeout has responded", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.Logger().SetLevel("disable");
  app.Use(timeout.New({ After: 20 }));
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasRun = false;
  app.Get("/", async (ctx) => {
    await promise;
    ctx.StopExecution();
  });
  app.Get("/", () => void (hasRun = true));
  const [status] = await ask(app, "/");
  resolve();
  await new Promise((done) => setTimeout(done));
  assertEquals([status >= 500, hasRun], [true, false]);
});

Deno.test("RouteOverlap works under Exec and over a socket", async () => {
  const app = fw.New();
  app.UseRouter((ctx) => ctx.Next());
  app.Get("/other", (ctx) => ctx.Exec("GET", "/"));
  app.SetRegisterRule(fw.RouteOverlap);
  app.Get("/", (ctx) => ctx.StopExecution());
  app.Get("/", (ctx) => ctx.WriteString("second"));
  assertEquals(await ask(app, "/other"), [200, "second"]);
  await using server = Deno.serve({ port: 0, onListen: () => {} }, app.fetch);
  const response = await fetch(`http://localhost:${(server.addr as Deno.NetAddr).port}/other`);
  assertEquals(await response.text(), "second");
});

Deno.test("RouteOverlap lets the next error handler write the page if the first one stopped", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.OnErrorCode(404, (ctx) => ctx.URLParam("a") === "" ? ctx.StopExecution() : ctx.WriteString("first"));
  app.OnErrorCode(404, async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("second");
  });
  assertEquals(await ask(app, "/nowhere?a=1"), [404, "first"]);
  assertEquals(await ask(app, "/nowhere"), [404, "second"]);
});

Deno.test("RouteOverlap does not run another error handler if the first one has written the page", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  let runs = 0;
  app.OnErrorCode(404, (ctx) => ctx.StopWithText(404, "first"));
  app.OnErrorCode(404, () => void runs++);
  app.OnErrorCode(405, (ctx) => {
    ctx.WriteString("first");
    ctx.StopExecution();
  });
  app.OnErrorCode(405, () => void runs++);
  app.Get("/", () => {});
  assertEquals(await ask(app, "/nowhere"), [404, "first"]);
  assertEquals(await ask(app, "/", {}, "POST"), [405, "first"]);
  assertEquals(runs, 0);
});

/** The user of a request. If there is no user, the request is stopped. */
class CurrentUser {
  id = 0;
}

function currentUser(ctx: fw.Context): CurrentUser {
  const id = ctx.URLParamIntDefault("id", 0);
  if (id === 0) {
    const isLeftToMethod = ctx.GetStatusCode() === 404 || ctx.URLParamExists("silent") ||
      ctx.Path() === "/user/with/status/on/method";
    if (isLeftToMethod) ctx.StopExecution();
    else ctx.StopWithStatus(401);
  }
  return Object.assign(new CurrentUser(), { id });
}

class BaseController {
  HandleHTTPError(ctx: fw.Context): mvc.Tuple<string, number> {
    return mvc.Tuple(`error: ${this.constructor.name}: from: ${ctx.GetStatusCode()} to: 400`, 400);
  }
}

class AuthenticatedController extends BaseController {
  user = mvc.Inject(CurrentUser);
  Get(): string {
    return `auth: ${this.user.id}`;
  }
  GetWithStatusOnMethod(): string {
    return "auth";
  }
  GetWithStatusOnMethodToo(): string {
    return "auth";
  }
}

class UnauthenticatedController extends BaseController {
  Get(): string {
    return "unauth";
  }
  GetWithNoStatus(): string {
    return "unauth";
  }
  GetWithStatusOnMethod(): mvc.Tuple<string, number> {
    return mvc.Tuple("unauth", 400);
  }
  GetWithStatusOnMethodToo(): mvc.Tuple<string, number> {
    return mvc.Tuple("unauth", 500);
  }
}

Deno.test("RouteOverlap hands over to the next controller if a provider stops", async () => {
  const app = fw.New();
  const party = app.Party("/user").SetRegisterRule(fw.RouteOverlap);
  mvc.New(party).Register(mvc.Provide(CurrentUser, currentUser))
    .Handle(AuthenticatedController).Handle(UnauthenticatedController);
  assertEquals(await ask(app, "/user"), [400, "error: AuthenticatedController: from: 401 to: 400"]);
  assertEquals(await ask(app, "/user/with/status/on/method"), [400, "unauth"]);
  assertEquals(await ask(app, "/user/with/status/on/method/too?silent"), [500, "unauth"]);
  assertEquals(await ask(app, "/user/with/no/status"), [200, "unauth"]);
  assertEquals(await ask(app, "/user?id=42"), [200, "auth: 42"]);
  const page = (name: string) => `error: ${name}: from: 404 to: 400`;
  assertEquals(await ask(app, "/user/notfound"), [400, page("UnauthenticatedController")]);
  assertEquals(await ask(app, "/user/notfound?id=42"), [400, page("AuthenticatedController")]);
});

Deno.test("RouteSkip with Any keeps the route of Get", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteSkip);
  app.Get("/", (ctx) => ctx.WriteString("From GET"));
  app.Any("/", (ctx) => ctx.WriteString(`From ${ctx.Method()}`));
  const test = httptest.New(app);
  await test.GET("/").Expect().Status(200).Body("From GET");
  await test.POST("/").Expect().Status(200).Body("From POST");
});

Deno.test("RouteOverlap runs a party's guard for both routes that match paths below its prefix", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  const seen: string[] = [];
  app.Get("/{rest:path}", (ctx) => {
    seen.push("first");
    ctx.StopExecution();
  });
  app.Get("/{rest:path}", (ctx) => ctx.WriteString(`second ${ctx.Params().Get("rest")}`));
  app.Party("/admin", (ctx) => {
    seen.push("guard");
    return ctx.URLParam("key") === "" ? ctx.StopWithStatus(401) : ctx.Next();
  });
  assertEquals(await ask(app, "/open"), [200, "second open"]);
  assertEquals(seen.splice(0), ["first"]);
  assertEquals(await ask(app, "/admin/x"), [401, "Unauthorized"]);
  assertEquals(seen.splice(0), ["guard"]);
  assertEquals(await ask(app, "/admin/x?key=1"), [200, "second admin/x"]);
  assertEquals(seen, ["guard", "first"]);
});

/** The ID of the logged-in user. If there is no user, the request is stopped. */
class Authenticated {
  readonly id: number;
  constructor(id = 0) {
    this.id = id;
  }
}

class MemberController {
  user = mvc.Inject(Authenticated);
  Get(): string {
    return `member ${this.user.id}`;
  }
  async PostLogout(session = mvc.Inject(sessions.Session)): Promise<void> {
    await session.Destroy();
  }
}

class GuestController {
  Get(): string {
    return "please log in";
  }
  PostLogin(session = mvc.Inject(sessions.Session)): mvc.Response {
    session.Set("user_id", 1);
    return new mvc.Response({ Path: "/user", Code: 302 });
  }
}

Deno.test("example authenticated-controller: the session determines the controller", async () => {
  const app = fw.New();
  const manager = sessions.New({ Cookie: "id" });
  const party = app.Party("/user").SetRegisterRule(fw.RouteOverlap);
  mvc.New(party).Register(
    manager.Start,
    mvc.Provide(Authenticated, (ctx: fw.Context, session = mvc.Inject(sessions.Session)) => {
      const id = session.GetIntDefault("user_id", 0);
      if (id === 0) ctx.StopExecution();
      return new Authenticated(id);
    }),
  ).Handle(MemberController).Handle(GuestController);
  const test = httptest.New(app);
  await test.GET("/user").Expect().Status(200).Body("please log in");
  await test.POST("/user/login").Expect().Status(302);
  await test.GET("/user").Expect().Status(200).Body("member 1");
  await test.POST("/user/logout").Expect().Status(200);
  await test.GET("/user").Expect().Status(200).Body("please log in");
});

Deno.test("Register rules do not affect routes with different parameter functions", async () => {
  for (const rule of [fw.RouteOverride, fw.RouteSkip, fw.RouteError, fw.RouteOverlap]) {
    const app = fw.New().SetRegisterRule(rule);
    app.UseGlobal((ctx) => {
      ctx.WriteString("first ");
      return ctx.Next();
    });
    app.Done((ctx) => ctx.WriteString(` done ${ctx.Params().Get("name")}`));
    for (const name of ["one", "two", "three"]) {
      app.Get(`/{name:string prefix(${name})}`, (ctx) => ctx.WriteString(name));
    }
    assertEquals(await ask(app, "/two-x"), [200, "first two done two-x"]);
    assertEquals((await ask(app, "/four"))[0], 404);
  }
});
