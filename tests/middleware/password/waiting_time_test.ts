import { assert, assertEquals, assertRejects } from "@std/assert";
import type { HTTPError } from "../../../src/base/errors/errors.ts";
import { WaitingTime } from "../../../src/middleware/password/waiting_time.ts";

/** Computations that end one after another, each after the same time. */
class Line {
  time = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #each: number;

  constructor(each: number) {
    this.#each = each;
  }

  enter(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends computations until none is waiting. */
  async endAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.time += this.#each;
      next();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  }
}

/** Sends computations at once, and returns how many were admitted and the reasons of the others. */
async function burst(limit: WaitingTime, line: Line, count: number): Promise<[admitted: number, refused: HTTPError[]]> {
  const refused: HTTPError[] = [];
  const all = Array.from({ length: count }, () =>
    limit.run(() => line.enter()).catch((error) => {
      refused.push(error);
    }));
  await line.endAll();
  await Promise.all(all);
  return [count - refused.length, refused];
}

Deno.test("WaitingTime admits as many computations as can end in time, regardless of the duration of one", async () => {
  for (const [each, expected] of [[20, 100], [100, 20], [500, 4]] as const) {
    const line = new Line(each);
    const limit = new WaitingTime(2_000, () => line.time);
    // The first ones are only estimated.
    for (let round = 0; round < 6; round++) await burst(limit, line, 10);
    const [admitted, refused] = await burst(limit, line, 500);
    assert(Math.abs(admitted - expected) <= expected * 0.2 + 1, `${each} ms: ${admitted} of ${expected}`);
    const [first] = refused;
    assertEquals([first?.Status, first?.Code], [503, "FW_AUTH"]);
    assert(Math.abs((first?.RetryAfter ?? 0) - 2_000) <= 600, `${first?.RetryAfter}`);
  }
});

Deno.test("WaitingTime admits computations again after a burst, also if they fail", async () => {
  const line = new Line(100);
  const limit = new WaitingTime(1_000, () => line.time);
  await burst(limit, line, 300);
  await assertRejects(() => limit.run(() => Promise.reject(new Error("no salt"))), Error, "no salt");
  assertEquals(await limit.run(() => Promise.resolve("hash")), "hash");
});
