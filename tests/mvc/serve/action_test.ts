import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask, quietApp } from "../serve.ts";

/** Returns the log of one request to a controller with the given hooks and method. */
async function logOf(acts: {
  begin?: (ctx: fw.Context) => unknown;
  method?: () => unknown;
  end?: () => unknown;
}): Promise<string[]> {
  const log: string[] = [];
  class Logged {
    BeginRequest(ctx: fw.Context): unknown {
      log.push("begin");
      return acts.begin?.(ctx);
    }
    Get(): unknown {
      log.push("method");
      return acts.method?.() ?? "body";
    }
    EndRequest(ctx: fw.Context): unknown {
      log.push(`end ${ctx.Path()}`);
      return acts.end?.();
    }
  }
  const app = quietApp();
  app.Use((ctx) => {
    log.push("middleware");
    return ctx.Next();
  });
  mvc.New(app).Handle(Logged);
  const { status, body } = await ask(app, "/");
  return [...log, `${status} ${body}`];
}

function boom(): never {
  throw new fw.HTTPError(418, "boom");
}

async function later<T>(act: () => T): Promise<T> {
  await Promise.resolve();
  return act();
}

Deno.test("A request runs middleware, BeginRequest, the method and EndRequest in this order", async () => {
  const order = ["middleware", "begin", "method", "end /", "200 body"];
  assertEquals(await logOf({}), order);
  const nothing = (): void => {};
  assertEquals(
    await logOf({ begin: () => later(nothing), method: () => later(() => "body"), end: () => later(nothing) }),
    order,
  );
});

Deno.test("A request stopped by BeginRequest runs neither the method nor EndRequest", async () => {
  const stopped = ["middleware", "begin", "401 no"];
  assertEquals(await logOf({ begin: (ctx) => ctx.StopWithText(401, "no") }), stopped);
  assertEquals(await logOf({ begin: (ctx) => later(() => ctx.StopWithText(401, "no")) }), stopped);
});

Deno.test("A request that fails in BeginRequest runs neither the method nor EndRequest", async () => {
  assertEquals(await logOf({ begin: boom }), ["middleware", "begin", "418 boom"]);
  assertEquals(await logOf({ begin: () => later(boom) }), ["middleware", "begin", "418 boom"]);
});

Deno.test("EndRequest runs even if the method throws, and its own error fails the request", async () => {
  const failed = ["middleware", "begin", "method", "end /", "418 boom"];
  assertEquals(await logOf({ method: boom }), failed);
  assertEquals(await logOf({ method: () => later(boom) }), failed);
  assertEquals(await logOf({ method: boom, end: () => later(() => undefined) }), failed);
  assertEquals(await logOf({ end: boom }), failed);
  assertEquals(await logOf({ end: () => later(boom) }), failed);
});

Deno.test("BeginRequest and EndRequest are independent and can have dependencies", async () => {
  class Named {
    name = "";
    BeginRequest(_ctx: fw.Context, name = mvc.Inject(greeting)): void {
      this.name = name;
    }
    Get(): string {
      return this.name;
    }
  }
  const greeting = mvc.Token<string>("greeting");
  for (const value of ["hi", async (_ctx: fw.Context) => await Promise.resolve("hi")]) {
    const app = quietApp();
    mvc.New(app).Register(mvc.Provide(greeting, value)).Handle(Named);
    assertEquals((await ask(app, "/")).body, "hi");
  }
});

Deno.test("A provider that stops the request prevents the controller from running", async () => {
  const log: string[] = [];
  for (const isAsync of [false, true]) {
    const user = (ctx: fw.Context): string | Promise<string> => {
      ctx.StopWithStatus(401);
      return isAsync ? Promise.resolve("") : "";
    };
    class Guarded {
      BeginRequest(): void {
        log.push("begin");
      }
      Get(): void {
        log.push("method");
      }
      EndRequest(): void {
        log.push("end");
      }
    }
    class ByField extends Guarded {
      user = mvc.Inject(user);
    }
    class ByArgument extends Guarded {
      override Get(_user = mvc.Inject(user)): void {
        log.push("method");
      }
    }
    const app = quietApp();
    mvc.New(app).Register(user).Handle(ByField).Party("/argument").Handle(ByArgument);
    for (let i = 0; i < 2; i++) {
      assertEquals((await ask(app, "/")).status, 401);
      assertEquals(log.splice(0), []);
      assertEquals((await ask(app, "/argument")).status, 401);
      assertEquals(log.splice(0), ["begin", "end"]);
    }
  }
});

