import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { walk } from "@std/fs/walk";
import { fromFileUrl, join, toFileUrl } from "@std/path";
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
    /^src\/(?:pages\/(?:view\/(?:compile|frame|library|directory|open_templates)|i18n\/|formats\/)|http\/(?:body\/(?:form_body|form\/(?:spill|stored)|multipart\/|source\/unpack\b|upload\/)|response\/file\/(?!serve_file)|server\/(?:listen_error|pem|unix_socket))|core\/(?:static\/|context\/format\/read_|app\/serve\/path_prefix)|middleware\/compress\/)/;
  assertEquals(own.filter((module) => lazy.test(module)), []);
  // These are the template parser, a table of media types of a quarter of a megabyte, and paths. To detect Windows,
  // @std/path accesses `process`, which makes Deno load a part of Node.js and takes 18 ms.
  for (const heavy of [/eta@/, /media[-_]types/, /[@-]std\S*\/path/]) {
    assertEquals(modules.filter((module) => heavy.test(module)), []);
  }
});

/** The optional features, and the packages that only they need. */
const optional =
  /(?:\/src\/(?:live|api\/openapi|pages\/(?:formats|view))\/|\b(?:marked|parse-xml|yaml|toml|msgpack|eta)\b)/;

Deno.test('import "@fw/web" loads no WebSocket server, format, view or OpenAPI document', async () => {
  const graph = await ModuleGraph.of(fromFileUrl(new URL("../../mod.ts", import.meta.url)));
  assertEquals([...graph.loadedBy()].filter((module) => optional.test(module)), []);
  // These are not even downloaded. The program has to import them itself.
  assertEquals([...graph.loadable].filter((module) => /\/src\/(?:live|api\/openapi)\//.test(module)), []);
});

Deno.test("the first requests of examples/hello load no WebSocket server, format, view or OpenAPI document", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fw_loaded_" });
  try {
    const file = join(folder, "program.ts");
    await Deno.writeTextFile(
      file,
      `
      import { newApp } from "${new URL("../../examples/hello/main.ts", import.meta.url)}";
      import * as fw from "jsr:@fw/web";
      await newApp().Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithOnListen(async ({ port }) => {
        for (const path of ["/", "/ping", "/hello", "/hello/Ada", "/nowhere"]) {
          await (await fetch("http://127.0.0.1:" + port + path)).text();
        }
        Deno.exit(0);
      }));
      `,
    );
    const coverage = join(folder, "coverage");
    const config = `--config=${fromFileUrl(new URL("../../examples/deno.json", import.meta.url))}`;
    const args = ["run", "-A", "--no-check", "--no-lock", config, `--coverage=${coverage}`, file];
    const { code, stderr } = await new Deno.Command(Deno.execPath(), { args, stdout: "null" }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    // V8 reports all modules that have run.
    const loaded: string[] = [];
    for await (const { name } of Deno.readDir(coverage)) {
      loaded.push(JSON.parse(await Deno.readTextFile(join(coverage, name))).url);
    }
    assert(loaded.some((url) => url.endsWith("/src/core/app/application.ts")), loaded.join("\n"));
    assertEquals(loaded.filter((url) => optional.test(url)), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
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
  assert(known.has(new URL("../../src/pages/view/open_templates.ts", import.meta.url).href));
  assert(known.has(new URL("../../src/http/body/form_body.ts", import.meta.url).href));
});
