import { cp } from "node:fs/promises";
import { assert, assertEquals, assertLessOrEqual, assertMatch, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import { basename, fromFileUrl, join, toFileUrl } from "@std/path";
import { decode } from "npm:@jridgewell/sourcemap-codec@^1.5.5";
import { RolldownMagicString } from "npm:rolldown@1.0.3";
import { parse } from "npm:rolldown@1.0.3/utils";
import sources from "../../deno.json" with { type: "json" };
import { graphOf } from "./bundle.ts";
import { type OwnModule, rewrite, shorten, shortenTable, unlisted } from "./bundle_code.ts";
import { typesFolder } from "./bundle_types.ts";
import { entries } from "./entries.ts";
import { ModuleGraph } from "./module_graph.ts";
import { prepare } from "./publish.ts";

/**
 * The maximum number of files and bytes of fw that are loaded at start-up, or that Deno reads because requests may load
 * them. Each file takes 0.15 ms per start, and each kilobyte 0.01 ms, or 0.035 ms if it is loaded. The registry lists the
 * imports of all entry points and their types, which takes 5 µs per import.
 */
const most = {
  atOnce: 3,
  inAll: 12,
  bytes: 352_000,
  bytesInAll: 673_000,
  firstUse: 40_000,
  maps: 11,
  mapBytes: 88_000,
  imports: 765,
};

/** A program that uses types of several entry points. The marked lines are wrong. */
const typed = `
import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import * as jobs from "@fw/web/jobs";
import * as sessions from "@fw/web/sessions";
import { New } from "@fw/web/client";

class Notes {
  GetBy(id = 0): { readonly id: number } {
    return { id };
  }
}

const app = fw.Default();
mvc.New(app.Party("/notes")).Handle(Notes);
app.Get("/{id:int}", (ctx) => ctx.WriteString(ctx.Params().GetIntDefault("id", 0).toFixed()));
app.Get("/user", (ctx: sessions.Session) => ctx.Get("user")); // wrong
const text: string = await app.fetch(new Request("http://localhost/")); // wrong
await using manager = sessions.New({});
jobs.New(jobs.NewMemory()).Handle((count: number, ctx: jobs.Context) => void [count, ctx.ID]);
fw.New().Get("/", (ctx) => ctx.Missing()); // wrong
console.log(New, text, manager);
`;
const wrongLines = typed.split("\n").flatMap((line, at) => line.endsWith("// wrong") ? [at + 1] : []);

const program = `
const names = {};
for (const [name, url] of JSON.parse(Deno.args[0])) names[name] = Object.keys(await import(url)).sort();
console.log(JSON.stringify(names));
`;

/** Runs a program, given as source text, with fw from a folder. */
async function run(folder: string, source: string, ...args: string[]): Promise<string> {
  const file = join(folder, "program.ts");
  await Deno.writeTextFile(file, source);
  return await runFile(folder, file, ...args);
}

async function runFile(folder: string, file: string, ...args: string[]): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--no-check", "--config", join(folder, "deno.json"), file, ...args],
    stderr: "inherit",
  });
  const { stdout } = await command.output();
  return new TextDecoder().decode(stdout);
}

