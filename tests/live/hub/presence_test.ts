import { assertEquals } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import { testEach } from "./backplanes.ts";

testEach("Presence lists the members of all processes, and reports changes", async ({ one, other }) => {
  const [here, there] = [new live.Hub({ Backplane: one }), new live.Hub({ Backplane: other })];
  const changes: string[][] = [];
  const changed: (() => void)[] = [];
  const until = async (count: number) => {
    while (changes.length < count) await new Promise<void>((resolve) => changed.push(resolve));
  };
  const stop = await there.Presence("tea").Watch(({ Members }) => {
    changes.push(Members.map(({ ID }) => ID).sort());
    for (const resolve of changed.splice(0)) resolve();
  });
  await here.Presence("tea").Add("a", { Name: "Ada" });
  await until(1);
  await there.Presence("tea").Add("b", { Name: "Bob" });
  await until(2);
  assertEquals(changes, [["a"], ["a", "b"]]);
  const members = await here.Presence("tea").List();
  assertEquals(members.map(({ Info }) => JSON.stringify(Info)).sort(), ['{"Name":"Ada"}', '{"Name":"Bob"}']);
  await here.Presence("tea").Remove("a");
  await until(3);
  assertEquals(changes.at(-1), ["b"]);
  stop();
  await there.Presence("tea").Remove("b");
  await here.Close();
  await there.Close();
});

testEach("Hub.Close() waits until members are removed, and reports nothing", async ({ one, other }) => {
  const reports: string[] = [];
  const OnError = (message: string, error: unknown) => void reports.push(`${message} ${error}`);
  const here = new live.Hub({ Backplane: one, OnError });
  const tea = here.Presence("tea");
  await Promise.all([tea.Add("a", 1), tea.Add("b", 2)]);
  const there = new live.Hub({ Backplane: other }).Presence("tea");
  assertEquals((await there.List()).length, 2);
  const removed = Promise.all([tea.Remove("a"), tea.Remove("b")]);
  await here.Close();
  await removed;
  assertEquals(await there.List(), []);
  assertEquals(reports, []);
});

testEach("Hub.Close() removes the members of its process, also those that are being added", async ({ one, other }) => {
  const reports: string[] = [];
  const OnError = (message: string, error: unknown) => void reports.push(`${message} ${error}`);
  const [here, there] = [new live.Hub({ Backplane: one, OnError }), new live.Hub({ Backplane: other })];
  const [joined, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stop = await there.Presence("tea").Watch(({ Joined, Left }) => {
    if (Joined.some(({ ID }) => ID === "a")) joined.resolve();
    if (Left.some(({ ID }) => ID === "a")) left.resolve();
  });
  await here.Presence("tea").Add("a", 1);
  // In memory, only one hub receives the messages of a room.
  if (one !== other) await joined.promise;
  const watching = await here.Presence("tea").Watch(() => {});
  const adding = here.Presence("tea").Add("b", 2);
  await here.Close();
  await adding;
  if (one !== other) await left.promise;
  watching();
  await here.Presence("tea").Remove("a");
  assertEquals(await there.Presence("tea").List(), []);
  assertEquals(reports, []);
  stop();
});
