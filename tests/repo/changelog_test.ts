import { assertEquals } from "@std/assert";

const changelog = await Deno.readTextFile(new URL("../../CHANGELOG.md", import.meta.url));

/** Returns the list items and table rows of a section, each on one line. */
function entriesOf(section: string): string[] {
  const found = section.matchAll(/^(?:- .*(?:\n {2}.*)*|\|.*\|)$/gm);
  return [...found].map(([entry]) => entry.replaceAll(/\s+/g, " "));
}

/** Returns the words of an entry, to compare entries that only differ in their wording. */
function wordsOf(entry: string): Set<string> {
  return new Set(entry.toLowerCase().match(/[\w`.]+/g));
}

Deno.test("CHANGELOG.md contains no entry twice in a release", () => {
  for (const section of changelog.split(/^## /m).slice(1)) {
    const entries = entriesOf(section).filter((entry) => !/^\|[\s|-]*$/.test(entry));
    assertEquals(entries.filter((entry, at) => entries.indexOf(entry) !== at), [], section.split("\n", 1)[0]);
  }
});

Deno.test("CHANGELOG.md contains no entry twice in other words", () => {
  const alike: string[] = [];
  for (const section of changelog.split(/^## /m).slice(1)) {
    const entries = entriesOf(section).filter((entry) => entry.startsWith("- "));
    const words = entries.map(wordsOf);
    for (let at = 1; at < entries.length; at++) {
      const [before, own] = [words[at - 1] ?? new Set(), words[at] ?? new Set()];
      if (own.intersection(before).size / own.union(before).size > 0.75) alike.push(entries[at] ?? "");
    }
  }
  assertEquals(alike, []);
});

Deno.test("CHANGELOG.md has one table for each list of migrations", () => {
  for (const section of changelog.split(/^##+ /m).slice(1)) {
    const heads = section.match(/^\| *Before *\|/gm) ?? [];
    assertEquals(heads.length > 1, false, section.split("\n", 1)[0]);
  }
});

Deno.test("CHANGELOG.md has at most 250 lines, and begins with what is breaking", () => {
  assertEquals(changelog.split("\n").length <= 250, true);
  const [, unreleased = ""] = changelog.split(/^## /m);
  // Not every release breaks something.
  const headings = Array.from(unreleased.matchAll(/^### (.+)$/gm), ([, heading]) => heading);
  assertEquals(headings.indexOf("Breaking") <= 0, true);
});
