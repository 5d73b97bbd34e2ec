import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";
import { bothWays } from "../serving.ts";
import { ask, quietApp } from "./serve.ts";

function redirect(): never {
  throw new Response(null, { status: 302, headers: { location: "/login" } });
}

bothWays(
  "A thrown Response is sent, from handlers, methods, fields, arguments, hooks and containers",
  () => {
    const app = quietApp();
    function guard(_ctx: fw.Context): string {
      return redirect();
    }
    async function lateGuard(_ctx: fw.Context): Promise<string> {
      await Promise.resolve();
      return redirect();
    }
    class Handling {
      HandleError(ctx: fw.Context): void {
        ctx.Text("not asked");
      }
    }
    class Method extends Handling {
      Get(): string {
        return redirect();
      }
    }
    class Field extends Handling {
      guard = mvc.Inject(guard);
      Get(): string {
        return this.guard;
      }
    }
    class Argument extends Handling {
      Get(_guard = mvc.Inject(lateGuard)): string {
        return "reached";
      }
    }
    class Beginning extends Handling {
      BeginRequest(): void {
        redirect();
      }
      Get(): string {
        return "reached";
      }
    }
    app.Get("/handler", () => redirect());
    app.Get("/async", async () => {
      await Promise.resolve();
      redirect();
    });
    app.Use((ctx) => ctx.Next());
    for (const type of [Method, Field, Argument, Beginning]) {
      mvc.New(app.Party(`/${type.name.toLowerCase()}`)).Register(guard, lateGuard).Handle(type);
    }
    app.ConfigureContainer().Register(guard).Get("/container", (_ctx, _guard = mvc.Inject(guard)) => "reached");
    return app;
  },
  async (ask) => {
    for (const path of ["handler", "async", "method", "field", "argument", "beginning", "container"]) {
      const { status, headers } = await ask(`/${path}`);
      assertEquals([status, headers.get("location")], [302, "/login"], path);
    }
  },
);

Deno.test("Stop() ends the request with the response written so far", async () => {
  const log: string[] = [];
  function user(ctx: fw.Context): string {
    const name = ctx.GetHeader("x-user");
    if (name !== "") return name;
    ctx.Redirect("/login");
    return mvc.Stop(ctx);
  }
  async function account(ctx: fw.Context, name = mvc.Inject(user)): Promise<string> {
    await Promise.resolve();
    if (name !== "Eve") return name;
    ctx.StopWithText(403, "no");
    return mvc.Stop(ctx);
  }
  class Pages {
    Get(name = mvc.Inject(account)): string {
      log.push(name);
      return name;
    }
    EndRequest(): void {
      log.push("end");
    }
  }
  const app = quietApp();
  mvc.New(app).Register(user, account).Handle(Pages);
  async function statusOf(name: string): Promise<number> {
    return (await app.fetch(new Request("http://localhost/", { headers: { "x-user": name } }))).status;
  }
  assertEquals([await statusOf(""), await statusOf("Eve"), await statusOf("Ada")], [302, 403, 200]);
  assertEquals(log, ["end", "end", "Ada", "end"]);
});

Deno.test("Handle() accepts middleware for individual methods and checks their names at compile time", async () => {
  const log: string[] = [];
  function requireAdmin(ctx: fw.Context): void | Promise<void> {
    log.push("admin");
    if (ctx.GetHeader("x-admin") === "") return ctx.StopWithStatus(403);
    return ctx.Next();
  }
  class Users {
    Get(): string {
      return "all";
    }
    DeleteBy(id = 0n): string {
      return `deleted ${id}`;
    }
    helper(): void {}
  }
  const app = quietApp();
  const m = mvc.New(app.Party("/users")).Handle(Users, { Use: { DeleteBy: [requireAdmin] } });
  m.Party("/single").Handle(mvc.Singleton(Users), { Use: { Get: [requireAdmin] } });
  m.Party("/instance").Handle(new Users(), { Use: { Get: [requireAdmin] } });
  assertEquals((await ask(app, "/users")).body, "all");
  assertEquals(log, []);
  assertEquals((await ask(app, "/users/7", "DELETE")).status, 403);
  assertEquals((await ask(app, "/users/single")).status, 403);
  assertEquals((await ask(app, "/users/instance")).status, 403);
  const other = mvc.New(quietApp());
  // @ts-expect-error There is no such method.
  assertThrows(() => other.Handle(Users, { Use: { Delete: [requireAdmin] } }), fw.FrameworkError, "it has no route");
  assertThrows(() => other.Handle(Users, { Use: { helper: [requireAdmin] } }), fw.FrameworkError, "it has no route");
  const bare = { Use: { Get: requireAdmin } } as unknown as Record<never, never>;
  assertThrows(() => mvc.New(quietApp()).Handle(Users, bare), fw.FrameworkError, "it must be an array of handlers");
});

Deno.test("Handle() reports anonymous controllers and accepts path arguments with one-letter names", async () => {
  const m = mvc.New(quietApp());
  assertThrows(() => m.Handle(class {}), fw.FrameworkError, 'Cannot serve "an anonymous controller"');
  class Short {
    GetBy(s: string, t: string): string {
      return `${s} ${t}`;
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Short);
  assertEquals((await ask(app, "/a/b")).body, "a b");
});
