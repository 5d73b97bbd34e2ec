import { assertEquals } from "@std/assert";
import { ExpiringRows } from "../../../src/state/sessions/expiring_rows.ts";

const none: ReadonlyMap<string, string> = new Map();

/** Creates rows that all expire at the same time. */
function filled(count: number, expires: number): ExpiringRows {
  const rows = new ExpiringRows();
  for (let i = 0; i < count; i++) rows.add(`id ${i}`, none, expires);
  return rows;
}

Deno.test("ExpiringRows.sweep() removes all expired rows in half as many calls as there are rows", () => {
  const rows = filled(100, 5);
  rows.add("late", none, 50);
  for (let i = 0; i < 51; i++) rows.sweep(10);
  assertEquals([rows.size, rows.find("late", 10)?.id], [1, "late"]);
});

Deno.test("ExpiringRows.sweep() visits every row even if others are used and removed meanwhile", () => {
  const rows = filled(30, 50);
  for (let i = 0; i < 10; i++) rows.add(`short ${i}`, none, 5);
  for (let i = 0; i < 60; i++) {
    rows.sweep(10);
    const used = rows.find(`id ${i % 30}`, 10);
    if (used !== undefined && i % 7 !== 0) rows.touch(used);
    else if (used !== undefined) rows.remove(used);
  }
  assertEquals(Array.from({ length: 10 }, (_, i) => rows.find(`short ${i}`, 0)), new Array(10).fill(undefined));
});

Deno.test("ExpiringRows.removeOldest() removes the least recently used row", () => {
  const rows = filled(3, 50);
  const first = rows.find("id 0", 0);
  if (first !== undefined) rows.touch(first);
  rows.removeOldest();
  assertEquals(["id 0", "id 1", "id 2"].map((id) => rows.find(id, 0)?.id), ["id 0", undefined, "id 2"]);
});

Deno.test("ExpiringRows.find() removes an expired row", () => {
  const rows = filled(1, 5);
  assertEquals([rows.find("id 0", 5), rows.size], [undefined, 0]);
});

Deno.test("ExpiringRows.rename() keeps the row's position", () => {
  const rows = filled(2, 50);
  const first = rows.find("id 0", 0);
  if (first !== undefined) rows.rename(first, "other");
  rows.removeOldest();
  assertEquals([rows.size, rows.find("other", 0), rows.find("id 1", 0)?.id], [1, undefined, "id 1"]);
});

Deno.test("ExpiringRows stays consistent after any sequence of calls", () => {
  const rows = new ExpiringRows();
  const model: string[] = [];
  let seed = 7;
  function random(below: number): number {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % below;
  }
  for (let i = 0; i < 5000; i++) {
    const id = `id ${random(20)}`;
    const row = rows.find(id, 0);
    assertEquals(row !== undefined, model.includes(id));
    if (row === undefined) {
      rows.add(id, none, 9);
      model.push(id);
    } else if (random(2) === 0) {
      rows.touch(row);
      model.push(...model.splice(model.indexOf(id), 1));
    } else {
      rows.remove(row);
      model.splice(model.indexOf(id), 1);
    }
    if (random(10) === 0) {
      rows.removeOldest();
      model.shift();
    }
    rows.sweep(1);
    assertEquals(rows.size, model.length);
  }
});
