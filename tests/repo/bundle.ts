/**
 * Creates the bundle that users run: a few JavaScript files instead of several hundred modules.
 *
 * Deno opens every module at every start and computes its checksum, including modules that are loaded with `import()`.
 * This takes 150 µs per module and 10 µs per kilobyte. Loading code that is not used takes another 25 µs per kilobyte.
 * Therefore, the modules that `import "@fw/web"` loads become one file, those that requests load on first use become a
 * few others, and the functions of the standard library and some npm packages are included. The sources are published
 * as well, for stack traces and readers.
 *
 * | Step | File | What it saves |
 * |---|---|---|
 * | Modules become a few files | `bundle_chunks.ts` | 140 ms of CPU time per start |
 * | The types of entry points are declarations | `bundle_types.ts` | 32 ms |
 * | Functions that every start calls are compiled with their file | `bundle_eager.ts` | 5 ms |
 * | Whitespace, comments and names of variables are shortened | `bundle_code.ts` | 6 ms |
 * | Names of private fields are shortened | `bundle_code.ts` | 13 KB |
 * | The table of media types is shortened | `bundle_code.ts` | 130 KB |
 * | Source maps are reduced to lines | `bundle_maps.ts` | 800 KB of downloads |
 *
 * @module
 */

import { fromFileUrl, join, relative, SEPARATOR } from "@std/path";
import { stripTypeScriptTypes } from "node:module";
import { type Plugin, rolldown, RUNTIME_MODULE_ID } from "npm:rolldown@1.0.3";
import { chunksOf } from "./bundle_chunks.ts";
import { rewrite, shorten, shortenTable, unlisted } from "./bundle_code.ts";
import { calledAtStart } from "./bundle_eager.ts";
import { licenseNote } from "./bundle_licenses.ts";
import { writeMapped } from "./bundle_maps.ts";
import { typesOf } from "./bundle_types.ts";
import { ModuleGraph, urlOf } from "./module_graph.ts";

/** The folder of the bundle in the package. */
export const bundleFolder = "js";

/**
 * The npm packages that are imported instead. They handle passwords and tokens, so that applications must be able to
 * update them without a new version of fw.
 */
const imported = /^npm:\/(?:hash-wasm|jose|oauth4webapi)@/;

/** The package to bundle. */
export interface Package {
  /** The folder of the package. */
  readonly folder: string;
  /** The entry points, as in deno.json. */
  readonly exports: Readonly<Record<string, string>>;
  /** Whether the configuration specifies a lock file. */
  readonly isLocked: boolean;
}

/**
 * Writes the bundle to the `js` folder of a package.
 *
 * @param pack The package.
 * @returns The entry points of the bundle.
 */
export async function bundle(pack: Package): Promise<Record<string, string>> {
  const { folder } = pack;
  const exports = { ...pack.exports, [`./${unlisted.file}`]: `./${unlisted.source}` };
  const input = Object.fromEntries(Object.entries(exports).map(([name, path]) => [fileName(name), join(folder, path)]));
  // The bundler finds npm packages in the folder node_modules, which is not published.
  const graph = await graphOf({ ...pack, exports }, ["--quiet", "--node-modules-dir=auto"]);
  const built = await rolldown({
    input,
    plugins: [modules(folder, graph, await calledAtStart(folder))],
    platform: "neutral",
    resolve: { conditionNames: ["import"], mainFields: ["module", "browser", "main"] },
    preserveEntrySignatures: "strict",
    experimental: { nativeMagicString: true },
    // Inlining would turn the lone surrogate by which fw marks a slash into other characters.
    optimization: { inlineConst: false },
    checks: { pluginTimings: false },
  });
  const { output } = await built.generate({
    dir: join(folder, bundleFolder),
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: { groups: chunksOf(graph, input) },
    // A variable with `var` is not checked at each access for whether it has a value already.
    topLevelVar: true,
    // The plugin shortens the code, because the bundler would also rename private methods.
    minify: false,
    postBanner: ({ isEntry, facadeModuleId }) =>
      isEntry ? `/* @ts-self-types="../${typesOf(pathIn(folder, facadeModuleId ?? ""))}" */` : "",
    // Stack traces refer to the sources.
    sourcemap: "hidden",
  });
  await built.close();
  await Deno.mkdir(join(folder, bundleFolder));
  for (const file of output) {
    if (file.type === "chunk" && file.fileName !== helperFile) await writeMapped(join(folder, bundleFolder), file);
  }
  await Deno.writeTextFile(join(folder, bundleFolder, "LICENSES.md"), await licenseNote(graph, imported));
  await Deno.remove(join(folder, "node_modules"), { recursive: true });
  return Object.fromEntries(Object.keys(pack.exports).map((name) => [name, `./${bundleFolder}/${fileName(name)}.js`]));
}

