import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask, quietApp } from "../serve.ts";

class Service {
  readonly name: string;
  constructor(name = "application") {
    this.name = name;
  }
}

function routesOf(app: fw.Application): string[] {
  return app.Routes().map((route) => `${route.Method} ${route.Path} ${route.Controller}.${route.Action}`);
}

Deno.test("Handle() routes inherited and overridden methods, but no other members", async () => {
  class Base {
    Get(): string {
      return "base";
    }
    GetInherited(): string {
      return "inherited";
    }
    GetHidden(): string {
      return "hidden";
    }
  }
  class Derived extends Base {
    static GetStatic(): void {}
    override Get(): string {
      return `derived of ${super.Get()}`;
    }
    get GetGetter(): string {
      throw new Error("a getter ran");
    }
    #GetPrivate(): void {}
    getSmall(): void {
      this.#GetPrivate();
    }
    Getter(): void {}
    [Symbol.iterator](): void {}
  }
  const app = quietApp();
  mvc.New(app).Handle(Derived);
  assertEquals(routesOf(app), [
    "GET / Derived.Get",
    "GET /inherited Derived.GetInherited",
    "GET /hidden Derived.GetHidden",
  ]);
  assertEquals((await ask(app, "/")).body, "derived of base");
  assertEquals((await ask(app, "/inherited")).body, "inherited");
});

Deno.test("BeforeActivation.Handle() replaces the default route of a method", async () => {
  const seen: string[] = [];
  class Custom {
    BeforeActivation(b: mvc.BeforeActivation): void {
      const route = b.Handle("GET", "/custom/{id:long}/{day:weekday}", "GetThing", (ctx) => {
        seen.push(ctx.Path());
        return ctx.Next();
      });
      assertEquals([route.Method, route.Controller, route.Action], ["GET", "Custom", "GetThing"]);
      b.Handle("ANY", "/any", "Anything");
      b.Router().Get("/plain", (ctx) => ctx.Text("plain"));
    }
    GetThing(day: number, id = 0n): string {
      return `${typeof day} ${typeof id} ${id}`;
    }
    Anything(ctx: fw.Context): string {
      return ctx.Method();
    }
  }
  const app = quietApp();
  mvc.New(app.Party("/x")).Handle(Custom);
  assertEquals((await ask(app, "/x/custom/7/monday")).body, "number bigint 7");
  assertEquals(seen, ["/x/custom/7/monday"]);
  assertEquals((await ask(app, "/x/custom/seven/monday")).status, 404);
  assertEquals((await ask(app, "/x/thing")).status, 404);
  assertEquals((await ask(app, "/x/any", "PATCH")).body, "PATCH");
  assertEquals((await ask(app, "/x/plain")).body, "plain");
});

Deno.test("BeforeActivation.Handle() rejects missing methods and mismatched arguments", () => {
  class Bad {
    BeforeActivation(b: mvc.BeforeActivation): void {
      b.Handle("GET", "/{id:long}", this.#name());
    }
    #name(): string {
      return "Missing";
    }
  }
  // The hook of a class runs without an instance, so private members do not exist.
  assertThrows(() => mvc.New(quietApp()).Handle(Bad), TypeError);
  class Missing {
    BeforeActivation(b: mvc.BeforeActivation): void {
      b.Handle("GET", "/{id:long}", "Nothing");
    }
  }
  assertThrows(
    () => mvc.New(quietApp()).Handle(Missing),
    fw.FrameworkError,
    'Cannot route "Missing.Nothing": the controller has no such method',
  );
  class Unfit {
    BeforeActivation(b: mvc.BeforeActivation): void {
      b.Handle("GET", "/{id:long}", "Show");
    }
    Show(_id = 0): void {}
  }
  assertThrows(() => mvc.New(quietApp()).Handle(Unfit), fw.FrameworkError, 'is a number but "{id}" is "int64"');
});

Deno.test("BeforeActivation.Dependencies() are private to the controller and take precedence", async () => {
  class Asking {
    service = mvc.Inject(Service);
    Get(): string {
      return this.service.name;
    }
  }
  class Own extends Asking {
    BeforeActivation(b: mvc.BeforeActivation): void {
      assertEquals(b.Dependencies().Has(Service), true);
      b.Dependencies().Add(new Service("controller"));
    }
  }
  class Removed extends Asking {
    BeforeActivation(b: mvc.BeforeActivation): void {
      assertEquals(b.Dependencies().Remove(Service), true);
      assertEquals(b.Dependencies().Remove(Service), false);
      assertEquals(b.Dependencies().Has(Service), false);
    }
  }
  const app = quietApp();
  const m = mvc.New(app).Register(new Service());
  m.Party("/own").Handle(Own);
  m.Handle(Asking);
  assertEquals((await ask(app, "/own")).body, "controller");
  assertEquals((await ask(app, "/")).body, "application");

  const broken = quietApp();
  mvc.New(broken).Register(new Service()).Handle(Removed);
  assertThrows(() => broken.Build(), fw.FrameworkError, 'field "service" needs the dependency "Service"');
});

