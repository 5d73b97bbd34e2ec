import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import * as fw from "../../../mod.ts";
import { HTTPError } from "../../../src/base/errors/errors.ts";
import { StoreGuard } from "../../../src/state/store/store_guard.ts";
import { linesWith, logOf } from "./kept_log.ts";

Deno.test("StoreGuard.read() does not end an outage because of a late success of an earlier call", async () => {
  const app = fw.New();
  const log = logOf(app);
  const guard = new StoreGuard("session store", "FW_SESSION");
  const request = { Logger: () => app.Logger() };
  const early = Promise.withResolvers<number>();
  const late = guard.read(request, () => early.promise);
  const failing = () => guard.read(request, () => Promise.reject(new Error("gone")));
  await assertRejects(async () => await failing(), HTTPError);
  early.resolve(1);
  assertEquals(await late, 1);
  await assertRejects(async () => await failing(), HTTPError);
  app.Logger().Flush();
  assertEquals(log.length > 0 && linesWith(log, "Cannot reach the session store"), 1);
  assertEquals(linesWith(log, "The session store is back"), 0);
});

Deno.test("StoreGuard.read() does not end an outage of writes when it succeeds", () => {
  const app = fw.New();
  const log = logOf(app);
  const guard = new StoreGuard("session store", "FW_SESSION");
  const request = { Logger: () => app.Logger() };
  for (let i = 0; i < 1000; i++) {
    assertEquals(guard.read(request, () => i), i);
    assertThrows(() => guard.write(request, () => fail("full")), HTTPError);
  }
  app.Logger().Flush();
  assertEquals(linesWith(log, "Cannot write to the session store, requests get 503 until it is back"), 1);
  assertEquals(linesWith(log, "is back\n") + linesWith(log, "The session store is back"), 0);
  assertEquals(guard.write(request, () => 1), 1);
  app.Logger().Flush();
  assertEquals(linesWith(log, "The session store is back"), 1);
});

Deno.test("StoreGuard.write() and read() that fail together are one outage, which ends when both succeed", () => {
  const app = fw.New();
  const log = logOf(app);
  const guard = new StoreGuard("session store", "FW_SESSION");
  const request = { Logger: () => app.Logger() };
  assertThrows(() => guard.read(request, () => fail("gone")), HTTPError);
  assertThrows(() => guard.write(request, () => fail("gone")), HTTPError);
  guard.write(request, () => 1);
  assertEquals(linesWith(log, "The session store is back"), 0);
  guard.read(request, () => 1);
  assertEquals(log.filter((line) => line.startsWith("[")).length, 2, log.join("\n"));
});

Deno.test("StoreGuard.write() logs only a few lines per second for an unstable store", () => {
  using time = new PassingTime();
  const app = fw.New();
  const log = logOf(app);
  const guard = new StoreGuard("session store", "FW_SESSION");
  const request = { Logger: () => app.Logger() };
  for (let i = 0; i < 1000; i++) {
    assertThrows(() => guard.write(request, () => fail("flapping")), HTTPError);
    guard.write(request, () => i);
    time.tick(5);
  }
  const heads = log.filter((line) => line.startsWith("["));
  assert(heads.length >= 4 && heads.length <= 12, `${heads.length} lines in five seconds`);
});

function fail(message: string): never {
  throw new Error(message);
}
