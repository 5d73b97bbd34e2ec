/** The house as a whole: its rooms, the first sentence of each file, and where its tests lie. */

import { assertEquals, assertGreater } from "@std/assert";
import { walk } from "@std/fs/walk";
import { basename, dirname, fromFileUrl, join, relative } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));

async function filesBelow(...folders: string[]): Promise<string[]> {
  const files: string[] = [];
  for (const folder of folders) {
    for await (const { path } of walk(join(root, folder), { includeDirs: false, exts: ["ts"] })) {
      files.push(relative(root, path).replaceAll("\\", "/"));
    }
  }
  return files;
}

Deno.test("no folder of the house holds more than 25 files", async () => {
  const folders = Map.groupBy(await filesBelow("src", "mvc"), dirname);
  assertGreater(folders.size, 10);
  assertEquals([...folders].filter(([, files]) => files.length > 25).map(([folder]) => folder), []);
});

Deno.test("every file of the house begins with what it is for", async () => {
  const silent: string[] = [];
  for (const file of await filesBelow("src", "mvc")) {
    const text = await Deno.readTextFile(join(root, file));
    if (!/^(?:\/\/ deno-lint-ignore-file .*\n)?\/\*\*\n \* [A-Z`][\s\S]*? \* @module\n \*\/\n/.test(text)) {
      silent.push(file);
    }
  }
  assertEquals(silent, []);
});

Deno.test("a test that has the name of a file lies where the file lies", async () => {
  const sources = await filesBelow("src", "mvc");
  const folders = new Set(Array.from(Deno.readDirSync(join(root, "tests")), ({ name }) => `tests/${name}`));
  const rooms = [...new Set(sources.map((file) => roomOf(mirrorOf(file)))).intersection(folders)];
  const mirrors = new Map<string, string[]>();
  for (const mirror of sources.map(mirrorOf)) {
    mirrors.set(basename(mirror), [...mirrors.get(basename(mirror)) ?? [], mirror]);
  }
  const tests = await filesBelow(...rooms.filter((room) => room !== "tests/lint"));
  const astray = tests.filter((test) => mirrors.has(basename(test)) && !mirrors.get(basename(test))?.includes(test));
  assertGreater(tests.length, 100);
  assertEquals(astray, []);
});

/** Where the tests of a file lie: `tests/app/party_test.ts` for `src/app/party.ts`. */
function mirrorOf(file: string): string {
  return `tests/${file.replace(/^src\//, "").replace(/\.ts$/, "_test.ts")}`;
}

function roomOf(mirror: string): string {
  return mirror.split("/").slice(0, 2).join("/");
}