async function bytesOf(urls: readonly string[]): Promise<number> {
  const sizes = await Promise.all(urls.map(async (each) => (await Deno.stat(new URL(each))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the number of bytes in a file of the bundle that are fw's own, according to its source map. */
async function ownBytes(file: string): Promise<number> {
  const lines = (await Deno.readTextFile(file)).split("\n");
  const { mappings } = JSON.parse(await Deno.readTextFile(`${file}.map`).catch(() => `{"mappings":""}`));
  let isOwn = false;
  return decode(mappings).reduce((sum, segments, at) => {
    const ends = [...segments.map(([column]) => column).slice(1), lines[at]?.length ?? 0];
    const start = isOwn ? segments[0]?.[0] ?? lines[at]?.length ?? 0 : 0;
    return segments.reduce((sum, segment, index) => {
      isOwn = segment.length > 1;
      return isOwn ? sum + (ends[index] ?? 0) - segment[0] : sum;
    }, sum + start);
  }, 0);
}

/** Reports whether Node.js is available. The tests do not require it. */
async function hasNode(): Promise<boolean> {
  try {
    return (await new Deno.Command("node", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("deno publish fails in the checkout, because it would publish the wrong files", async () => {
  const cwd = fromFileUrl(new URL("../../", import.meta.url));
  for (const args of [["--dry-run"], ["--token", "x"]]) {
    const command = new Deno.Command(Deno.execPath(), {
      args: ["publish", "--allow-dirty", ...args],
      cwd,
      env: { NO_COLOR: "1", JSR_URL: "http://127.0.0.1:1/" },
    });
    const { code, stderr } = await command.output();
    assertEquals(code, 1);
    assertStringIncludes(new TextDecoder().decode(stderr), "'publish' field is false");
  }
});

Deno.test("bundle() creates a package with the same exports that starts quickly", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "fw_bundle_" });
  try {
    // The publishing script provides a prepared package. Otherwise, it is created here.
    const prepared = Deno.env.get("FW_TEST_PACKAGE");
    if (prepared === undefined) await prepare(folder);
    else await cp(prepared, folder, { recursive: true });
    const { exports } = JSON.parse(await Deno.readTextFile(join(folder, "deno.json")));
    const url = (path: string) => toFileUrl(join(folder, path)).href;
    const published = (name: string) => url(exports[`.${name.slice("@fw/web".length)}`]);
    const bundled = entries.map(([name]) => [name, published(name)] as const);

    await t.step("every entry point exports the same names as its source", async () => {
      const sources = entries.map(([name, file]) => [name, url(file)]);
      const names = JSON.parse(await run(folder, program, JSON.stringify(bundled)));
      assertEquals(names, JSON.parse(await run(folder, program, JSON.stringify(sources))));
    });

    await t.step("every entry point declares its types, which the registry lists with few imports", async () => {
      for (const [name, file] of bundled) {
        const [, types = ""] = /^\/\* @ts-self-types="([^"]+)" \*\//.exec(await (await fetch(file)).text()) ?? [];
        assertEquals(new URL(types, file).href, url(`${typesFolder}/${basename(file, ".js")}.d.ts`), name);
      }
      const graph = await graphOf({ folder, exports, isLocked: false });
      const sources = [url("src/"), url("mvc/"), url("mod.ts")];
      assertEquals(graph.all.filter((each) => sources.some((source) => each.startsWith(source))), []);
      assertLessOrEqual(graph.importCount, most.imports);
    });

    await t.step("programs and all types are checked, and the types have the same names as the code", async () => {
      const file = join(folder, "checked.ts");
      const names: Record<string, string[]> = JSON.parse(await run(folder, program, JSON.stringify(bundled)));
      const all = Object.entries(names).map(([from, each], at) =>
        each.map((name) => `import { ${name} as ${name}_${at} } from "${from}"; void ${name}_${at};\n`).join("")
      );
      await Deno.writeTextFile(
        file,
        (typed + all.join("")).replaceAll(/"(@fw\/web[^"]*)"/g, (_, name) => JSON.stringify(published(name))),
      );
      const types = [...Deno.readDirSync(join(folder, typesFolder))].map(({ name }) => join(typesFolder, name));
      const command = new Deno.Command(Deno.execPath(), {
        args: ["check", "--no-lock", file, ...types],
        cwd: folder,
        env: { NO_COLOR: "1" },
      });
      const { code, stderr } = await command.output();
      const said = new TextDecoder().decode(stderr);
      assertEquals(code, 1, said);
      assertEquals([...said.matchAll(/\.ts:(\d+):/g)].map(([, line]) => Number(line)), wrongLines, said);
    });

    await t.step('import "@fw/web" opens only a few files', async () => {
      const graph = await ModuleGraph.of(url(exports["."]));
      const isOwn = (each: string) => each.startsWith(url("js")) && !each.endsWith(".map");
      const own = (urls: Iterable<string>) => [...urls].filter(isOwn);
      const atOnce = own(graph.loadedBy());
      assertLessOrEqual(atOnce.length, most.atOnce, atOnce.join("\n"));
      const inAll = own(graph.loadable);
      assertLessOrEqual(inAll.length, most.inAll, inAll.join("\n"));
      // Deno resolves every npm package that a program could load at every start.
      assertEquals([...graph.loadable].filter((each) => each.startsWith("npm:")), []);
      const maps = graph.all.filter((each) => each.endsWith(".map"));
      assertLessOrEqual(maps.length, most.maps, maps.join("\n"));
      assertLessOrEqual(await bytesOf(maps), most.mapBytes);
      assertLessOrEqual(await bytesOf(atOnce), most.bytes);
      assertLessOrEqual(await bytesOf(inAll), most.bytesInAll);
      const core = await Deno.readTextFile(join(folder, "js", "core.js"));
      assertStringIncludes(core, "=(function createFetch(");
    });

    await t.step(`a first use loads at most ${most.firstUse} bytes of fw, without its libraries`, async () => {
      const graph = await ModuleGraph.of(url(exports["."]));
      const atOnce = graph.loadedBy();
      const uses = new Set([...graph.loadable].flatMap((each) => graph.imports(each, "later")));
      for (const use of uses) {
        if (!use.startsWith(url("js"))) continue;
        const loaded = [...graph.loadedBy([use]).difference(atOnce)].filter((each) => each.startsWith(url("js")));
        const sizes = await Promise.all(loaded.map((each) => ownBytes(fromFileUrl(each))));
        assertLessOrEqual(sizes.reduce((sum, size) => sum + size, 0), most.firstUse, loaded.join("\n"));
      }
    });

    await t.step(
      "the development pages are in no graph, and are part of the same fw when they are loaded",
      async () => {
        const graph = await ModuleGraph.of(url(exports["."]));
        assertEquals([...graph.loadable].filter((each) => each.includes("/development.js")), []);
        const said = await run(
          folder,
          `
        import * as fw from ${JSON.stringify(url(exports["."]))};
        const app = fw.New().Configure(fw.WithDevelopment, fw.WithoutStartupLog);
        app.Logger().SetLevel("disable");
        app.Get("/", (ctx) => ctx.WriteString("tea"));
        await (await app.fetch(new Request("http://localhost/"))).text();
        const accept = { headers: { accept: "application/json" } };
        const [{ Path, Route }] = await (await app.fetch(new Request("http://localhost/_fw/requests", accept))).json();
        console.log(Path, Route);
      `,
        );
        assertEquals(said.trim(), "/ GET /");
      },
    );

    await t.step("neither a start nor the first page loads a part of Node.js, as most of @std/path does", async () => {
      for (const entry of ["js/mod.js", "js/views.js"]) {
        const loaded = [...(await ModuleGraph.of(url(entry))).loadedBy()];
        assertEquals(loaded.filter((each) => each.startsWith("node:")), []);
        const texts = await Promise.all(loaded.map((each) => Deno.readTextFile(new URL(each))));
        assertEquals(texts.filter((text) => /\bprocess\?*\.\w/.test(text)), [], loaded.join("\n"));
      }
    });

    await t.step("deno compile includes the modules that are loaded on first use", async () => {
      const command = new Deno.Command(Deno.execPath(), {
        args: ["compile", "--no-check", "--no-lock", "--output", join(folder, "binary"), join(folder, exports["."])],
        cwd: folder,
        // The runtime of a binary would have to be downloaded. Any program works for checking what is appended to it.
        env: { NO_COLOR: "1", DENORT_BIN: Deno.execPath() },
      });
      const { code, stderr } = await command.output();
      const list = new TextDecoder().decode(stderr);
      assertEquals(code, 0, list);
      for (const file of ["core.js", "later.js", "forms.js", "compress.js"]) assertStringIncludes(list, file);
    });

    await t.step("the browser client does not include any server code", async () => {
      const modules = (await ModuleGraph.of(url(exports["./client"]))).loadedBy();
      const expected = ["base.js", "body_lines.js", "client.js", "redirects.js"];
      assertEquals([...modules].sort(), expected.map((file) => url(`js/${file}`)));
      const types = (await ModuleGraph.of(url(`${typesFolder}/client.d.ts`))).all;
      const light = ["base", "client", "client_parts"];
      assertEquals([...types].sort(), light.map((file) => url(`${typesFolder}/${file}.d.ts`)));
    });

    await t.step("the WebSocket client that servers send to browsers is a complete module", async () => {
      const said = await run(
        folder,
        `
        import * as fw from "@fw/web";
        import * as websocket from "@fw/web/websocket";
        const app = fw.New();
        app.Get("/live.js", websocket.Client());
        const text = await (await app.fetch(new Request("http://localhost/live.js"))).text();
        const { Live } = await import("data:text/javascript," + encodeURIComponent(text));
        const live = new Live("ws://127.0.0.1:1/ws");
        live.On("said", () => {});
        live.Close();
        console.log(typeof Live);
      `,
      );
      assertEquals(said.trim(), "function");
    });

    await t.step("modules that are loaded on first use are found: forms, files, views, sessions", async () => {
      await Deno.mkdir(join(folder, "views"));
      await Deno.writeTextFile(join(folder, "views", "page.html"), "<p><%= it.Name %></p>");
      const said = await run(
        folder,
        `
        import * as fw from "@fw/web";
        import * as sessions from "@fw/web/sessions";
        const app = fw.New();
        const manager = sessions.New({ Cookie: "sid" });
        app.RegisterView(fw.HTML(new URL("./views/", import.meta.url)));
        app.HandleDir("/files", new URL("./views/", import.meta.url));
        app.Post("/form", async (ctx) => {
          const session = await manager.Start(ctx);
          await ctx.View("page", { Name: await ctx.FormValue("name") + session.Increment("visits") });
        });
        const body = new FormData();
        body.set("name", "Ann");
        const page = await app.fetch(new Request("http://localhost/form", { method: "POST", body }));
        const file = await app.fetch(new Request("http://localhost/files/page.html"));
        console.log(await page.text(), file.headers.get("content-type"), await file.text());
      `,
      );
      assertEquals(said.trim(), "<p>Ann1</p> text/html; charset=UTF-8 <p><%= it.Name %></p>");
    });

    await t.step("the bundled packages work: XML, YAML, Markdown, INI", async () => {
      const said = await run(
        folder,
        `
        import * as fw from "@fw/web";
        await Deno.mkdir("${folder}/locales/en", { recursive: true });
        await Deno.writeTextFile("${folder}/locales/en/texts.ini", "hello = Hello from INI");
        const app = fw.New();
        await app.I18n.Load("${folder}/locales", "en");
        app.Post("/xml", async (ctx) => ctx.YAML(await ctx.ReadXML()));
        app.Get("/markdown", (ctx) => ctx.Markdown("# " + ctx.Tr("hello")));
        const body = "<person><name>Ann &amp; Bob</name></person>";
        const headers = { "content-type": "application/xml" };
        const yaml = await app.fetch(new Request("http://localhost/xml", { method: "POST", headers, body }));
        const page = await app.fetch(new Request("http://localhost/markdown"));
        console.log((await yaml.text()).trim(), (await page.text()).trim());
      `,
      );
      assertStringIncludes(said, "name: Ann & Bob");
      assertMatch(said, /<h1[^>]*>Hello from INI<\/h1>/);
    });

    await t.step("the program that lists routes reports lines of the application", async () => {
      const site = join(folder, "site.ts");
      const lines = ['import * as fw from "@fw/web";', "const app = fw.New();", 'app.Get("/here", () => {});'];
      await Deno.writeTextFile(site, [...lines, "export default app;"].join("\n"));
      assertStringIncludes(await runFile(folder, join(folder, exports["./routes"]), site), "site.ts:3");
    });

    await t.step(
      "stack traces contain the source files and the names of private methods and published functions",
      async () => {
        const said = await run(
          folder,
          `
        import * as fw from "@fw/web";
        import * as logger from "@fw/web/middleware/logger";
        import * as recover from "@fw/web/middleware/recover";
        console.log([fw.New, logger.New, recover.New].map(({ name }) => name).join());
        let stack = "";
        const app = fw.New();
        app.OnError((_ctx, error) => stack = error.stack);
        app.Logger().SetLevel("disable");
        app.Get("/throw", () => { throw new Error("on purpose"); });
        const circle = {};
        circle.circle = circle;
        app.Get("/inside", (ctx) => ctx.JSON(circle));
        for (const path of ["/throw", "/inside"]) {
          await app.fetch(new Request("http://localhost" + path));
          console.log(stack);
        }
        try {
          app.Get("/{", () => {});
        } catch (error) {
          console.log(error.stack);
        }
      `,
        );
        const [names, ...stacks] = said.split("\n");
        assertEquals(names, "New,New,New");
        const frames = stacks.flatMap((line) => /\/(src\/[\w/]+\.ts):(\d+)/.exec(line)?.slice(1, 3) ?? []);
        assert(frames.some((file) => file.startsWith("src/core/context/")), said);
        assert(frames.includes("src/base/text/json.ts"), said);
        assertEquals(stacks.filter((line) => line.includes("/js/")), [], said);
        assertMatch(said, /at (Application|Party)\.#\w{3,} /);
        // The source line that a map refers to contains the called function.
        const [, called = "", file = "", line = ""] =
          /at (\w+) .*\n {4}at toJSON .*\/(src\/[\w/]+\.ts):(\d+)/.exec(said) ?? [];
        const source = (await Deno.readTextFile(join(folder, file))).split("\n")[Number(line) - 1];
        assertStringIncludes(source ?? "", `${called}(`);
      },
    );

    await t.step("the bundle's files with fw's code have source maps whose sources exist", async () => {
      const maps = new Set<string>();
      for await (const { path } of walk(join(folder, "js"), { exts: ["map"], includeDirs: false })) {
        const { sources } = JSON.parse(await Deno.readTextFile(path));
        for (const source of sources) await Deno.stat(new URL(source, toFileUrl(path)));
        const file = path.slice(0, -".map".length);
        assertStringIncludes(await Deno.readTextFile(file), `\n//# sourceMappingURL=./${basename(path)}\n`);
        maps.add(basename(file));
      }
      for (const file of ["core.js", "later.js", "base.js", "client.js", "sessions.js"]) assert(maps.has(file), file);
      // This file only re-exports names.
      assertEquals(maps.has("mod.js"), false);
    });

    await t.step("the bundle contains no paths of this machine and no broken characters", async () => {
      for await (const { path } of walk(join(folder, "js"), { includeDirs: false })) {
        const text = await Deno.readTextFile(path);
        assert(!text.includes(folder) && !text.includes("/.deno/"), path);
        // The bundler would turn a lone surrogate, such as "\udc2f", into this.
        assert(!/\ufffdd[89a-f][\da-f]{2}/.test(text), path);
      }
    });

    await t.step("the package has the entry points of the code, and none for the book", () => {
      assertEquals(Object.keys(exports).sort(), Object.keys(sources.exports).sort());
    });

    await t.step("a notice lists the third-party code in the bundle", async () => {
      const note = await Deno.readTextFile(join(folder, "js", "LICENSES.md"));
      const names = ["@std/http", "@std/fmt", "the Deno authors", "## marked@", "## @rgrove/parse-xml@", "MarkedJS"];
      for (const name of [...names, "## croner@", "## eta@"]) assertStringIncludes(note, name);
    });

    await t.step("the bundle imports no package that it contains, not even for its types", async () => {
      // The development pages load the explanations from the sources.
      const loaded = { ...exports, explanations: "./src/tools/explain/pages.ts" };
      const graph = await graphOf({ folder, exports: loaded, isLocked: false });
      const found = graph.all.filter((each) => each.startsWith("npm:"));
      const names = found.map((each) => each.replace(/^npm:\/|(?<=[^/])@.*$/g, ""));
      assertEquals([...new Set(names)].filter((name) => name !== "deno-std").sort(), [
        "hash-wasm",
        "jose",
        "oauth4webapi",
      ]);
    });

    await t.step({
      name: "other runtimes report the requirements and can use the client",
      ignore: !await hasNode(),
      fn: async () => {
        const node = async (entry: string) => {
          const code = `import(${JSON.stringify(url(exports[entry]))}).then((module) => console.log(typeof module.New),
          (error) => console.log(error.message));`;
          const { stdout } = await new Deno.Command("node", { args: ["--input-type=module", "--eval", code] }).output();
          return new TextDecoder().decode(stdout);
        };
        const refusal =
          'Cannot load "@fw/web": it requires Deno 2.9.5 or later; only "@fw/web/client" runs elsewhere\n';
        for (const entry of [".", "./mvc", "./sessions", "./middleware/cors"]) assertEquals(await node(entry), refusal);
        assertEquals(await node("./client"), "function\n");
      },
    });

    await t.step("the specification tests pass", async () => {
      const config = JSON.parse(await Deno.readTextFile(join(folder, "deno.json")));
      const here = (file: string) => new URL(`../../${file}`, import.meta.url).href;
      const imports = entries.flatMap(([name, file], at) => [name, here(file)].map((from) => [from, bundled[at]?.[1]]));
      const map = join(folder, "specification.json");
      await Deno.writeTextFile(
        map,
        JSON.stringify({ imports: { ...config.imports, ...Object.fromEntries(imports) }, links: config.links }),
      );
      const command = new Deno.Command(Deno.execPath(), {
        args: ["test", "-A", "--no-check", "--no-lock", "--quiet", "--config", map, fromFileUrl(here("tests/spec"))],
      });
      const { code, stdout, stderr } = await command.output();
      assertEquals(code, 0, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Rewrites and shortens the code of a module. */
async function rewritten(code: string, { path = "src/a.ts", called = new Set() }: Partial<OwnModule> = {}) {
  const text = new RolldownMagicString(code);
  rewrite({ path, text, program: (await parse("a.js", code)).program, called });
  return (await shorten(text.toString())).code;
}

Deno.test("rewrite() keeps the names of functions and classes and the program's outcome", async () => {
  const code = await rewritten([
    'import "node:path";',
    "const seen = [New(1)];",
    "function New(a) { return a + 1; }",
    "export async function Later(a) { return New(a); }",
    "function* each() { yield 1; }",
    "export class Cup { static first = new Cup(); }",
    "class Tea extends Cup { kind = 'Tea'; }",
    "export { each, New, Tea, seen };",
  ].join("\n"));
  const { New, Later, each, Cup, Tea, seen } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  assertEquals([New, Later, each, Cup, Tea].map(({ name }) => name), ["New", "Later", "each", "Cup", "Tea"]);
  assertEquals([seen, await Later(2), ...each(), Cup.first instanceof Cup], [[2], 3, 1, true]);
  assertMatch(code, /var \w=function New\(/);
  assertMatch(code, /\w=class Tea extends Cup\{/);
});

Deno.test("rewrite() puts called functions in parentheses and keeps the program's outcome", async () => {
  const text = "export function first(a) { return second(a); }\nasync function second(a) { return a + 1; }\n" +
    "export function never() {}\nexport class Plain { method() { return 1; } }";
  const code = await rewritten(text, { called: new Set(["first", "second", "method", "Plain"]) });
  assertMatch(code, /\w=\(function first\(\w\)\{return \w\(\w\)\}\)/);
  assertMatch(code, /\w=\(async function second\(\w\)\{return \w\+1\}\)/);
  assertMatch(code, /\w=function never\(\)\{\}/);
  assertMatch(code, /\w=class Plain\{method\(\)\{return 1\}\}/);
  const { first } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  assertEquals([first.name, await first(2)], ["first", 3]);
});

Deno.test("rewrite() renames private fields, keeps the names of private methods, and keeps the program's outcome", async () => {
  const code = await rewritten(`
class Tea {
  static #made = 0;
  #kind = "black";
  #a() {
    return this.#kind + this?.#kind + (#kind in this);
  }
  get #size() {
    return ++Tea.#made;
  }
  describe() {
    return this.#a() + this.#size;
  }
}
class Cup {
  #size = 3;
  #depth = 4;
  kind = "#kind é 🍵";
  read() {
    return this.kind + this.#size + this.#depth;
  }
}
export default [new Tea().describe(), new Tea().describe(), new Cup().read()];
`);
  assertEquals([...new Set(code.match(/#\w+/g))].sort(), ["#a", "#b", "#c", "#d", "#kind", "#size"]);
  const { default: outcome } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  assertEquals(outcome, ["blackblacktrue1", "blackblacktrue2", "#kind é 🍵34"]);
});

Deno.test("rewrite() keeps the address of a module, and refers to the bundle for the one that is in no graph", async () => {
  const text = 'export const here = import.meta.url, text = "import.meta.url", load = (page) => import(page);';
  const url = "new URL(`../src/a.ts`,import.meta.url).href";
  assertEquals(
    await rewritten(text),
    "export const here=" + url + ",text=`import.meta.url`,load=e=>import(e);",
  );
  const { importer: path } = unlisted;
  assertStringIncludes(await rewritten(text, { path }), "import(new URL(`./development.js`,import.meta.url).href)");
});

Deno.test("shortenTable() keeps the media types that have a file extension", async () => {
  const html = { source: "iana", charset: "UTF-8", compressible: true, extensions: ["html", "htm"] };
  const own = { extensions: ["own"] };
  const table = { "text/html": html, "text/none": { source: "iana" }, "application/x-own": own };
  const text = await shortenTable(`const a = 1; export default ${JSON.stringify(table)};`);
  const { default: types } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  assertEquals(types, { "text/html": { extensions: ["html", "htm"] }, "application/x-own": own });
});
