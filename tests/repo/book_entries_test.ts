/** The entry points of the book, as `deno doc` and JSR read them. */

import { cp } from "node:fs/promises";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join, toFileUrl } from "@std/path";
import { readBook } from "../book/pages.ts";
import { entryOf, writeBook } from "./book_entries.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Runs `deno doc` in a folder and returns its output. */
async function doc(cwd: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", ...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Returns Markdown without the targets of links, comment signs, invisible characters and repeated spaces. */
function plain(text: string): string {
  return text.replaceAll("\u200b", "").replaceAll(/-{3,}/g, "---")
    .replaceAll(/^```css\n\/\* (.+) \*\/$/gm, "`$1`:\n```css")
    .replaceAll(/^( *)\/\*\* (.+) \*\/$/gm, "$1// $2")
    .replaceAll(/\[((?:`[^`]*`|[^\]`])+)\]\([^)]*\)/g, "$1")
    .split(/\s+/).join(" ").trim();
}

Deno.test("writeBook() writes an entry point per page and an index that links to each of them once", async (t) => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "fw_entries_" }));
  try {
    for (const path of ["mod.ts", "mvc", "src", "README.md"]) {
      await cp(join(root, path), join(folder, path), { recursive: true });
    }
    const exports = await writeBook(folder);
    const pages = await readBook();
    const files = Object.values(exports);

    await t.step("deno doc shows the text of every page, and all links stay within the package", async () => {
      assertEquals(Object.keys(exports), pages.map(({ name }) => `./book/${name}`));
      const { nodes } = JSON.parse(await doc(folder, "--json", ...files));
      for (const { name, text, file } of pages) {
        const shown = nodes[toFileUrl(join(folder, `book/${name}.ts`)).href].module_doc.doc;
        assertEquals(plain(shown), plain(text), file);
        assert(!/^```[^]*?\u200b[^]*?^```$/m.test(shown), `A program in "${file}" cannot be copied`);
        assertEquals(/\]\(\./.exec(shown.replaceAll(/^```[^]*?^```/gm, "")), null, file);
      }
    });

    await t.step("deno doc --lint accepts them", async () => {
      await doc(folder, "--lint", ...files);
    });

    await t.step(
      "the main entry point has an index, and the other entry points and the README link to pages",
      async () => {
        const index = await Deno.readTextFile(join(folder, "mod.ts"));
        for (const { name, title } of pages) {
          assertEquals(index.split(`- [${title}](https://jsr.io/@fw/web/doc/book/${name}):`).length, 2, title);
        }
        const sessions = await Deno.readTextFile(join(folder, "src/state/sessions/mod.ts"));
        assertStringIncludes(sessions, " * In the book: [Sessions](https://jsr.io/@fw/web/doc/book/sessions)");
        const readme = await Deno.readTextFile(join(folder, "README.md"));
        assertStringIncludes(readme, "(https://jsr.io/@fw/web/doc/book/sessions)");
        assertEquals(/\]\(\.\/examples/.exec(readme), null);
      },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("entryOf() returns a module that consists of a comment for any page", () => {
  const text = "# Tea\n\n@fw/web/tea\n\n```yaml\n# black\n```\n";
  const source = entryOf({ text, file: "examples/book/howto/tea.md" });
  assertEquals(source.split("*/").length, 2);
  assert(source.endsWith("\n * @module\n */\n\nexport {};\n"));
  assertEquals(/^ \* (?:@(?!module)|# black)/m.exec(source), null);
});

Deno.test("entryOf() keeps programs as they are, apart from their comments, so that readers can copy them", () => {
  const page = (text: string) => entryOf({ text: `# Tea\n\n${text}\n`, file: "examples/book/howto/tea.md" });
  const program = "```ts ignore\n// main.ts\n/** A tea. */\nclass Tea {\n  /** Its name. */\n  Name = `/* x`;\n}\n```";
  assertStringIncludes(
    page(program),
    " * // main.ts\n * // A tea.\n * class Tea {\n *   // Its name.\n *   Name = `/* x`;\n * }\n * ```\n",
  );
  assertStringIncludes(
    page("```css\n/* public/tea.css */\nh1 { color: red }\n```"),
    " * `public/tea.css`:\n *\n * ```css\n * h1 { color: red }\n",
  );
  for (const text of ["Every `*/15` minutes", "```css\nh1 { /* big */ }\n```", '```ts\nask("*/*");\n```']) {
    assertThrows(() => page(text), Error, 'Cannot publish a page: "*/" would end its comment');
  }
});
