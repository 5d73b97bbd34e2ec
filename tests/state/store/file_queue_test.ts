import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import { FileQueue } from "../../../src/state/store/file_queue.ts";

const locked = "database is locked";

/** An operation that fails as long as the file is locked, and records its attempts. */
class File {
  isHeld = true;
  tries: number[] = [];
  done: number[] = [];

  work(id: number): number {
    this.tries.push(id);
    if (this.isHeld) throw new Error(locked);
    this.done.push(id);
    return id;
  }
}

Deno.test("FileQueue.inTurn() runs the work immediately if the file is not locked", () => {
  assertEquals(new FileQueue().inTurn(() => 5), 5);
});

Deno.test("FileQueue.inTurn() retries for only one waiter, and runs all in order once the file is unlocked", async () => {
  using time = new PassingTime();
  const [queue, file] = [new FileQueue(), new File()];
  const waiting = Array.from({ length: 50 }, (_, id) => queue.inTurn(() => file.work(id)));
  assertEquals(file.tries, [0]);
  time.tick(300);
  assert(file.tries.length > 10 && file.tries.length < 70, `${file.tries.length} tries`);
  assertEquals(new Set(file.tries), new Set([0]));
  file.isHeld = false;
  time.tick(100);
  assertEquals(await Promise.all(waiting), file.done);
  assertEquals(file.done, Array.from({ length: 50 }, (_, id) => id));
  assertEquals(queue.inTurn(() => file.work(99)), 99);
});

Deno.test("FileQueue.inTurn() fails 900 ms after each call, and the error says why", async () => {
  using time = new PassingTime();
  const [queue, file] = [new FileQueue(), new File()];
  const early = queue.inTurn(() => file.work(0));
  time.tick(500);
  const late = queue.inTurn(() => file.work(1));
  const message = `Cannot use a SQLite file: ${locked}; another process has been writing for too long`;
  const refused = assertRejects(async () => await early, FrameworkError, message);
  time.tick(450);
  await refused;
  file.isHeld = false;
  time.tick(100);
  assertEquals(await late, 1);
});

Deno.test("FileQueue.inTurn() rejects with the error of the work and continues with the next", async () => {
  using time = new PassingTime();
  const [queue, file] = [new FileQueue(), new File()];
  const first = queue.inTurn(() => file.work(0));
  const broken = queue.inTurn(() => {
    throw new Error("no such table");
  });
  const last = queue.inTurn(() => file.work(2));
  file.isHeld = false;
  const refused = assertRejects(async () => await broken, Error, "no such table");
  time.tick(100);
  await refused;
  assertEquals([await first, await last], [0, 2]);
});

Deno.test("FileQueue.atOnce() does not wait for others if the file is unlocked", async () => {
  using time = new PassingTime();
  const [queue, file] = [new FileQueue(), new File()];
  const writing = queue.inTurn(() => file.work(0));
  assertEquals(queue.atOnce(() => "read"), "read");
  file.isHeld = false;
  time.tick(100);
  assertEquals(await writing, 0);
});
