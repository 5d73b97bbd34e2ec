import { assertEquals, assertThrows } from "@std/assert";
import { ask, enter, type Injector } from "../../../mvc/inject/inject.ts";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { ask as send, quietApp } from "../serve.ts";

class Cache {
  readonly size: number = 3;
}

Deno.test("ask() uses the active injector, and enter() returns the previous one", () => {
  const asked: unknown[] = [];
  const injector: Injector = { resolve: (token, isOptional) => asked.push([token, isOptional]) };
  const outer = enter(injector);
  assertEquals(outer, undefined);
  ask("a");
  mvc.InjectOptional(Cache);
  assertEquals(enter(outer), injector);
  assertEquals(asked, [["a", false], [Cache, true]]);
  assertThrows(() => ask(Cache), fw.FrameworkError, 'Cannot inject "Cache"');
});

Deno.test("InjectOptional() returns undefined for missing dependencies in fields, arguments and bodies", async () => {
  const greeting = mvc.Token<string>("greeting");
  function user(_ctx: fw.Context): string {
    return "Ada";
  }
  class Optional {
    cache = mvc.InjectOptional(Cache);
    Get(of = mvc.InjectOptional(greeting), name = mvc.InjectOptional(user)): unknown {
      const size: number | undefined = this.cache?.size;
      return [size ?? "none", of ?? "none", name ?? "none", mvc.InjectOptional(Cache)?.size ?? "none"];
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Optional).Party("/all").Register(new Cache(), mvc.Provide(greeting, "hi"), user).Handle(Optional);
  assertEquals((await send(app, "/")).body, '["none","none","none","none"]');
  assertEquals((await send(app, "/all")).body, '[3,"hi","Ada",3]');
});

Deno.test("InjectOptional() awaits a registered dependency and throws its error", async () => {
  async function slow(_ctx: fw.Context): Promise<Cache> {
    return await Promise.resolve(new Cache());
  }
  async function broken(_ctx: fw.Context): Promise<Cache> {
    return await Promise.reject(new fw.HTTPError(503, "broken"));
  }
  class Optional {
    Get(cache = mvc.InjectOptional(Cache)): string {
      return String(cache?.size);
    }
  }
  const app = quietApp();
  const m = mvc.New(app).Register(mvc.Provide(Cache, slow)).Handle(Optional);
  m.Party("/broken").Register(mvc.Provide(Cache, broken)).Handle(Optional);
  assertEquals([(await send(app, "/")).body, (await send(app, "/broken")).body], ["3", "broken"]);
});
