import { assertEquals, assertThrows } from "@std/assert";
import { noSteps } from "../../../mvc/inject/binding.ts";
import { checkAsks, treeOf } from "../../../mvc/inject/check.ts";
import { probeConstructor } from "../../../mvc/inject/probe.ts";
import * as mvc from "../../../mvc/mod.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import type { Context } from "../../../src/core/context/context.ts";
import { containerOf } from "./task_work.ts";

class Database {}
class Users {
  database = mvc.Inject(Database);
}
class Controller {
  users = mvc.Inject(Users);
}

function check(type: new () => object, ...dependencies: readonly unknown[]) {
  const asker = { asks: probeConstructor(type).asks, home: containerOf(...dependencies), plan: noSteps };
  checkAsks(type.name, asker);
  return asker;
}

function messageOf(type: new () => object, ...dependencies: readonly unknown[]): string {
  return assertThrows(() => check(type, ...dependencies), FrameworkError).message;
}

Deno.test("checkAsks() reports the path to a missing dependency", () => {
  assertEquals(
    messageOf(Controller, Users),
    'Cannot serve "Controller": field "database" of "Users" needs the dependency "Database", which is not registered ' +
      '(Controller → Users → Database); the registered dependencies are "Users"',
  );
});

Deno.test("checkAsks() reports a singleton that depends on a per-request value, and suggests a fix", () => {
  assertEquals(
    messageOf(Controller, Users, mvc.PerRequest(Database)),
    'Cannot create the singleton "Users": it depends on "Database", which is created per request ' +
      '(Controller → Users → Database); register mvc.PerRequest(Users), or pass "Database" to its methods',
  );
});

Deno.test("checkAsks() reports circular dependencies", () => {
  class Egg {
    chicken: unknown = mvc.Inject(Chicken);
  }
  class Chicken {
    egg: unknown = mvc.Inject(Egg);
  }
  class Farm {
    egg = mvc.Inject(Egg);
  }
  assertEquals(
    messageOf(Farm, Egg, Chicken),
    'Cannot create "Egg": circular dependency (Egg → Chicken → Egg)',
  );
});

Deno.test("checkAsks() creates synchronous singletons and reports those that throw", () => {
  let created = 0;
  check(Controller, mvc.Provide(Users, () => (created++, new Users())), Database);
  assertEquals(created, 1);
  assertEquals(
    messageOf(
      Controller,
      mvc.Provide(Users, () => {
        throw new Error("no disk");
      }),
    ),
    'Cannot create "Users": it throws (Controller → Users)',
  );
});

Deno.test("checkAsks() does not create asynchronous singletons", () => {
  let created = 0;
  async function open() {
    created++;
    return await Promise.resolve(new Database());
  }
  check(Controller, Users, mvc.Provide(Database, open));
  assertEquals(created, 0);
});

Deno.test("checkAsks() accepts a missing optional dependency", () => {
  class Optional {
    users = mvc.InjectOptional(Users);
  }
  assertEquals(check(Optional).asks[0]?.binding, undefined);
});

Deno.test("treeOf() lists dependencies with their reasons and lifetimes", () => {
  function user(_ctx: Context, _users = mvc.Inject(Users)): string {
    return "";
  }
  class Tree {
    user = mvc.Inject(user);
  }
  assertEquals(treeOf(check(Tree, user, Users, Database).asks), [
    'user (per request, field "user")',
    '  Users (singleton, argument 2 of "user")',
    '    Database (singleton, field "database" of "Users")',
  ]);
});
