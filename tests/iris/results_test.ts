import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import { assertEquals } from "@std/assert";

Deno.test("example mvc/error-handler: the handler of the controller comes before that of the application", async () => {
  class PlainController {
    Get(): Error {
      return new Error("error here");
    }
  }
  class HandlingController extends PlainController {
    HandleError(ctx: fw.Context, error: Error): void {
      ctx.HTML(`<i>${error.message}</i>`);
    }
  }
  const app = fw.New();
  const seen: unknown[] = [];
  const m = mvc.New(app);
  m.UseResultHandler((next) => (ctx, value) => {
    seen.push(value);
    return next(ctx, value);
  });
  m.HandleError((ctx, error) => void ctx.HTML(`<b>${error.message}</b>`)).Handle(HandlingController);
  mvc.New(app.Party("/plain")).HandleError((ctx, error) => void ctx.HTML(`<b>${error.message}</b>`)).Handle(
    PlainController,
  );
  const test = httptest.New(app);
  await test.GET("/").Expect().Body("<i>error here</i>");
  await test.GET("/plain").Expect().Body("<b>error here</b>");
  assertEquals(seen, [], "errors have their own handlers");
});

Deno.test("example dependency-injection/overview: handlers of a container share the format of their responses", async () => {
  interface User {
    readonly Firstname: string;
    readonly Age: number;
  }
  const app = fw.New();
  const api = app.Party("/users").ConfigureContainer();
  // The program sends each object inside an envelope, and lets the client choose the format.
  api.UseResultHandler((next) => (ctx, value) => {
    if (Array.isArray(value)) return next(ctx, { items: value, count: value.length });
    ctx.Negotiation().JSON().YAML();
    return ctx.Negotiate({ item: value });
  });
  const users: readonly User[] = [{ Firstname: "Ada", Age: 36 }];
  api.Get("/", () => users);
  api.Get("/{id:int}", (ctx) => {
    const user = users[ctx.Params().GetIntDefault("id", 0)];
    return mvc.Tuple(user ?? {}, user !== undefined);
  });
  const test = httptest.New(app);
  await test.GET("/users").Expect().JSON({ items: users, count: 1 });
  await test.GET("/users/0").Expect().JSON({ item: users[0] });
  await test.GET("/users/0").WithHeader("accept", "application/yaml").Expect().Body(
    "item:\n  Firstname: Ada\n  Age: 36\n",
  );
  await test.GET("/users/1").Expect().Status(404).Body("Not Found");
});

Deno.test("Go's TestContainerUseResultHandler: one of three handlers replaces the value", async () => {
  const app = fw.New();
  const api = app.ConfigureContainer();
  const seen: unknown[] = [];
  const logs: fw.ResultMiddleware = (next) => (ctx, value) => {
    seen.push(value);
    return next(ctx, value);
  };
  api.UseResultHandler(logs).UseResultHandler((next) => (ctx) => next(ctx, { injected: true })).UseResultHandler(logs);
  api.Get("/{id:int}", (ctx) => ({ id: ctx.Params().GetIntDefault("id", 0), name: "Ada" }));
  await httptest.New(app).GET("/42").Expect().Status(200).JSON({ injected: true });
  assertEquals(seen, [{ id: 42, name: "Ada" }, { injected: true }]);
});

Deno.test("Go's TestPreflightResult: Preflight sets the status, or its error takes the error path", async () => {
  class Outcome {
    readonly Code: number;
    constructor(code: number) {
      this.Code = code;
    }
    Preflight(ctx: fw.Context): Error | undefined {
      if (this.Code === 500) return new Error("custom error");
      ctx.StatusCode(this.Code);
      return undefined;
    }
    toJSON(): object {
      return { Code: this.Code };
    }
  }
  const app = fw.New();
  app.ConfigureContainer().Get("/{code:int}", (ctx) => new Outcome(ctx.Params().GetIntDefault("code", 0)));
  const test = httptest.New(app);
  await test.GET("/200").Expect().Status(200).JSON({ Code: 200 });
  await test.GET("/400").Expect().Status(400).JSON({ Code: 400 });
  await test.GET("/500").Expect().Status(400).Body("custom error");
});

Deno.test("Go's TestResponseErr: an error handler sees the error of a response", async () => {
  const app = fw.New();
  const expected = new Error("response error");
  app.OnAnyErrorCode((ctx) => ctx.WriteString(`${ctx.GetErr() === expected} ${ctx.GetErr()?.message}`));
  app.ConfigureContainer().Get("/", () => new mvc.Response({ Code: 502, Err: expected }));
  await httptest.New(app).GET("/").Expect().Status(502).Body("true response error");
});

Deno.test("Go's TestControllerViewResultRespectCtxViewData: BeginRequest and the view share their data", async () => {
  class PageController {
    BeginRequest(ctx: fw.Context): void {
      ctx.ViewData("begin", "from BeginRequest");
    }
    Get(): mvc.View {
      return new mvc.View({ Name: "page", Data: { end: "from Get" } });
    }
  }
  const app = fw.New();
  app.RegisterView(fw.HTML("").ParseTemplate("page.html", "<%= it.begin %>, <%= it.end %>"));
  mvc.New(app).Handle(PageController);
  await httptest.New(app).GET("/").Expect().Status(200).Body("from BeginRequest, from Get");
});
