import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl, toFileUrl } from "@std/path";
import { ModuleGraph } from "./module_graph.ts";

const root = new URL("../../", import.meta.url).href;

/**
 * The maximum number of fw modules that `import "@fw/web"` may load from source. These are the modules that the first
 * request needs. Users load the bundle, which has its own limit, so an additional small file does not matter to them. A
 * module that should only be loaded on first use does.
 */
const most = 272;

Deno.test(`import "@fw/web" loads at most ${most} modules of fw, and none that requests load on first use`, async () => {
  const modules = [...(await ModuleGraph.of(fromFileUrl(new URL("../../mod.ts", import.meta.url)))).loadedBy()];
  const own = modules.filter((module) => module.startsWith(root)).map((module) => module.slice(root.length))
    .filter((module) => !module.startsWith("tests/"));
  assertLessOrEqual(own.length, most, `Loads ${own.length} modules:\n${own.sort().join("\n")}`);
  const lazy =
    /^src\/(?:view\/(?:compile|frame|library|directory|open_templates)|body\/(?:form_body|form\/(?:spill|stored)|multipart\/|source\/unpack\b|upload\/)|response\/file\/(?!serve_file)|server\/(?:listen_error|pem|unix_socket)|static\/|i18n\/|formats\/|context\/format\/read_|app\/serve\/path_prefix|middleware\/compress\/)/;
  assertEquals(own.filter((module) => lazy.test(module)), []);
  // These are the template parser, a table of media types of a quarter of a megabyte, and paths. To detect Windows,
  // @std/path accesses `process`, which makes Deno load a part of Node.js and takes 18 ms.
  for (const heavy of [/eta@/, /media[-_]types/, /[@-]std\S*\/path/]) {
    assertEquals(modules.filter((module) => heavy.test(module)), []);
  }
});

Deno.test("deno compile finds all modules that are loaded on first use", async () => {
  const known = new Set((await ModuleGraph.of(fromFileUrl(new URL("../../mod.ts", import.meta.url)))).all);
  const missing: string[] = [];
  for await (const { path } of walk(new URL("../../src", import.meta.url), { includeDirs: false, exts: [".ts"] })) {
    const source = await Deno.readTextFile(path);
    const file = toFileUrl(path).href;
    if (!known.has(file)) continue;
    for (const [, specifier = ""] of source.matchAll(/\bimport\("(\.[^"]+)"\)\)/g)) {
      const url = new URL(specifier, file).href;
      if (!known.has(url)) missing.push(url);
    }
  }
  assertEquals(missing, []);
  assert(known.has(new URL("../../src/view/open_templates.ts", import.meta.url).href));
  assert(known.has(new URL("../../src/body/form_body.ts", import.meta.url).href));
});
