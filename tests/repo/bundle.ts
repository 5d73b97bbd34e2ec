/**
 * The form in which users run the package: a few JavaScript files in place of some hundred modules.
 *
 * Deno opens, hashes and looks up every module at every start, about a third of a millisecond each, those too that are
 * imported by a call of `import()`. So what `import "@fw/web"` loads becomes one file, what requests load on first use
 * another one, and the functions of the standard library are taken in. The sources are published beside them: each
 * entry names its source as its types, which documentation and editors follow.
 *
 * @module
 */

import { dirname, fromFileUrl, join, relative, toFileUrl } from "@std/path";
import { type Plugin, rollup } from "npm:@rollup/wasm-node@4.52.5";
import { minify } from "npm:terser@^5.44.1";
import ts from "npm:typescript@6.0.3";
import { ModuleGraph } from "./module_graph.ts";

/** Entries that run without a server, some of them in browsers: what they share with the others is a file of its own. */
const light: readonly string[] = ["./client", "./keys", "./lint"];

/** Where in the package the bundle lies. */
export const bundleFolder = "js";

/** What is bundled. */
export interface Package {
  /** The folder of the package. */
  readonly folder: string;
  /** The entries, as deno.json names them. */
  readonly exports: Readonly<Record<string, string>>;
}

/**
 * Writes the bundle into the folder `js` of a package.
 *
 * @param pack The package.
 * @returns The entries that lead to the bundle.
 */
export async function bundle(pack: Package): Promise<Record<string, string>> {
  const folder = toFileUrl(`${pack.folder}/`).href;
  const urls = new Map(Object.entries(pack.exports).map(([name, file]) => [name, new URL(file, folder).href]));
  const graph = await graphOf(pack, [...urls.values()]);
  const rooms = roomsOf(graph, urls);
  const built = await rollup({
    input: Object.fromEntries([...urls].map(([name, url]) => [fileName(name), url])),
    // What nothing uses is left out, such as most of a module of the standard library.
    treeshake: { propertyReadSideEffects: "always" },
    plugins: [denoModules(graph, folder)],
  });
  const written = await built.write({
    dir: join(pack.folder, bundleFolder),
    format: "es",
    chunkFileNames: "[name].js",
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (id) => rooms.get(id),
    banner: (chunk) => bannerOf(chunk, pack, urls),
  });
  await built.close();
  return Object.fromEntries(
    written.output.flatMap((chunk) => {
      const name = [...urls.keys()].find((key) => `${fileName(key)}.js` === chunk.fileName);
      return name === undefined ? [] : [[name, `./${bundleFolder}/${chunk.fileName}`]];
    }).sort(),
  );
}

function fileName(entry: string): string {
  return entry === "." ? "mod" : entry.slice("./".length);
}

/** One graph of all entries, since Deno is asked for one module. */
async function graphOf({ folder }: Package, entries: readonly string[]): Promise<ModuleGraph> {
  const all = join(folder, "all_entries.ts");
  await Deno.writeTextFile(all, entries.map((url) => `import ${JSON.stringify(url)};\n`).join(""));
  try {
    return await ModuleGraph.of(all, { cwd: folder });
  } finally {
    await Deno.remove(all);
  }
}

/** The files of the bundle that hold many modules; the other modules stay with the entry that imports them. */
function roomsOf(graph: ModuleGraph, entries: ReadonlyMap<string, string>): Map<string, string> {
  const loaded = (names: readonly string[]) =>
    graph.loadedBy(names.flatMap((name) => {
      const url = entries.get(name);
      return url === undefined ? [] : [url];
    }));
  const core = loaded(["."]);
  const shared = loaded(light).intersection(core);
  const others = loaded([...entries.keys()].filter((name) => !core.has(entries.get(name) ?? "")));
  // A room that imports a package of npm is not put together with rooms that work without it.
  const isPlain = (room: ReadonlySet<string>) => ![...room].some((url) => url.startsWith("npm:"));
  const later = [...core].flatMap((url) => graph.imports(url, "later"))
    .map((url) => graph.loadedBy([url]))
    .filter(isPlain)
    .reduce((all, room) => all.union(room), new Set<string>());
  // What entries share with rooms that load later is small and of use to both, unless it brings a package along.
  const isBare = (url: string) => ![...graph.loadedBy([url])].some((each) => /^(?:npm|node):/.test(each));
  const common = [...later.intersection(others)].filter((url) => isBare(url) && ![...entries.values()].includes(url));
  return new Map([
    ...common.map((url) => [url, "core"] as const),
    ...[...later.difference(others)].map((url) => [url, "later"] as const),
    ...[...core].map((url) => [url, "core"] as const),
    ...[...shared].map((url) => [url, "base"] as const),
  ]);
}

