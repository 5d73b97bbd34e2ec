import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import * as sessions from "@fw/web/sessions";
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

Deno.test("RouteOverlap keeps the status, clears the error and the headers, and sets the current route", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.UseRouter((ctx) => {
    ctx.Header("x-outer", "1");
    return ctx.Next();
  });
  app.Get("/{id:int}", async (ctx) => {
    await Promise.resolve();
    ctx.Header("x-first", "1");
    ctx.ContentType("text/css");
    ctx.SetErr(new Error("first"));
    ctx.StopWithStatus(403);
  }).SetName("first");
  app.Get("/{number:int}", async (ctx) => {
    await Promise.resolve();
    const { Name } = ctx.GetCurrentRoute() ?? { Name: "" };
    ctx.JSON({ Name, error: ctx.GetErr() ?? null, number: ctx.Params().Get("number"), id: ctx.Params().Get("id") });
  }).SetName("second");
  const response = await app.fetch(new Request("http://localhost/7"));
  assertEquals(response.status, 403);
  assertEquals(await response.json(), { Name: "second", error: null, number: "7", id: "" });
  assertEquals(response.headers.get("x-first"), null);
  assertEquals(response.headers.get("x-outer"), "1");
  assertEquals(response.headers.get("content-type"), "application/json");
});

Deno.test("RouteOverlap continues through more than two routes, and the last one determines the status", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  const stops = (name: string, status: number): fw.Handler => async (ctx) => {
    if (ctx.URLParam("by") === name) return ctx.WriteString(name);
    if (name === "b") await Promise.resolve();
    ctx.StopWithStatus(status);
  };
  app.Get("/", stops("a", 401));
  app.Get("/", stops("b", 402));
  app.Get("/", (ctx) => {
    if (ctx.URLParam("by") === "c") return ctx.WriteString("c");
    ctx.StopExecution();
  });
  assertEquals(await ask(app, "/?by=a"), [200, "a"]);
  assertEquals(await ask(app, "/?by=b"), [401, "b"]);
  assertEquals(await ask(app, "/?by=c"), [402, "c"]);
  assertEquals(await ask(app, "/"), [402, "Payment Required"]);
});

Deno.test("RouteOverlap treats a redirect and an error with a message as a response", async () => {
  const app = fw.New().SetRegisterRule(fw.RouteOverlap);
  app.Get("/a", (ctx) => ctx.StopWithError(409, new Error("taken")));
  app.Get("/b", (ctx) => {
    ctx.Redirect("/login");
    ctx.StopExecution();
  });
  for (const path of ["/a", "/b"]) app.Get(path, (ctx) => ctx.WriteString("second"));
  assertEquals(await ask(app, "/a"), [409, "taken"]);
  assertEquals((await ask(app, "/b"))[0], 302);
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
  first.Get("/", (ctx) => ctx.StopWithStatus(400));
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

/** The user of a request. If there is no user, the request is stopped. */
class CurrentUser {
  id = 0;
}

function currentUser(ctx: fw.Context): CurrentUser {
  const id = ctx.URLParamIntDefault("id", 0);
  if (id === 0) {
    const isLeftToMethod = ctx.GetStatusCode() === 404 || ctx.Path() === "/user/with/status/on/method";
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
  assertEquals(await ask(app, "/user"), [401, "unauth"]);
  assertEquals(await ask(app, "/user/with/status/on/method"), [400, "unauth"]);
  assertEquals(await ask(app, "/user/with/status/on/method/too"), [500, "unauth"]);
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
