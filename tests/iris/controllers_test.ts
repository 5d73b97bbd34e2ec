import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mvc from "@fw/web/mvc";
import { assertEquals } from "@std/assert";

class Service {
  readonly prefix: string;
  constructor(prefix = "") {
    this.prefix = prefix;
  }
  say(message: string): string {
    return `${this.prefix} ${message}`;
  }
}

class HandleController {
  Ctx!: fw.Context;
  service = mvc.Inject(Service);
  field = "";

  BeforeActivation(b: mvc.BeforeActivation) {
    assertEquals(b.GetRoute("HiStatic"), undefined);
    b.Handle("GET", "/histatic", "HiStatic");
    assertEquals(b.GetRoute("HiStatic")?.Path, "/histatic");
    b.Handle("GET", "/hiservice", "HiService");
    b.Handle("GET", "/hiservice/{ps:string}", "HiServiceBy");
    b.Handle("GET", "/hiparam/{ps:string}", "HiParamBy");
    b.Handle("GET", "/hiparamempyinput/{ps:string}", "HiParamEmptyInputBy");
    const routes = b.HandleMany("GET", "/custom/{ps:string} /custom2/{ps:string}", "CustomWithParameter");
    assertEquals(routes.map((route) => route.Path), ["/custom/{ps:string}", "/custom2/{ps:string}"]);
    b.HandleMany("GET", "/custom3/{ps:string}/{pssecond:string}", "CustomWithParameters");
  }
  AfterActivation(a: mvc.AfterActivation) {
    a.GetRoute("Get")?.SetName("index_route");
    a.GetRoute("HiStatic")?.SetName("hi_static_route");
    assertEquals(a.GetRoute("Nothing"), undefined);
  }
  BeginRequest(ctx: fw.Context) {
    this.field = ctx.URLParam("reqfield");
  }
  Get() {
    return `index ${this.Ctx.GetCurrentRoute()?.Name}`;
  }
  HiStatic() {
    return `${this.field} ${this.Ctx.GetCurrentRoute()?.Name}`;
  }
  HiService() {
    return this.service.say("hi");
  }
  HiServiceBy(ps: string) {
    return this.service.say(`hi with param: ${ps}`);
  }
  HiParamBy(ps: string) {
    return ps;
  }
  HiParamEmptyInputBy() {
    return `empty in but served with ctx.Params.Get('ps')=${this.Ctx.Params().Get("ps")}`;
  }
  CustomWithParameter(param1: string) {
    return param1;
  }
  CustomWithParameters(param1: string, param2: string) {
    return param1 + param2;
  }
}

Deno.test("Go's TestControllerHandle: custom routes, several routes for a method, and their names", async () => {
  const app = fw.New();
  mvc.New(app).Register(new Service("service:")).Handle(HandleController);
  const test = httptest.New(app);
  for (
    const [path, body] of [
      ["/", "index index_route"],
      ["/histatic?reqfield=field", "field hi_static_route"],
      ["/hiservice", "service: hi"],
      ["/hiservice/value", "service: hi with param: value"],
      ["/hiparam/value", "value"],
      ["/hiparamempyinput/value", "empty in but served with ctx.Params.Get('ps')=value"],
      ["/custom/value1", "value1"],
      ["/custom2/value2", "value2"],
      ["/custom3/value1/value2", "value1value2"],
    ] as const
  ) await test.GET(path).Expect().Status(200).Body(body);
  await test.GET("/custom3/value1").Expect().Status(404);
  assertEquals(app.Reverse("index_route"), "/");
});

