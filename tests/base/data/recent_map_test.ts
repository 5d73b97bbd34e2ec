import { assertEquals } from "@std/assert";
import { RecentMap } from "../../../src/base/data/recent_map.ts";
import { PassingTime } from "../../clocks.ts";

Deno.test("RecentMap.get() returns the value until it expires", () => {
  using time = new PassingTime();
  const map = new RecentMap<number>({ most: 10, lifetime: 100 });
  map.set("a", 1);
  assertEquals(map.get("a"), 1);
  time.tick(99);
  assertEquals(map.get("a"), 1);
  time.tick(1);
  assertEquals(map.get("a"), undefined);
  assertEquals(map.size, 0);
});

Deno.test("RecentMap.set() accepts an expiry time", () => {
  using time = new PassingTime();
  const map = new RecentMap<number>({ most: 10, lifetime: 100 });
  const expiry = performance.now() + 10;
  map.set("a", 1, expiry);
  assertEquals([map.expiryOf("a"), map.expiryOf("b")], [expiry, undefined]);
  time.tick(10);
  assertEquals(map.get("a"), undefined);
});

Deno.test("RecentMap.set() removes all entries if the map is full", () => {
  const map = new RecentMap<number>({ most: 2 });
  assertEquals(map.set("a", 1), false);
  assertEquals(map.set("b", 2), false);
  assertEquals(map.set("b", 3), false, "replacing an entry needs no room");
  assertEquals([map.get("a"), map.get("b")], [1, 3]);
  assertEquals(map.set("c", 4), true);
  assertEquals([map.get("a"), map.get("b"), map.get("c")], [undefined, undefined, 4]);
});

Deno.test("RecentMap.delete() removes an entry", () => {
  const map = new RecentMap<number>({ most: 2 });
  map.set("a", 1);
  assertEquals([map.delete("a"), map.delete("a"), map.get("a")], [true, false, undefined]);
});