Deno.test("AfterActivation can read and add routes, but not change dependencies", async () => {
  let kept: mvc.Dependencies | undefined;
  class After {
    BeforeActivation(b: mvc.BeforeActivation): void {
      kept = b.Dependencies();
    }
    AfterActivation(a: mvc.AfterActivation): void {
      assertEquals(a.Routes().map((route) => route.Path), ["/a"]);
      assertEquals(a.Singleton(), false);
      assertEquals(a.Dependencies().Has(Service), true);
      assertEquals(a.Dependencies().Has(After), false);
      a.Handle("GET", "/again", "GetA");
      a.Router().Get("/standard", (ctx) => ctx.Text("standard"));
      assertThrows(() => kept?.Add(new Service()), fw.FrameworkError, "the controller is activated");
      assertThrows(() => kept?.Remove(Service), fw.FrameworkError, "the controller is activated");
    }
    GetA(): string {
      return "a";
    }
  }
  const app = quietApp();
  mvc.New(app).Register(new Service()).Handle(After);
  for (const [path, body] of [["/a", "a"], ["/again", "a"], ["/standard", "standard"]]) {
    assertEquals((await ask(app, path ?? "")).body, body);
  }
  class Single {
    AfterActivation(a: mvc.AfterActivation): void {
      assertEquals(a.Singleton(), true);
    }
    Get(): void {}
  }
  mvc.New(quietApp()).Handle(new Single());
});

Deno.test("Handle() rejects invalid routes and values that are not controllers", () => {
  class Bad {
    GetBy(): void {}
  }
  const m = mvc.New(quietApp());
  assertThrows(() => m.Handle(Bad), fw.FrameworkError, 'Cannot route "Bad.GetBy"');
  assertThrows(
    () => m.Handle({ GetBy: ((_id: string) => {}).bind(null) }),
    fw.FrameworkError,
    "its arguments are not known",
  );
  assertThrows(() => m.Handle((() => {}) as never), fw.FrameworkError, "it is neither a class nor an instance");
  class Needy {
    constructor(_id: number) {}
  }
  assertThrows(() => m.Handle(Needy as never), fw.FrameworkError, "its constructor is called without arguments");
});

Deno.test("Handle() binds path arguments after the party's parameters, which may have the same names", async () => {
  class Posts {
    GetBy(id = 0, ctx = mvc.Inject(fw.Context)): unknown {
      return [id, ctx.Params().Entries()];
    }
    GetPageByOfBy(page = 0, name: string): unknown {
      return [page, name];
    }
  }
  const app = quietApp();
  mvc.New(app.Party("/users/{id:long}/{team}")).Handle(Posts as new () => Record<never, never>);
  assertEquals(
    (await ask(app, "/users/7/red/3")).body,
    '[3,[["id","7"],["team","red"],["id2","3"]]]',
  );
  assertEquals((await ask(app, "/users/7/red/page/2/of/a%2Fb")).body, '[2,"a/b"]');
});

Deno.test("Handle() logs each route of the controller at debug level", () => {
  const lines: string[] = [];
  class Users {
    Get(): void {}
    AnyPing(): void {}
    PostBy(id = 0n): string {
      return String(id);
    }
  }
  for (const level of ["info", "debug"] as const) {
    const app = fw.New();
    app.Logger().SetLevel(level).SetOutput((line: string) => void lines.push(line.replace(/^.*\d\d:\d\d:\d\d /, "")));
    mvc.New(app.Party("/users")).Handle(Users);
    app.Build();
    app.Logger().Flush();
  }
  assertEquals(lines.map((line) => line.trimEnd()), [
    "Controller Users serves",
    "  GET   /users            Get",
    "  ANY   /users/ping       AnyPing",
    "  POST  /users/{id:long}  PostBy",
  ]);
});

Deno.test("Handle() serves minified controllers", async () => {
  function later(_ctx: fw.Context): Service {
    return new Service("later");
  }
  const text =
    "return class{s=t(e);GetBy(t=0n,e=!1,n=1e3,r=''){return[typeof t,typeof e,typeof n,typeof r,this.s.name]}" +
    "PostBy(n=0n,r=t(i),o=(0,t)(e)){return[String(n),r.name,o.name]}}";
  const Minified = new Function("t", "e", "i", text)(mvc.Inject, Service, later) as new () => Record<never, never>;
  const app = quietApp();
  mvc.New(app).Register(new Service(), later).Handle(Minified);
  assertEquals(app.Routes().map((route) => route.Path), ["/{t:long}/{e:bool}/{n:int}/{r:string}", "/{n:long}"]);
  assertEquals((await ask(app, "/1/true/3/x")).body, '["bigint","boolean","number","string","application"]');
  assertEquals((await ask(app, "/7", "POST")).body, '["7","later","application"]');
});