Deno.test("A class is constructed for each request, and an instance is shared", async () => {
  class Counter {
    n = 0;
    Get(): string {
      return String(++this.n);
    }
  }
  const app = quietApp();
  mvc.New(app.Party("/class")).Handle(Counter);
  mvc.New(app.Party("/instance")).Handle(new Counter());
  mvc.New(app.Party("/literal")).Handle({ n: 10, Get: Counter.prototype.Get });
  for (const [path, ...expected] of [["/class", "1", "1"], ["/instance", "1", "2"], ["/literal", "11", "12"]]) {
    assertEquals([(await ask(app, path ?? "")).body, (await ask(app, path ?? "")).body], expected);
  }
});

Deno.test("Handle(mvc.Singleton(Class)) constructs one instance, even with asynchronous dependencies", async () => {
  class Service {
    readonly name = "service";
  }
  async function slow(): Promise<string> {
    return await Promise.resolve("slow");
  }
  class Single {
    service = mvc.Inject(Service);
    slow = mvc.Inject(slow);
    visits = 0;
    Get(): string {
      return `${this.service.name} ${this.slow} ${++this.visits}`;
    }
  }
  const app = quietApp();
  mvc.New(app).Register(new Service(), slow).Handle(mvc.Singleton(Single));
  assertEquals((await ask(app, "/")).body, "service slow 1");
  assertEquals((await ask(app, "/")).body, "service slow 2");
});

Deno.test("Handle() rejects singletons with a Ctx field or per-request values", () => {
  class WithContext {
    Ctx!: fw.Context;
    Get(): void {}
  }
  const m = mvc.New(quietApp());
  assertThrows(() => m.Handle(new WithContext()), fw.FrameworkError, 'it cannot have a field "Ctx"');
  assertThrows(() => m.Handle(mvc.Singleton(WithContext)), fw.FrameworkError, 'it cannot have a field "Ctx"');

  function user(_ctx: fw.Context): string {
    return "";
  }
  class WithUser {
    user = mvc.Inject(user);
    Get(): void {}
  }
  assertThrows(
    () => m.Register(user).Handle(mvc.Singleton(WithUser)),
    fw.FrameworkError,
    'Cannot serve "WithUser" as a singleton: all requests share it, but field "user" needs "user", which is created per request',
  );

  const late = quietApp();
  const lateMVC = mvc.New(late).Handle(mvc.Singleton(WithUser)).Register(user);
  assertThrows(() => late.Build(), fw.FrameworkError, "which is created per request");
  assertEquals(lateMVC.Router, late);

  const missing = quietApp();
  mvc.New(missing).Handle(mvc.Singleton(WithUser));
  assertThrows(
    () => missing.Build(),
    fw.FrameworkError,
    'Cannot serve "WithUser": field "user" needs the dependency "user"',
  );
});

