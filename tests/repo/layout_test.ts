/** The layout of the sources: the size of folders, module documentation, and the location of tests. */

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

Deno.test("no source folder contains more than 25 files", async () => {
  const folders = Map.groupBy(await filesBelow("src", "mvc"), dirname);
  assertGreater(folders.size, 10);
  assertEquals([...folders].filter(([, files]) => files.length > 25).map(([folder]) => folder), []);
});

Deno.test("every source file begins with module documentation", async () => {
  const silent: string[] = [];
  for (const file of await filesBelow("src", "mvc")) {
    const text = await Deno.readTextFile(join(root, file));
    if (!/^(?:\/\/ deno-lint-ignore-file .*\n)?\/\*\*\n \* [A-Z`][\s\S]*? \* @module\n \*\/\n/.test(text)) {
      silent.push(file);
    }
  }
  assertEquals(silent, []);
});

Deno.test("a test with the same name as a source file is in the corresponding folder", async () => {
  const sources = await filesBelow("src", "mvc");
  const folders = new Set(Array.from(Deno.readDirSync(join(root, "tests")), ({ name }) => `tests/${name}`));
  const tops = [...new Set(sources.map((file) => topFolderOf(mirrorOf(file)))).intersection(folders)];
  const mirrors = new Map<string, string[]>();
  for (const mirror of sources.map(mirrorOf)) {
    mirrors.set(basename(mirror), [...mirrors.get(basename(mirror)) ?? [], mirror]);
  }
  const tests = await filesBelow(...tops.filter((top) => top !== "tests/lint"));
  const astray = tests.filter((test) => mirrors.has(basename(test)) && !mirrors.get(basename(test))?.includes(test));
  assertGreater(tests.length, 100);
  assertEquals(astray, []);
});

/** Returns the path of the test for a file: `tests/core/app/party_test.ts` for `src/core/app/party.ts`. */
function mirrorOf(file: string): string {
  return `tests/${file.replace(/^src\//, "").replace(/\.ts$/, "_test.ts")}`;
}

function topFolderOf(mirror: string): string {
  return mirror.split("/").slice(0, 2).join("/");
}
