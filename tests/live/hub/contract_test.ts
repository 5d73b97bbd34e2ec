import { assertEquals, assertNotEquals } from "@std/assert";
import type { Entry, Listener } from "../../../src/live/hub/backplane.ts";
import { testEach } from "./backplanes.ts";

const kept = { History: 100, For: 60_000 };

/** Collects received messages and waits for a number of them. */
class Ear implements Listener {
  readonly heard: Entry[] = [];
  #wake: (() => void) | undefined = undefined;

  Receive(_epoch: string, entry: Entry): void {
    this.heard.push(entry);
    this.#wake?.();
  }

  Missed(): void {}

  async until(count: number): Promise<Entry[]> {
    while (this.heard.length < count) await new Promise<void>((resolve) => this.#wake = resolve);
    return this.heard;
  }
}

testEach("Backplane.Publish() numbers messages from 1 and delivers them to listeners", async ({ one, other }) => {
  const ear = new Ear();
  await other.Listen("tea", ear);
  await other.Read("tea", Infinity, 1);
  const first = await one.Publish("tea", "a", kept);
  const second = await other.Publish("tea", "b \u{1f375} : {}", kept);
  assertEquals([first.Offset, second.Offset, first.Epoch], [1, 2, second.Epoch]);
  assertEquals(await ear.until(2), [{ Offset: 1, Payload: "a" }, { Offset: 2, Payload: "b \u{1f375} : {}" }]);
});

testEach("Backplane.Read() returns the stored messages after an offset", async ({ one, other }) => {
  for (const payload of ["a", "b", "c"]) await one.Publish("tea", payload, kept);
  const log = await other.Read("tea", 1, 10);
  assertEquals([log.Offset, log.Entries.map(({ Payload }) => Payload)], [3, ["b", "c"]]);
  assertEquals((await other.Read("tea", 0, 2)).Entries.map(({ Offset }) => Offset), [1, 2]);
  assertEquals((await other.Read("tea", 3, 10)).Entries, []);
  assertEquals((await other.Read("tea", Infinity, 1)).Entries, []);
});

testEach("Backplane.Publish() stores at most History messages", async ({ one, other }) => {
  for (let i = 1; i <= 30; i++) await one.Publish("tea", String(i), { History: 10, For: 60_000 });
  assertEquals((await other.Read("tea", 0, 100)).Entries.map(({ Offset }) => Offset), [
    21,
    22,
    23,
    24,
    25,
    26,
    27,
    28,
    29,
    30,
  ]);
  await one.Publish("bare", "x", { History: 0, For: 0 });
  const log = await other.Read("bare", 0, 10);
  assertEquals([log.Offset, log.Entries], [1, []]);
});

testEach("Backplane.Publish() neither loses nor duplicates any of 500 concurrent messages", async ({ one, other }) => {
  const sent = await Promise.all(
    Array.from(
      { length: 500 },
      (_, i) => (i % 2 ? one : other).Publish("many", String(i), { History: 1000, For: 60_000 }),
    ),
  );
  assertEquals(sent.map(({ Offset }) => Offset).sort((a, b) => a - b), Array.from({ length: 500 }, (_, i) => i + 1));
  const stored = (await one.Read("many", 0, 1000)).Entries;
  assertEquals(new Set(stored.map(({ Payload }) => Payload)).size, 500);
});

testEach("Backplane channels are separate, even if their names differ only in braces", async ({ one, other }) => {
  await one.Publish("a{b}", "braces", kept);
  await one.Publish("a_b_", "lines", kept);
  assertEquals((await other.Read("a{b}", 0, 10)).Entries.map(({ Payload }) => Payload), ["braces"]);
});

testEach("Backplane.Unlisten() stops the delivery", async ({ one, other }) => {
  const ear = new Ear();
  await other.Listen("tea", ear);
  await one.Publish("tea", "a", kept);
  await ear.until(1);
  other.Unlisten("tea");
  await one.Publish("tea", "b", kept);
  await other.Read("tea", 0, 10);
  assertEquals(ear.heard.length, 1);
});

testEach("Backplane.Rows() returns only rows of processes with a valid lease", async ({ one, other }) => {
  await one.Renew("node1", 60_000);
  await one.Put("room", "node1", "a", "ada");
  await one.Put("room", "node2", "b", "bob");
  assertEquals([...await other.Rows("room")], [["a", "ada"]]);
  await one.Put("room", "node1", "a", null);
  assertEquals([...await other.Rows("room")], []);
});

testEach(
  "Backplane.Claim() succeeds for exactly one caller, and the others receive the value of Settle()",
  async ({ one, other }) => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) => Promise.resolve((i % 2 ? one : other).Claim("key", "", 60_000))),
    );
    assertEquals(claims.filter((each) => each === null).length, 1);
    await one.Settle("key", "done", 60_000);
    assertEquals(await other.Claim("key", "", 60_000), "done");
    assertNotEquals(await other.Claim("other", "", 60_000), "done");
    await one.Settle("key", null, 60_000);
    assertEquals(await other.Claim("key", "again", 60_000), null);
    assertEquals(await one.Claim("key", "", 60_000), "again");
  },
);

testEach("Backplane separates channels with similar names", async ({ one, other }) => {
  const spellings = ["\nall\n0", "\nall\n1", "all", "a b", "a.b", "a*", "*", ">", "{a}", "_a_", "a:n", "a"];
  const names = [...spellings, "\u{1f375}", "x".repeat(500)];
  for (const [at, name] of names.entries()) {
    const ear = new Ear();
    await other.Listen(name, ear);
    await other.Read(name, Infinity, 1);
    await one.Publish(name, String(at), kept);
    await ear.until(1);
  }
  for (const [at, name] of names.entries()) {
    assertEquals((await other.Read(name, 0, 10)).Entries, [{ Offset: 1, Payload: String(at) }], name);
  }
});