/** Finds and reads modules as Deno does; packages of npm and Node.js stay imports. */
function denoModules(graph: ModuleGraph, folder: string): Plugin {
  return {
    name: "deno",
    resolveId(specifier, importer) {
      if (importer === undefined) return specifier;
      const url = graph.resolve(specifier, importer) ?? specifier;
      return /^(?:npm|node):/.test(url) ? { id: specifier, external: true } : url;
    },
    async load(url) {
      const file = graph.local(url);
      if (file === undefined) throw new Error(`Cannot bundle "${url}": Deno does not know its text`);
      const text = await Deno.readTextFile(file);
      if (url.endsWith(".json")) return `export default ${text}`;
      return /\/media-types\/.*\/db\.ts$/.test(url) ? await withExtensions(withoutTypes(text)) : withoutTypes(text);
    },
    renderChunk: (code) => shorten(code),
    // A module must find its neighbours, and know which stack frames are fw's own, wherever its text has gone.
    resolveImportMeta(property, { moduleId, chunkId }) {
      if (property !== "url" || !moduleId.startsWith(folder)) return null;
      return `new URL("${"../".repeat(chunkId.split("/").length)}${
        moduleId.slice(folder.length)
      }", import.meta.url).href`;
    },
  };
}

function withoutTypes(text: string): string {
  const { ESNext } = ts.ScriptTarget;
  return ts.transpileModule(text, {
    compilerOptions: { target: ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, removeComments: true },
  }).outputText;
}

/**
 * Keeps of the standard library's media types those that the name of a file can lead to, which is all that fw asks for:
 * a quarter of them, and all together they are as long as fw.
 */
async function withExtensions(text: string): Promise<string> {
  const { default: types } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const kept = Object.entries<{ extensions?: unknown }>(types).filter(([, type]) => type.extensions !== undefined);
  return `export default ${JSON.stringify(Object.fromEntries(kept))};`;
}

/**
 * Takes out what Deno would only read and hash: blanks and long names of local variables. Functions and classes keep
 * their names, and lines stay short, for stack traces; a character beyond ASCII would double the text in memory.
 */
async function shorten(text: string): Promise<string> {
  const { code } = await minify(text, {
    module: true,
    compress: false,
    mangle: true,
    keep_classnames: true,
    keep_fnames: true,
    format: { max_line_len: 120, ascii_only: true, comments: /^!|@ts-self-types/ },
  });
  return code ?? text;
}

/** Names the source of an entry, and those whose work was taken in. */
function bannerOf(
  chunk: { fileName: string; moduleIds: readonly string[] },
  pack: Package,
  urls: ReadonlyMap<string, string>,
): string {
  const entry = [...urls].find(([name]) => `${fileName(name)}.js` === chunk.fileName);
  const source = entry === undefined ? [] : [
    `/* @ts-self-types="${
      relative(dirname(join(pack.folder, bundleFolder, chunk.fileName)), fromFileUrl(entry[1]))
    }" */`,
  ];
  const taken = new Set(chunk.moduleIds.flatMap((url) => /@std\/[\w-]+(?:\/[\d.]+)?/.exec(url)?.[0] ?? []));
  const thanks = taken.size === 0 ? [] : [`/*! Holds parts of ${[...taken].join(", ")}: MIT, the Deno authors */`];
  return [...source, ...thanks].join("\n");
}
