import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import { assertEquals, assertThrows } from "@std/assert";
import { renderToString } from "npm:preact-render-to-string@^6";
import { h } from "npm:preact@^10";
import * as jsx from "@fw/web/view/jsx";

function logs(seen: unknown[], name: string): fw.ResultMiddleware {
  return (next) => (ctx, value) => {
    seen.push([name, value]);
    return next(ctx, value);
  };
}

/** An object that controllers return. */
class Answer {
  readonly Code: number;
  readonly Message: string;

  constructor(code: number, message: string) {
    this.Code = code;
    this.Message = message;
  }
}

Deno.test("UseResultHandler() changes returned objects, with the first handler as the outermost", async () => {
  const app = fw.New();
  const seen: unknown[] = [];
  const api = app.ConfigureContainer();
  api.UseResultHandler(logs(seen, "outer"));
  api.UseResultHandler((next) => (ctx, _value) => next(ctx, { injected: true }));
  api.UseResultHandler(logs(seen, "inner"));
  api.Get("/{id:int}", (ctx) => ({ id: ctx.Params().GetIntDefault("id", 0), name: "kataras" }));
  await httptest.New(app).GET("/42").Expect().Status(200).JSON({ injected: true });
  assertEquals(seen, [["outer", { id: 42, name: "kataras" }], ["inner", { injected: true }]]);
});

Deno.test("UseResultHandler() is composed once and inherited by parties, applications and clones", async () => {
  const app = fw.New();
  let composed = 0;
  const wraps = (name: string): fw.ResultMiddleware => (next) => {
    composed++;
    return (ctx, value) => next(ctx, { [name]: value });
  };
  class Controller {
    Get(): object {
      return { a: 1 };
    }
  }
  app.ConfigureContainer().UseResultHandler(wraps("root"));
  const party = app.Party("/party");
  party.ConfigureContainer().UseResultHandler(wraps("party"));
  const m = mvc.New(party).UseResultHandler(wraps("app")).Handle(Controller);
  m.Clone(app.Party("/clone")).UseResultHandler(wraps("clone")).Handle(Controller);
  mvc.New(app.Party("/other")).Handle(Controller);
  const test = httptest.New(app);
  for (const _ of [1, 2]) {
    await test.GET("/party").Expect().JSON({ app: { party: { root: { a: 1 } } } });
    await test.GET("/other").Expect().JSON({ root: { a: 1 } });
  }
  await test.GET("/clone").Expect().JSON({ clone: { app: { party: { root: { a: 1 } } } } });
  assertEquals(composed, 3 + 1 + 4);
  assertThrows(() => m.UseResultHandler(wraps("late")), fw.FrameworkError, "already");
});

Deno.test("UseResultHandler() handles objects in tuples, views and results, but not strings, errors and bodies", async () => {
  const app = fw.New();
  const seen: string[] = [];
  const api = app.ConfigureContainer().UseResultHandler((next) => (ctx, value) => {
    seen.push(ctx.Path());
    return next(ctx, value);
  });
  api.Get("/status", () => mvc.Tuple({ a: 1 }, 201));
  api.Get("/type", () => mvc.Tuple({ a: 1 }, "text/xml"));
  api.Get("/found", () => mvc.Tuple({ a: 1 }, true));
  api.Get("/result", () => new mvc.Response({ Text: "r" }));
  api.Get("/list", () => [1]);
  api.Get("/text", () => "text");
  api.Get("/error", () => new Error("e"));
  api.Get("/bytes", () => new Uint8Array([65]));
  api.Get("/response", () => new Response("r"));
  api.Get("/nothing", () => null);
  const test = httptest.New(app);
  await test.GET("/status").Expect().Status(201).JSON({ a: 1 });
  await test.GET("/type").Expect().Status(200)
    .Body('<?xml version="1.0" encoding="UTF-8"?>\n<Object><a>1</a></Object>');
  await test.GET("/found").Expect().JSON({ a: 1 });
  await test.GET("/result").Expect().Body("r");
  await test.GET("/list").Expect().JSON([1]);
  assertEquals(seen.splice(0), ["/status", "/type", "/found", "/result", "/list"]);
  await test.GET("/text").Expect().Body("text");
  await test.GET("/error").Expect().Status(400).Body("e");
  await test.GET("/bytes").Expect().Body("A");
  await test.GET("/response").Expect().Body("r");
  await test.GET("/nothing").Expect().Body("null");
  assertEquals(seen, []);
});

