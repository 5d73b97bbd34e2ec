import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import * as jobs from "@fw/web/jobs";

Deno.test("Queue.Drain() runs a job that was just added, however long the process pauses while it reads the time", async () => {
  const ran: number[] = [];
  function brew(at: number): void {
    ran.push(at);
  }
  const queue = jobs.New(jobs.NewMemory()).Handle(brew);
  // The process seems to pause between any two readings of the monotonic clock.
  let elapsed = performance.now();
  const now = Date.now();
  using _wall = stub(Date, "now", () => now);
  using _monotonic = stub(performance, "now", () => elapsed += 3);
  await queue.Add(brew, 1);
  assertEquals((await queue.List({ State: "waiting" }))[0]?.Due, now);
  await queue.Drain();
  assertEquals(ran, [1]);
});
