import { assertEquals, assertThrows } from "@std/assert";
import { newStandIn, probeConstructor, probeDefaults, StandInUsed } from "../../../mvc/inject/probe.ts";
import * as mvc from "../../../mvc/mod.ts";
import { parametersOf } from "../../../src/base/signature/signature.ts";
import type * as fw from "../../../mod.ts";
import { quietApp } from "../serve.ts";

class Users {
  readonly count: number = 1;
}

Deno.test("probeConstructor() discovers the injections of fields and arguments", () => {
  class Controller {
    users = mvc.Inject(Users);
    constructor(readonly_ = mvc.InjectOptional(Request)) {
      void readonly_;
    }
  }
  const { asks, instance, failure } = probeConstructor(Controller);
  assertEquals(asks.map(({ token, where, isOptional }) => [token, where, isOptional]), [
    [Users, 'field "users"', false],
    [Request, "the constructor", true],
  ]);
  assertEquals([instance instanceof Controller, failure], [true, undefined]);
});

Deno.test("probeConstructor() looks at each field once, however many dependencies there are", () => {
  let looks = 0;
  class Controller {
    constructor() {
      for (let at = 0; at < 100; at++) Object.assign(this, { [`users${at}`]: mvc.Inject(Users) });
      Object.assign(this, { again: Reflect.get(this, "users7") });
      return new Proxy(this, {
        getOwnPropertyDescriptor(target, name) {
          looks++;
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
      });
    }
  }
  const { asks } = probeConstructor(Controller);
  assertEquals([asks.length, asks[0]?.where, asks[7]?.where], [100, 'field "users0"', 'field "users7"']);
  assertEquals(looks, 101);
});

Deno.test("probeConstructor() stops when a dependency is used, and reports the constructor's own errors", () => {
  class Using {
    count = mvc.Inject(Users).count;
    request = mvc.Inject(Request);
  }
  assertEquals(probeConstructor(Using).asks.map((ask) => ask.token), [Users]);
  class Broken {
    constructor() {
      throw new Error("broken");
    }
  }
  assertEquals((probeConstructor(Broken).failure?.thrown as Error).message, "broken");
});

Deno.test("probeDefaults() plans the dependencies before the first call that may be an alias", () => {
  const use = mvc.Inject;
  function method(_a = mvc.Inject(Users), _b = mvc.Inject(Users).count, _c = use(Users), _d = mvc.Inject(Request)) {}
  const asks = probeDefaults(method, parametersOf(method) ?? [], "method");
  assertEquals(asks.map(({ token, argument, isPlanned }) => [token, argument, isPlanned]), [
    [Users, 0, true],
    [Users, -1, true],
    [Request, -1, false],
  ]);
});

/** Functions of another library that have the same names as fw's injecting functions. */
const other = {
  Inject: (token: unknown) => token,
  Body: (schema: unknown) => schema,
  mvc: { Inject: (token: unknown) => token },
};
const { Inject, Body } = other;

Deno.test("Build() never runs the body of a function that calls the Inject of another library", () => {
  let ran = 0;
  class Controller {
    Get(_a = other.Inject(Users)): void {
      ran++;
    }
    GetBare(_a = Inject(Users)): void {
      ran++;
    }
    GetNested(_a = other.mvc.Inject(Users)): void {
      ran++;
    }
    Post(_a = other.Body(Users), _b = Body(Users)): void {
      ran++;
    }
    GetBoth(_a = mvc.Inject(Users), _b = Inject(Users)): void {
      ran++;
    }
    BeginRequest(_ctx: fw.Context, _a = Inject(Users)): void {
      ran++;
    }
  }
  function provider(_ctx: fw.Context, of = Inject(Users)): unknown {
    ran++;
    return of;
  }
  const app = quietApp();
  mvc.New(app).Register(new Users(), provider).Handle(Controller);
  app.ConfigureContainer().Get("/plain", (_ctx, of = Inject(Users), more = other.Inject(provider)) => {
    ran++;
    return [of, more];
  });
  app.Build();
  assertEquals(ran, 0);
});

Deno.test("newStandIn() returns an object that can be stored and compared, but throws when used", () => {
  const standIn = newStandIn("users") as { name: string } & Iterable<string>;
  const holder = { standIn };
  assertEquals(holder.standIn === standIn, true);
  const uses: (() => unknown)[] = [
    () => standIn.name,
    () => (standIn.name = "Ada"),
    () => "name" in standIn,
    () => [...standIn],
    () => `${standIn}`,
    () => Object.keys(standIn),
    () => Object.getPrototypeOf(standIn),
  ];
  for (const use of uses) assertThrows(use, StandInUsed, 'Cannot use "users" yet');
});

Deno.test("newStandIn() does not cause unhandled rejections", async () => {
  const standIn = newStandIn("users") as { name: string };
  void Promise.resolve().then(() => standIn.name);
  void Promise.resolve().then(() => standIn.name).catch((cause) => Promise.reject(new Error("wrapped", { cause })));
  await new Promise((done) => setTimeout(done));
});
