import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));

for (const page of [".github/AGENTS.md", ".github/ARCHITECTURE.md", ".github/CONTRIBUTING.md"]) {
  Deno.test(`${page} only mentions files and tasks that exist`, async () => {
    const text = await Deno.readTextFile(join(root, page));
    const paths = new Set(text.match(/(?<![\w/.])(?:src|mvc|tests|examples)\/[\w./-]*\w\/?(?:\.\w+)?/g));
    assert(paths.size > 1);
    const missing: string[] = [];
    for (const path of paths) {
      try {
        await Deno.lstat(join(root, path));
      } catch {
        missing.push(path);
      }
    }
    assertEquals(missing, []);
    const { tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
    const named = Array.from(text.matchAll(/deno task ([\w:]+)/g), ([, name]) => name ?? "");
    assertEquals(named.filter((name) => !Object.hasOwn(tasks, name)), []);
  });
}

Deno.test("ARCHITECTURE.md lists every folder that has a layer", async () => {
  const text = await Deno.readTextFile(join(root, ".github/ARCHITECTURE.md"));
  const table = await Deno.readTextFile(join(root, "tests/lint/layers.ts"));
  const folders = Array.from(table.matchAll(/^ {2}"([\w./]+)": [\d.]+,$/gm), ([, folder]) => folder ?? "");
  assert(folders.length > 15);
  // The page mentions the many subfolders of src/middleware in one sentence.
  const shown = folders.filter((folder) => !folder.startsWith("src/middleware/"));
  assertEquals(shown.filter((folder) => !text.includes(folder)), []);
});