Deno.test("HandleMany() registers all methods with all paths, also in AfterActivation, and with middleware", async () => {
  class ManyController {
    Ctx!: fw.Context;
    BeforeActivation(b: mvc.BeforeActivation) {
      const seen: fw.Handler = (ctx) => {
        ctx.Header("x-seen", "yes");
        return ctx.Next();
      };
      assertEquals(b.HandleMany("GET POST", "/a /b/{n:int min(1) max(5)}", "M", seen).length, 4);
    }
    AfterActivation(a: mvc.AfterActivation) {
      a.HandleMany("any", "/c", "M");
      assertEquals(a.GetRoute("M")?.Path, "/many/a");
    }
    M() {
      return `${this.Ctx.Method()} ${this.Ctx.Path()}`;
    }
  }
  const app = fw.New();
  mvc.New(app.Party("/many")).Handle(ManyController);
  const test = httptest.New(app);
  await test.GET("/many/a").Expect().Header("x-seen", "yes").Body("GET /many/a");
  await test.POST("/many/b/5").Expect().Body("POST /many/b/5");
  await test.GET("/many/b/6").Expect().Status(404);
  await test.PUT("/many/a").Expect().Status(405);
  await test.DELETE("/many/c").Expect().Body("DELETE /many/c");
});

Deno.test("example mvc/error-handler-http: mvc.Code and mvc.Err are the status and the error of the request", async () => {
  class ErrorController {
    code = mvc.Inject(mvc.Code);
    Get(code = mvc.Inject(mvc.Code), error = mvc.Inject(mvc.Err)) {
      return [this.code, code, error];
    }
    GetBad() {
      return new mvc.Response({ Code: 400, Err: new Error("custom error") });
    }
    GetThrown() {
      throw new fw.HTTPError(409, "taken");
    }
    HandleError(_ctx: fw.Context, _error: Error) {}
    HandleHTTPError(code = mvc.Inject(mvc.Code), error = mvc.Inject(mvc.Err)) {
      return `${code} ${error?.message ?? "none"}`;
    }
  }
  const app = fw.New();
  mvc.New(app).Handle(ErrorController);
  app.ConfigureContainer((api) => {
    api.Get("/plain", (ctx, code = mvc.Inject(mvc.Code)) => ctx.StatusCode(code + 1));
  });
  const test = httptest.New(app);
  await test.GET("/").Expect().JSON([200, 200, null]);
  await test.GET("/bad").Expect().Status(400).Body("400 custom error");
  await test.GET("/thrown").Expect().Status(409).Body("409 taken");
  await test.GET("/nowhere").Expect().Status(404).Body("404 none");
  await test.GET("/plain").Expect().Status(201);
});

Deno.test("Go's TestControllerViewResultRespectCtxViewData: GetViewData contains the data of BeginRequest and of the view", async () => {
  const seen: unknown[] = [];
  class ViewController {
    BeginRequest(ctx: fw.Context) {
      ctx.ViewData("a", "begin");
      ctx.ViewData("both", "begin");
    }
    EndRequest(ctx: fw.Context) {
      seen.push({ ...ctx.GetViewData() });
    }
    Get() {
      return new mvc.View({ Name: "page", Data: { b: "view", both: "view" } });
    }
    GetMissing() {
      return new mvc.View({ Name: "doesnt_exist", Data: { b: "view" }, Code: 500 });
    }
    GetInstance() {
      return new mvc.View({ Name: "instance", Data: new Service("x") });
    }
  }
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const engine = fw.HTML("").ParseTemplate("page.html", "<%= it.a %> <%= it.b %> <%= it.both %>");
  app.RegisterView(engine.ParseTemplate("instance.html", "<%= it.prefix %>"));
  mvc.New(app).Handle(ViewController);
  const test = httptest.New(app);
  await test.GET("/").Expect().Status(200).Body("begin view view");
  await test.GET("/missing").Expect().Status(500);
  await test.GET("/instance").Expect().Body("x");
  assertEquals(seen, [
    { a: "begin", b: "view", both: "view" },
    { a: "begin", b: "view", both: "begin" },
    { a: "begin", both: "begin" },
  ]);
});

Deno.test("SetName() names an application in the log", async () => {
  const lines: string[] = [];
  const app = fw.New();
  app.Logger().SetLevel("debug").SetOutput((line) => void lines.push(line));
  class TeaController {
    Get() {
      return "Assam";
    }
  }
  const teas = mvc.New(app.Party("/teas")).SetName("Teas").Handle(TeaController);
  assertEquals([teas.Name, mvc.New(app).Name], ["Teas", ""]);
  await app.Build();
  app.Logger().Flush();
  assertEquals(lines.filter((line) => line.includes("Teas: Controller TeaController serves")).length, 1);
});
