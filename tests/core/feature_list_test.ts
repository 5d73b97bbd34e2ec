import { assert, assertEquals } from "@std/assert";
import { walk } from "@std/fs";
import { fromFileUrl, relative } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** The rooms below the features, and the rooms of the features. */
const [below, features] = [["base", "http", "core"], "pages|state|middleware|hosts|live|work|api|tools"];

/** Matches the imports of features. Types and the interface of template engines do not load anything. */
const reference = new RegExp(
  `(?<!import type [^;]*|typeof )(?:from|import\\() ?"((?:\\.\\./)+(?:(?:${features})|mvc)/[^"]+)"`,
  "g",
);

/** The only file that names features. */
const list = "src/core/feature_list.ts";

/** The files that use the interface of a feature without loading it, or that are loaded with it. */
const known: ReadonlySet<string> = new Set([
  "src/core/context/render_view.ts",
  "src/core/app/dashboard/development_page.ts",
  "src/core/app/dashboard/stack_excerpt.ts",
  "src/core/app/dashboard/views.ts",
]);

Deno.test(`the core and the rooms below it name features only in ${list}`, async () => {
  const found: string[] = [];
  for (const room of below) {
    for await (const { path } of walk(`${root}src/${room}`, { exts: ["ts"], includeDirs: false })) {
      const name = relative(root, path).replaceAll("\\", "/");
      const text = await Deno.readTextFile(path);
      for (const [, specifier] of text.matchAll(reference)) found.push(`${name}: ${specifier}`);
    }
  }
  assert(found.some((line) => line.startsWith(list)), "The list of features is empty");
  assertEquals(found.filter((line) => line.split(":", 1)[0] !== list && !known.has(line.split(":", 1)[0] ?? "")), []);
});
