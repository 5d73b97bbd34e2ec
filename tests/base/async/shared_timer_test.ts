import { assertEquals } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { runShared } from "../../../src/base/async/async_context.ts";
import { startShared } from "../../../src/base/async/shared_timer.ts";

const users = new AsyncLocalStorage<string>();

Deno.test("startShared() starts a timer outside the context of its caller", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stop = users.run("bob", () => startShared(() => setInterval(() => resolve(users.getStore() ?? "nobody"), 1)));
  assertEquals(await promise, "nobody");
  stop();
});

Deno.test("startShared() does not start a timer that is stopped at once", async () => {
  let isStarted = false;
  const stop = startShared(() => {
    isStarted = true;
    return setTimeout(() => {});
  });
  stop();
  await runShared(() => {});
  assertEquals(isStarted, false);
});