Deno.test("UseResultHandler() accepts asynchronous handlers that write the response or fail", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const api = app.ConfigureContainer().OnError((ctx, error) => ctx.WriteString(`handled: ${error.message}`));
  api.UseResultHandler((next) => async (ctx, value) => {
    await Promise.resolve();
    const { act } = value as { act: string };
    if (act === "write") return ctx.WriteString("written");
    if (act === "return") return new fw.HTTPError(409, "taken");
    if (act === "throw") throw new fw.HTTPError(418, "teapot");
    return await next(ctx, act === "text" ? "a text" : act === "status" ? 204 : value);
  });
  api.Get("/{act}", (ctx) => ({ act: ctx.Params().Get("act") }));
  const test = httptest.New(app);
  await test.GET("/write").Expect().Status(200).Body("written");
  await test.GET("/return").Expect().Status(409).Body("handled: taken");
  await test.GET("/throw").Expect().Status(418).Body("handled: teapot");
  await test.GET("/text").Expect().Status(200).Body("a text");
  await test.GET("/status").Expect().Status(204);
  await test.GET("/else").Expect().Status(200).JSON({ act: "else" });
});

Deno.test("UseResultHandler() can render an error object as a view", async () => {
  class ErrorResponse extends Answer {}
  class UserController {
    GetBy(id = 0): ErrorResponse | { id: number } {
      return id === 1 ? { id } : new ErrorResponse(404, "User Not Found");
    }
  }
  const app = fw.New();
  app.RegisterView(fw.HTML("").ParseTemplate("404.html", "<h1><%= it.Message %></h1>"));
  app.ConfigureContainer().UseResultHandler((next) => (ctx, value) =>
    next(ctx, value instanceof ErrorResponse ? new mvc.View({ Code: value.Code, Name: "404", Data: value }) : value)
  );
  mvc.New(app).Handle(UserController);
  const test = httptest.New(app);
  await test.GET("/1").Expect().Status(200).JSON({ id: 1 });
  await test.GET("/2").Expect().Status(404).Body("<h1>User Not Found</h1>");
});

class PreparedAnswer extends Answer {
  Preflight(ctx: fw.Context): Error | null {
    if (this.Code === 500) return new Error("custom error");
    if (this.Code > 0) ctx.StatusCode(this.Code);
    ctx.Header("x-code", String(this.Code));
    return null;
  }
}

Deno.test("Preflight() of a returned object can set the status and headers or return an error", async () => {
  const app = fw.New();
  const api = app.ConfigureContainer();
  api.Get("/{code:int}", (ctx) => new PreparedAnswer(ctx.Params().GetIntDefault("code", 0), "m"));
  api.Get("/later/{code:int}", async (ctx) => {
    const answer = new PreparedAnswer(ctx.Params().GetIntDefault("code", 0), "m");
    return await Promise.resolve({
      late: true,
      Preflight: (ctx: fw.Context) => Promise.resolve(answer.Preflight(ctx)),
    });
  });
  api.Get("/alternative", () => mvc.Tuple(202, { name: "my_name" }));
  const test = httptest.New(app);
  await test.GET("/200").Expect().Status(200).JSON({ Code: 200, Message: "m" }).Header("x-code", "200");
  await test.GET("/400").Expect().Status(400).JSON({ Code: 400, Message: "m" });
  await test.GET("/500").Expect().Status(400).Body("custom error");
  await test.GET("/later/201").Expect().Status(201).JSON({ late: true });
  await test.GET("/later/500").Expect().Status(400).Body("custom error");
  await test.GET("/alternative").Expect().Status(202).JSON({ name: "my_name" });
});

Deno.test("Preflight() can write the response and stop the request", async () => {
  class Envelope {
    readonly code: number;
    readonly data: unknown;
    constructor(code: number, data: unknown) {
      this.code = code;
      this.data = data;
    }
    async Preflight(ctx: fw.Context): Promise<void> {
      if (this.code === 200) return;
      await new mvc.View({ Code: this.code, Name: String(this.code), Data: this }).Dispatch(ctx);
      ctx.StopExecution();
    }
  }
  class UserController {
    GetBy(id = 0): Envelope {
      return id === 1 ? new Envelope(200, { id }) : new Envelope(404, null);
    }
  }
  const app = fw.New();
  app.RegisterView(fw.HTML("").ParseTemplate("404.html", "<h1><%= it.code %></h1>"));
  mvc.New(app).Handle(UserController);
  const test = httptest.New(app);
  await test.GET("/1").Expect().Status(200).JSON({ code: 200, data: { id: 1 } });
  await test.GET("/2").Expect().Status(404).Body("<h1>404</h1>");
});

