import { assertEquals, assertRejects } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { AsyncContext, inContext, runShared } from "../../../src/base/async/async_context.ts";

const users = new AsyncLocalStorage<string>();

Deno.test("AsyncContext.run() runs each function in the context in which the object was created", async () => {
  const bob = users.run("bob", () => new AsyncContext());
  const seen = await users.run(
    "ann",
    () => Promise.all([1, 2, 3].map((each) => bob.run(() => `${each} ${users.getStore()}`))),
  );
  assertEquals(seen, ["1 bob", "2 bob", "3 bob"]);
  assertEquals(await bob.run(() => users.getStore()), "bob");
});

Deno.test("AsyncContext.run() keeps the context after an await and does not change the caller's", async () => {
  const bob = users.run("bob", () => new AsyncContext());
  await users.run("ann", async () => {
    const seen = await bob.run(async () => {
      await Promise.resolve();
      return users.getStore();
    });
    assertEquals([seen, users.getStore()], ["bob", "ann"]);
  });
});

Deno.test("AsyncContext.run() can be called by a function that it runs", async () => {
  const bob = users.run("bob", () => new AsyncContext());
  assertEquals(await bob.run(() => users.run("ann", () => bob.run(() => users.getStore()))), "bob");
});

Deno.test("AsyncContext.run() rejects with what the function throws, and runs the next function", async () => {
  const bob = users.run("bob", () => new AsyncContext());
  const failed = bob.run(() => {
    throw new TypeError("no");
  });
  const next = bob.run(() => users.getStore());
  await assertRejects(() => failed, TypeError, "no");
  assertEquals(await next, "bob");
});

Deno.test("inContext() returns a function that runs in the current context", async () => {
  const later = users.run("bob", () => inContext(() => users.getStore()));
  assertEquals(await users.run("ann", () => later()), "bob");
  assertEquals(await later(), "bob");
});

Deno.test("runShared() runs a function outside the context of its caller", async () => {
  assertEquals(await users.run("bob", () => runShared(() => users.getStore() ?? "nobody")), "nobody");
});
