/** The words of the house: what CONTRIBUTING.md says of English, held by a test. */

import { assertEquals } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl, relative } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));
const places = ["src", "mvc", "examples", ".github", "mod.ts", "README.md"];

/** What is not written, and what is written instead. */
const words: readonly [found: RegExp, instead: string][] = [
  [/\banswer(?:s|ed|ing)?\b/i, "response, responds with, returns"],
  [
    /(?<!passwordTest\(")\b(?:nobody|whoever|somebody|everybody)\b/i,
    "no caller, the caller, one of the handlers, all clients",
  ],
  [/(?<!\bthere) (?:is|are|was|were) no (?!longer\b)/i, "is not a"],
  [/\bonce a request\b|\bone a request\b| [µn]s a request\b/i, "per request"],
];

async function* textFiles(): AsyncGenerator<string> {
  for (const place of places) {
    const path = `${root}${place}`;
    if ((await Deno.stat(path)).isFile) yield path;
    else for await (const entry of walk(path, { exts: ["ts", "md", "html"], includeDirs: false })) yield entry.path;
  }
}

Deno.test("Comments, texts and messages use the words of the house", async () => {
  const found: string[] = [];
  for await (const path of textFiles()) {
    for (const [at, line] of (await Deno.readTextFile(path)).split("\n").entries()) {
      for (const [word, instead] of words) {
        const match = word.exec(line);
        if (match !== null) found.push(`${relative(root, path)}:${at + 1} "${match[0].trim()}": write ${instead}`);
      }
    }
  }
  assertEquals(found, []);
});
