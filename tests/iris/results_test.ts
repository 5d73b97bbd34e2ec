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
