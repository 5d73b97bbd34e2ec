import { assertEquals, assertInstanceOf, assertStrictEquals } from "@std/assert";
import { LazyRoom, loadRooms } from "../../src/async/lazy_room.ts";

Deno.test("LazyRoom.get() loads once, and returns no promise afterwards", async () => {
  let loads = 0;
  const module = { name: "room" };
  const room = new LazyRoom(() => {
    loads++;
    return Promise.resolve(module);
  });
  const first = room.get();
  assertInstanceOf(first, Promise);
  assertStrictEquals(await first, module);
  assertStrictEquals(room.get(), module);
  assertEquals(loads, 1);
});

Deno.test("LazyRoom.get() tries again after a failure", async () => {
  let loads = 0;
  const room = new LazyRoom(() =>
    ++loads === 1 ? Promise.reject(new Error("too many open files")) : Promise.resolve(7)
  );
  assertEquals(await Promise.resolve(room.get()).catch(() => "failed"), "failed");
  assertEquals(await room.get(), 7);
});

Deno.test("loadRooms() loads what is not loaded yet", async () => {
  let loads = 0;
  const room = new LazyRoom(() => Promise.resolve(++loads));
  await loadRooms();
  await loadRooms();
  assertEquals(room.get(), 1);
});
