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

Deno.test("ARCHITECTURE.md has a paragraph for every room, which names its folders", async () => {
  const text = await Deno.readTextFile(join(root, ".github/ARCHITECTURE.md"));
  const paragraphs = new Map(
    Array.from(
      text.matchAll(/^- \*\*`([\w/]+)\/`\*\*([\s\S]*?)(?=^- |^$)/gm),
      ([, room = "", words = ""]) => [room, words],
    ),
  );
  const rooms = Array.from(Deno.readDirSync(join(root, "src")), ({ name }) => `src/${name}`);
  assert(rooms.length <= 12, rooms.join());
  for (const room of [...rooms, "mvc"].filter((each) => each !== "src/browser")) {
    const words = paragraphs.get(room) ?? "";
    // The page mentions the many subfolders of src/middleware in one sentence.
    const folders = room === "src/middleware" ? [] : Array.from(Deno.readDirSync(join(root, room)));
    const unnamed = folders.filter(({ name, isDirectory }) => isDirectory && !words.includes(`\`${name}\``));
    assertEquals([words !== "", unnamed.map(({ name }) => name)], [true, []], room);
  }
});