/** Returns the name of an entry point's file. All files are in one folder, so that they can refer to the sources. */
function fileName(entry: string): string {
  return entry === "." ? "mod" : entry.slice("./".length).replaceAll("/", "_");
}

/**
 * Returns one graph for all entry points, because Deno only accepts a single module.
 *
 * @param pack The package.
 * @param flags Flags for `deno info`.
 * @returns The modules of all entry points.
 */
export async function graphOf(pack: Package, flags: readonly string[] = []): Promise<ModuleGraph> {
  const { folder: cwd, exports, isLocked } = pack;
  const all = join(cwd, "all_entries.ts");
  await Deno.writeTextFile(all, Object.values(exports).map((file) => `import ${JSON.stringify(file)};\n`).join(""));
  try {
    return await ModuleGraph.of(all, { cwd, isLocked, flags });
  } finally {
    await Deno.remove(all);
  }
}

/** The file in which the bundler puts its helpers. Each file gets a copy of them, because Deno would open one more. */
const helperFile = "rolldown-runtime.js";
const helperImport = /^import .* from "\.\/rolldown-runtime\.js";$/m;

/** Resolves and loads modules like Deno, rewrites those of fw, and shortens the files of the bundle. */
function modules(folder: string, graph: ModuleGraph, called: ReadonlyMap<string, ReadonlySet<string>>): Plugin {
  return {
    name: "modules",
    resolveId(specifier, importer) {
      const url = importer === undefined ? undefined : graph.resolve(specifier, urlOf(importer));
      if (url === undefined) return null;
      if (url.startsWith("node:") || imported.test(url)) return { id: specifier, external: true };
      if (url.startsWith("file:")) return fromFileUrl(url);
      const [, name, path] = /^npm:\/(.[^@]*)@[^/]*(.*)/.exec(url) ?? [];
      return name === undefined ? url : this.resolve(name + path, join(folder, "mod.ts"), { skipSelf: true });
    },
    async load(id) {
      const file = graph.local(urlOf(id));
      if (file === undefined || id.endsWith(".json")) return null;
      const text = await Deno.readTextFile(file);
      const code = id.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
      const isTable = /\/media[-_]types\/.*\/db\.[jt]s$/.test(id);
      return { code: isTable ? await shortenTable(code) : code, moduleType: "js" };
    },
    transform(_, id, module) {
      const path = pathIn(folder, id);
      if (!/^(?:src|mvc|mod)\b.*\.ts$/.test(path)) return null;
      const { magicString: text, ast: program } = module;
      if (text === undefined || program === undefined) throw new Error(`Cannot rewrite "${path}": it was not parsed`);
      rewrite({ path, text, program, called: called.get(path) ?? new Set() });
      return { code: text };
    },
    renderChunk(code, _chunk, _options, { chunks }) {
      const helpers = chunks[helperFile]?.modules[RUNTIME_MODULE_ID]?.code ?? "";
      // They stay on the line of the import, so that source maps remain correct.
      return shorten(code.replace(helperImport, () => helpers.replaceAll(/^\/\/.*$|\n/gm, " ")));
    },
  };
}

function pathIn(folder: string, file: string): string {
  return relative(folder, file).replaceAll(SEPARATOR, "/");
}