Deno.test("HandleError() of the controller takes precedence over that of the application", async () => {
  class Plain {
    Get(): Error {
      return new Error("returned");
    }
    GetThrown(): void {
      throw new Error("thrown");
    }
    async GetRejected(): Promise<void> {
      await Promise.resolve();
      throw new fw.HTTPError(409, "rejected");
    }
    GetTuple(): mvc.Tuple<number, Error | null> {
      return mvc.Tuple(503, new Error("tuple"));
    }
    GetResult(): mvc.Response {
      return new mvc.Response({ Code: 404, Err: new Error("result") });
    }
    GetOdd(): void {
      const odd: unknown = "odd";
      throw odd;
    }
    GetUnanswerable(): number {
      return 1;
    }
  }
  class Own extends Plain {
    prefix = "own";
    HandleError(ctx: fw.Context, error: Error): void {
      ctx.Text(`${this.prefix} ${ctx.GetStatusCode()} ${error.message}`);
    }
  }
  class Slow extends Plain {
    async HandleError(ctx: fw.Context, error: Error): Promise<void> {
      await Promise.resolve();
      ctx.Text(`slow ${error.message}`);
    }
  }
  const app = quietApp();
  const m = mvc.New(app).HandleError((ctx, error) => ctx.Text(`app ${ctx.GetStatusCode()} ${error.message}`));
  m.Handle(Plain).Party("/own").Handle(Own);
  m.Party("/slow").Handle(Slow);

  const rows: [string, number, string][] = [
    ["", 400, "returned"],
    ["/thrown", 500, "thrown"],
    ["/rejected", 409, "rejected"],
    ["/tuple", 503, "tuple"],
    ["/result", 404, "result"],
    ["/odd", 500, "A value that is not an Error was thrown"],
  ];
  for (const [path, status, message] of rows) {
    assertEquals(await ask(app, path || "/"), {
      status,
      type: "text/plain;charset=UTF-8",
      body: `app ${status} ${message}`,
    });
    assertEquals((await ask(app, `/own${path}`)).body, `own ${status} ${message}`);
    assertEquals((await ask(app, `/slow${path}`)).body, `slow ${message}`);
  }
  assertStringIncludes((await ask(app, "/unanswerable")).body, "app 500 Cannot respond with the return value of");
});

Deno.test("HandleError() of the application handles errors that occur before an instance exists", async () => {
  async function broken(_ctx: fw.Context): Promise<string> {
    await Promise.resolve();
    throw new fw.HTTPError(503, "no database");
  }
  class Using {
    value = mvc.Inject(broken);
    Get(): string {
      return this.value;
    }
  }
  const app = quietApp();
  mvc.New(app).Register(broken).HandleError((ctx, error) => ctx.Text(`handled ${error.message}`)).Handle(Using);
  assertEquals(await ask(app, "/"), { status: 503, type: "text/plain;charset=UTF-8", body: "handled no database" });
});

Deno.test("A thrown error without a handler responds with 500, and its message is only logged", async () => {
  const lines: string[] = [];
  class Throwing {
    Get(): void {
      throw new Error("the password is sesame");
    }
  }
  const app = fw.New();
  app.Logger().SetOutput((line: string) => void lines.push(line));
  mvc.New(app).Handle(Throwing);
  assertEquals((await ask(app, "/")).body, "Internal Server Error");
  app.Logger().Flush();
  assertStringIncludes(lines.join("\n"), "sesame");
});

Deno.test("HandleHTTPError handles the error statuses of the controller's party", async () => {
  class Pages {
    tone = mvc.Inject(tone);
    Get(): number {
      return 503;
    }
    HandleHTTPError(ctx: fw.Context): string {
      return `${this.tone} ${ctx.GetStatusCode()}`;
    }
  }
  const tone = mvc.Token<string>("tone");
  const app = quietApp();
  mvc.New(app.Party("/pages")).Register(mvc.Provide(tone, "sorry")).Handle(Pages);
  assertEquals((await ask(app, "/pages")).body, "sorry 503");
  assertEquals(await ask(app, "/pages/none"), { status: 404, type: "text/plain;charset=UTF-8", body: "sorry 404" });
  assertEquals((await ask(app, "/none")).body, "Not Found");
});

Deno.test("Done handlers run after a controller method, and Router has all methods of a party", async () => {
  const log: string[] = [];
  class Plain {
    Get(): string {
      log.push("method");
      return "body";
    }
  }
  const app = quietApp();
  const m = mvc.New(app.Party("/m"));
  m.Router.Use((ctx) => {
    log.push("use");
    return ctx.Next();
  });
  m.Router.UseGlobal((ctx) => {
    log.push("global");
    return ctx.Next();
  });
  m.Router.Done(() => void log.push("done"));
  m.Handle(Plain);
  assertEquals((await ask(app, "/m")).body, "body");
  assertEquals(log, ["global", "use", "method", "done"]);
});
