/** The entry points of the book, as `deno doc` and JSR read them. */

import { cp } from "node:fs/promises";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { dirname, fromFileUrl, join, toFileUrl } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import { linksOf } from "../book/markdown.ts";
import { bookFolder, readBook } from "../book/pages.ts";
import { entryOf, linkToBook, writeBook } from "./book_entries.ts";

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

Deno.test("writeBook() writes a package with an entry point per page, and an index that links to each of them once", async (t) => {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "fw_entries_" }));
  try {
    const exports = await writeBook(folder);
    const pages = await readBook();
    const files = Object.values(exports);

    await t.step("the package has the version of the code, and no entry point is missing", async () => {
      const written = JSON.parse(await Deno.readTextFile(join(folder, "deno.json")));
      assertEquals([written.name, written.version], ["@fw/book", config.version]);
      assertEquals(Object.keys(written.exports), [".", ...pages.map(({ name }) => `./${name}`)]);
    });

    await t.step("deno doc shows the text of every page, and all links stay within the packages", async () => {
      const { nodes } = JSON.parse(await doc(folder, "--json", ...files));
      for (const { name, text, file } of pages) {
        const shown = nodes[toFileUrl(join(folder, `entries/${name}.ts`)).href].module_doc.doc;
        assertEquals(plain(shown), plain(text), file);
        assert(!/^```[^]*?\u200b[^]*?^```$/m.test(shown), `A program in "${file}" cannot be copied`);
        assertEquals(/\]\(\./.exec(shown.replaceAll(/^```[^]*?^```/gm, "")), null, file);
      }
    });

    await t.step("deno doc --lint accepts them", async () => {
      await doc(folder, "--lint", ...files);
    });

    await t.step("the index links to every page, and llms.txt to the pages in Markdown", async () => {
      const index = await Deno.readTextFile(join(folder, "mod.ts"));
      for (const { name, title } of pages) {
        assertEquals(index.split(`- [${title}](https://jsr.io/@fw/book/doc/${name}):`).length, 2, title);
      }
      const list = await Deno.readTextFile(join(folder, "llms.txt"));
      for (const [, file = ""] of list.matchAll(/\]\(\.\/([^#)]+)/g)) await Deno.lstat(join(folder, file));
    });

    await t.step("links in the Markdown files lead to files of the package", async () => {
      for (const { file } of pages) {
        const own = file.slice(bookFolder.length + 1);
        for (const { path } of linksOf(await Deno.readTextFile(join(folder, own)))) {
          if (path !== "") await Deno.lstat(join(folder, dirname(own), path));
        }
      }
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("linkToBook() adds links to the documentation of the entry points and to the README", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_links_" });
  try {
    for (const path of ["mod.ts", "mvc", "src", "README.md"]) {
      await cp(join(root, path), join(folder, path), { recursive: true });
    }
    await linkToBook(folder);
    const main = await Deno.readTextFile(join(folder, "mod.ts"));
    assertStringIncludes(main, " * In the book: [all pages](https://jsr.io/@fw/book/doc).");
    const sessions = await Deno.readTextFile(join(folder, "src/state/sessions/mod.ts"));
    assertStringIncludes(sessions, " * In the book: [Sessions](https://jsr.io/@fw/book/doc/sessions)");
    const readme = await Deno.readTextFile(join(folder, "README.md"));
    assertStringIncludes(readme, "(https://jsr.io/@fw/book/doc/sessions)");
    assertEquals(/\]\(\.\/examples/.exec(readme), null);
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
