import { assertEquals, assertThrows } from "@std/assert";
import { termsOf } from "../../../mvc/inject/provision.ts";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask, quietApp } from "../serve.ts";

Deno.test("termsOf() returns the token, the lifetime and the order of a registration", () => {
  const name = mvc.Token<string>("name");
  function provide(_ctx: fw.Context): string {
    return "";
  }
  const plain = { token: undefined, source: provide, isValue: false, lifetime: undefined, isOwned: false };
  assertEquals(termsOf(provide), { ...plain, isParallel: false });
  assertEquals(termsOf(mvc.Parallel(mvc.PerRequest(provide))), {
    ...plain,
    lifetime: "request",
    isOwned: true,
    isParallel: true,
  });
  assertEquals(termsOf(mvc.Provide(name, mvc.Singleton(provide))).lifetime, "singleton");
  assertEquals(termsOf(mvc.Provide(name, mvc.Singleton(provide))).token, { is: name });
  assertEquals(termsOf(mvc.Provide(name, mvc.Value("text"))).isValue, true);
});

Deno.test("Singleton(), PerRequest() and Parallel() reject values that are not functions or classes", () => {
  for (const by of [mvc.Singleton, mvc.PerRequest, mvc.Parallel]) {
    const refuse = by as (source: unknown) => unknown;
    assertThrows(() => refuse("text"), fw.FrameworkError, "it is not a function or a class");
    assertThrows(() => refuse(mvc.Value(() => 1)), fw.FrameworkError, "it is not a function or a class");
  }
});

Deno.test("PerRequest() constructs an instance of a class for each request and disposes of it", async () => {
  const log: string[] = [];
  function user(ctx: fw.Context): string {
    return ctx.Path();
  }
  class Unit {
    user = mvc.Inject(user);
    [Symbol.dispose](): void {
      log.push(`closed ${this.user}`);
    }
  }
  class Using {
    unit = mvc.Inject(Unit);
    Get(again = mvc.Inject(Unit)): string {
      return `${again === this.unit} ${this.unit.user}`;
    }
    GetMore(): string {
      return this.unit.user;
    }
  }
  const app = quietApp();
  mvc.New(app).Register(user, mvc.PerRequest(Unit)).Handle(Using);
  assertEquals([(await ask(app, "/")).body, (await ask(app, "/more")).body], ["true /", "/more"]);
  assertEquals(log, ["closed /", "closed /more"]);
});

Deno.test("Provide() with mvc.Value() registers functions and classes as values", async () => {
  type Sql = (strings: TemplateStringsArray) => string;
  const sql = mvc.Token<Sql>("sql");
  class Model {
    readonly table: string = "users";
  }
  const model = mvc.Token<typeof Model>("model");
  class Querying {
    sql = mvc.Inject(sql);
    Get(Type = mvc.Inject(model)): string {
      return `${this.sql`select`} ${new Type().table}`;
    }
  }
  const tag: Sql = (strings) => strings.join("?");
  const app = quietApp();
  mvc.New(app).Register(mvc.Provide(sql, mvc.Value(tag)), mvc.Provide(model, mvc.Value(Model))).Handle(Querying);
  assertEquals((await ask(app, "/")).body, "select users");
});

Deno.test("Provide() does not accept functions and classes as values at compile time", () => {
  type Sql = (strings: TemplateStringsArray) => string;
  const sql = mvc.Token<Sql>("sql");
  const tag: Sql = (strings) => strings.join("?");
  // @ts-expect-error It would be called to create the value.
  mvc.Provide(sql, tag);
  mvc.Provide(sql, () => tag);
  mvc.Provide(sql, (_ctx: fw.Context) => tag);
  class Model {}
  const model = mvc.Token<typeof Model>("model");
  // @ts-expect-error It would be constructed.
  mvc.Provide(model, Model);
  mvc.Provide(model, () => Model);
});
