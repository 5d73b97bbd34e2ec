import { assertEquals } from "@std/assert";
import * as live from "../../src/live/mod.ts";
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
