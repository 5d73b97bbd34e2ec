import { assertEquals } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import { TimeLimit } from "../../../src/state/store/time_limit.ts";

Deno.test("TimeLimit.begin() reports only calls that take too long", () => {
  using time = new PassingTime();
  const limit = new TimeLimit(1000);
  const late: string[] = [];
  const first = limit.begin(() => late.push("first"));
  limit.begin(() => late.push("second"));
  time.tick(500);
  limit.begin(() => late.push("third"));
  const fourth = limit.begin(() => late.push("fourth"));
  limit.end(first);
  time.tick(499);
  assertEquals(late, []);
  time.tick(1);
  assertEquals(late, ["second"]);
  time.tick(400);
  limit.end(fourth);
  time.tick(200);
  assertEquals(late, ["second", "third"]);
});

Deno.test("TimeLimit.begin() does not report calls because of a pause of this process", () => {
  using time = new PassingTime();
  const limit = new TimeLimit(1000);
  const late: string[] = [];
  const call = limit.begin(() => late.push("late"));
  // The timer fires after the pause, and the reply, which had already arrived, is read immediately afterwards.
  time.tick(951);
  limit.end(call);
  time.tick(5000);
  assertEquals(late, []);
});

Deno.test("TimeLimit.end() of the last call stops the timer", () => {
  const limit = new TimeLimit(60_000);
  const [one, two] = [limit.begin(() => {}), limit.begin(() => {})];
  limit.end(one);
  limit.end(two);
  limit.end(limit.begin(() => {}));
});