Deno.test("Preflight() runs after result handlers and before Dispatch", async () => {
  const app = fw.New();
  const seen: string[] = [];
  class Page implements mvc.Dispatcher {
    Preflight(): void {
      seen.push("Preflight");
    }
    Dispatch(ctx: fw.Context): void {
      seen.push("Dispatch");
      ctx.WriteString("page");
    }
  }
  app.ConfigureContainer().UseResultHandler((next) => (ctx, value) => {
    seen.push("handler");
    return next(ctx, value);
  }).Get("/", () => new Page());
  await httptest.New(app).GET("/").Expect().Body("page");
  assertEquals(seen, ["handler", "Preflight", "Dispatch"]);
});

Deno.test("A controller can return a JSX element", async () => {
  function Link({ to }: { to: string }) {
    return h("a", { href: jsx.useRequest().URLPath(to) }, "<home>");
  }
  class PageController {
    Get() {
      return h(Link, { to: "home" });
    }
    GetBare() {
      return Object.assign(Object.create(null), { type: "p", props: {} });
    }
    GetMissing() {
      return mvc.Tuple(h("p", null, "missing"), 404);
    }
  }
  const app = fw.New();
  app.RegisterView(jsx.New({ Render: renderToString }));
  app.Get("/home", () => {}).SetName("home");
  mvc.New(app).Handle(PageController);
  const test = httptest.New(app);
  await test.GET("/").Expect().Status(200).Header("content-type", "text/html; charset=utf-8")
    .Body('<!DOCTYPE html><a href="/home">&lt;home></a>');
  await test.GET("/bare").Expect().Status(200).JSON({ type: "p", props: {} });
  await test.GET("/missing").Expect().Status(404).Body("<!DOCTYPE html><p>missing</p>");
});

Deno.test("Dispatch() of a returned object can render a view", async () => {
  class ErrorResponse implements mvc.Dispatcher {
    readonly Code: number;
    constructor(code: number) {
      this.Code = code;
    }
    Dispatch(ctx: fw.Context): void | Promise<void> {
      return new mvc.View({ Code: this.Code, Name: String(this.Code), Data: this }).Dispatch(ctx);
    }
  }
  class UserController {
    GetBy(id = 0): mvc.Dispatcher {
      return id === 1 ? new mvc.Response({ Object: { id } }) : new ErrorResponse(404);
    }
  }
  const app = fw.New();
  app.RegisterView(fw.HTML("").ParseTemplate("404.html", "<h1><%= it.Code %></h1>"));
  mvc.New(app).Handle(UserController);
  const test = httptest.New(app);
  await test.GET("/1").Expect().Status(200).JSON({ id: 1 });
  await test.GET("/2").Expect().Status(404).Body("<h1>404</h1>");
});

Deno.test("HandleHTTPError() can render the error pages of a controller", async () => {
  class PageController {
    Get(): string {
      return "Hello!";
    }
    GetError(): mvc.View {
      return new mvc.View({ Name: "", Code: 400, Err: new Error("custom error") });
    }
    HandleHTTPError(ctx: fw.Context): mvc.View {
      const code = ctx.GetStatusCode();
      return new mvc.View({
        Code: code,
        Name: code === 404 ? "404" : "unexpected",
        Data: { text: ctx.GetErr()?.message },
      });
    }
  }
  const app = fw.New();
  app.RegisterView(
    fw.HTML("").ParseTemplate("404.html", "<h1>lost</h1>").ParseTemplate("unexpected.html", "<h1><%= it.text %></h1>"),
  );
  mvc.New(app).Handle(PageController);
  const test = httptest.New(app);
  await test.GET("/").Expect().Status(200).Body("Hello!");
  await test.GET("/error").Expect().Status(400).Body("<h1>custom error</h1>");
  await test.GET("/nowhere").Expect().Status(404).Body("<h1>lost</h1>");
});
