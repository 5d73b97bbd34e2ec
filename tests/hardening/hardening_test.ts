import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fullName, groups } from "./attack.ts";
import { expectedFailures, platform } from "./known.ts";
import { runGroup } from "./runner.ts";
import { attacks } from "./table.ts";
import { Target } from "./target.ts";

const unheld = new Set([...expectedFailures, ...Object.keys(platform)]);

/** The server. It has to resist all groups of attacks, one after the other. */
let subject: Target;
Deno.test.beforeAll(async () => void (subject = await Target.start("subject.ts")));
Deno.test.afterAll(async () => await subject[Symbol.asyncDispose]());

for (const group of groups) {
  Deno.test(`Application resists the attacks in the group "${group}"`, async () => {
    const verdicts = await runGroup(subject, attacks, group);
    const failed = verdicts.filter(({ name, result }) => result === "failed" && !unheld.has(name));
    assertEquals(failed.map(({ name, reason }) => `${name}\n  ${reason}`), []);
    const held = verdicts.filter(({ name, result }) => result === "held" && unheld.has(name));
    assertEquals(held.map(({ name }) => name), [], "These rows hold now: take them off the lists in known.ts");
    const skipped = verdicts.filter(({ name, result }) => result === "n/a" && !unheld.has(name));
    assertEquals(skipped.map(({ name }) => name), [], "The subject lacks what these rows need");
  });
}

Deno.test("every row of the table has a unique name", () => {
  const names = groups.flatMap((group) => attacks[group].map((attack) => fullName(group, attack)));
  assertEquals(names.filter((name, at) => names.indexOf(name) !== at), []);
  assert(names.length >= 200, `${names.length}`);
});

Deno.test("every known failure is a row of the table", () => {
  const names = new Set(groups.flatMap((group) => attacks[group].map((attack) => fullName(group, attack))));
  assertEquals([...unheld].filter((name) => !names.has(name)), []);
});

Deno.test("README.md states the number of attacks, and how many of them the platform does not let fw resist", async () => {
  const text = (await Deno.readTextFile(new URL("../../README.md", import.meta.url))).replaceAll(/\s+/g, " ");
  const rows = groups.flatMap((group) => attacks[group]);
  const advisories = new Set(rows.flatMap((row) => row.advisory?.match(/CVE-\d+-\d+/g) ?? []));
  assertStringIncludes(text, `${rows.length} attacks`);
  assertStringIncludes(text, `${advisories.size} published advisories`);
  assertStringIncludes(text, `withstands all but ${Object.keys(platform).length}`);
});
