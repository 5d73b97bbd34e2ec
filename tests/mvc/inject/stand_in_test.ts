import { assertEquals, assertThrows } from "@std/assert";
import { newStandIn, StandInUsed } from "../../../mvc/inject/stand_in.ts";

Deno.test("newStandIn() can be stored and compared, and throws when it is used", () => {
  const standIn = newStandIn("users") as { name: string } & Iterable<string>;
  const holder = { standIn };
  assertEquals(holder.standIn === standIn, true);
  const uses: (() => unknown)[] = [
    () => standIn.name,
    () => (standIn.name = "Ada"),
    () => "name" in standIn,
    () => [...standIn],
    () => `${standIn}`,
    () => Object.keys(standIn),
    () => Object.getPrototypeOf(standIn),
  ];
  for (const use of uses) assertThrows(use, StandInUsed, 'Cannot use "users" yet');
});

Deno.test("newStandIn() leaves no unhandled rejection behind", async () => {
  const standIn = newStandIn("users") as { name: string };
  void Promise.resolve().then(() => standIn.name);
  void Promise.resolve().then(() => standIn.name).catch((cause) => Promise.reject(new Error("wrapped", { cause })));
  await new Promise((done) => setTimeout(done));
});
