/**
 * Creates the bundle that users run: a few JavaScript files instead of several hundred modules.
 *
 * Deno opens every module at every start and computes its checksum, including modules that are loaded with `import()`.
 * This takes 150 µs per module and 10 µs per kilobyte. Loading code that is not used takes another 25 µs per kilobyte.
 * Therefore, the modules that `import "@fw/web"` loads become one file, those that requests load on first use become a
 * few others, and the functions of the standard library and some npm packages are included. The sources are published
 * as well, for stack traces and readers. The types of an entry point are its declarations.
 *
 * | Step | File | CPU time that it saves |
 * |---|---|---|
 * | Modules become a few files | `bundle_chunks.ts` | 140 ms |
 * | Types are declarations | `bundle_types.ts` | 32 ms |
 * | npm packages are included | `bundle_packages.ts` | 2 to 4 ms |
 * | Functions that every start calls are compiled with their file | `bundle_eager.ts` | 6 ms |
 * | Whitespace, comments and types are removed | `bundle_text.ts` | 6 ms |
 * | Variables of functions and classes get short names | `bundle_text.ts` | less than 1 ms, but 26 KB |
 * | The table of media types is shortened | `bundle_text.ts` | 2 ms |
 * | Source maps are reduced to lines | `bundle_maps.ts` | less than 1 ms, but 1 MB of downloads |
 *
 * @module
 */

import { join, relative, toFileUrl } from "@std/path";
import { type Plugin, type RenderedChunk, rollup } from "npm:@rollup/wasm-node@4.52.5";
import { compileAhead } from "./bundle_eager.ts";
import { thinMaps } from "./bundle_maps.ts";
import { ofPackage, type TakenPackages } from "./bundle_packages.ts";
import { typesOf } from "./bundle_types.ts";
import { chunksOf } from "./bundle_chunks.ts";
import { licenseNote, takenFrom } from "./bundle_licenses.ts";
import { finish, shorten, withExtensions, withNames, withoutTypes } from "./bundle_text.ts";
import { ModuleGraph } from "./module_graph.ts";

/** The folder of the bundle in the package. */
export const bundleFolder = "js";

/**
 * Modules that are loaded by a computed address, so that they are in no graph: the file of the bundle, by the name of
 * the source.
 */
export const unlisted: Readonly<Record<string, string>> = { "src/core/app/dashboard/attach.ts": "development" };

/** The package to bundle. */
export interface Package {
  /** The folder of the package. */
  readonly folder: string;
  /** The entry points, as in deno.json. */
  readonly exports: Readonly<Record<string, string>>;
  /** Whether the configuration specifies a lock file. */
  readonly isLocked: boolean;
  /** The npm packages that the folder's configuration replaces with modules. */
  readonly taken: TakenPackages;
}

/**
 * Writes the bundle to the `js` folder of a package.
 *
 * @param pack The package.
 * @returns The entry points of the bundle.
 */
export async function bundle(pack: Package): Promise<Record<string, string>> {
  const folder = toFileUrl(`${pack.folder}/`).href;
  const urls = new Map(Object.entries(pack.exports).map(([name, file]) => [name, new URL(file, folder).href]));
  for (const [source, name] of Object.entries(unlisted)) urls.set(`./${name}`, new URL(source, folder).href);
  const graph = await graphOf({ ...pack, exports: { ...pack.exports, ...withDots(Object.keys(unlisted)) } });
  const chunks = chunksOf(graph, urls);
  const built = await rollup({
    input: Object.fromEntries([...urls].map(([name, url]) => [fileName(name), url])),
    // There is no second build that could use a cache.
    cache: false,
    // Unused code is removed, such as most of a standard library module.
    treeshake: { propertyReadSideEffects: "always" },
    plugins: [{ name: "names", renderChunk: withNames }, denoModules(graph, folder), {
      name: "comments",
      renderChunk: (code, chunk) => finish(code, commentOf(chunk, folder)),
    }],
  });
  await built.write({
    dir: join(pack.folder, bundleFolder),
    format: "es",
    generatedCode: { arrowFunctions: true },
    freeze: false,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minifyInternalExports: true,
    hoistTransitiveImports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (id) => chunks.get(id),
    // Stack traces refer to the sources. The sources are published too, so the maps do not need to contain them.
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => sourceOf(source, relative(pack.folder, map), folder),
  });
  await built.close();
  await compileAhead(pack.folder);
  await thinMaps(join(pack.folder, bundleFolder));
  await Deno.writeTextFile(join(pack.folder, bundleFolder, "LICENSES.md"), licenseNote(graph.all, pack.taken.packages));
  return Object.fromEntries(Object.keys(pack.exports).map((name) => [name, `./${bundleFolder}/${fileName(name)}.js`]));
}

function withDots(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, `./${path}`]));
}

function fileName(entry: string): string {
  return entry === "." ? "mod" : entry.slice("./".length);
}

/**
 * Returns one graph for all entry points, because Deno only accepts a single module.
 *
 * @param pack The package.
 * @returns The modules of all entry points.
 */
export async function graphOf({ folder, exports, isLocked }: Omit<Package, "taken">): Promise<ModuleGraph> {
  const all = join(folder, "all_entries.ts");
  await Deno.writeTextFile(all, Object.values(exports).map((file) => `import ${JSON.stringify(file)};\n`).join(""));
  try {
    return await ModuleGraph.of(all, { cwd: folder, isLocked });
  } finally {
    await Deno.remove(all);
  }
}

/** Matches fw's own sources in the folder of the package. */
const isOwn = /^(?:src|mvc|mod\.ts)\b/;

/** Resolves and loads modules like Deno. Imports of npm packages and Node.js modules are kept. */
function denoModules(graph: ModuleGraph, folder: string): Plugin {
  return {
    name: "deno",
    resolveId(specifier, importer) {
      if (importer === undefined) return specifier;
      const url = graph.resolve(specifier, importer) ?? specifier;
      return /^(?:npm|node):/.test(url) ? { id: specifier, external: true } : url;
    },
    // The address of an unlisted module is a constant of the source, which names its file in the bundle instead.
    resolveDynamicImport(specifier, importer) {
      if (typeof specifier === "string" || !importer.endsWith("/app/inspect/development.ts")) return null;
      return 'new URL("./development.js", import.meta.url).href';
    },
    async load(url) {
      const file = graph.local(url);
      if (file === undefined) throw new Error(`Cannot bundle "${url}": Deno does not know its text`);
      const text = await Deno.readTextFile(file);
      if (url.endsWith(".json")) return `export default ${text}`;
      const code = withoutTypes(text);
      if (isOwn.test(url.slice(folder.length))) return code;
      // Stack traces cannot refer to third-party code, because it is not published with the bundle.
      const isTable = /\/media[-_]types\/.*\/db\.[jt]s$/.test(url);
      return (await shorten(isTable ? await withExtensions(code) : code, { functions: false })).code;
    },
    // The records of modules that are loaded later are only read by their members, so they need no null prototype.
    renderChunk: (code) => shorten(code.replaceAll(/^ *__proto__: null,$/gm, "")),
    // A module must be able to find its neighbors and to recognize fw's own stack frames, even though its code is in
    // another file now.
    resolveImportMeta(property, { moduleId, chunkId }) {
      if (property !== "url" || !moduleId.startsWith(folder)) return null;
      return `new URL("${toRoot(chunkId)}${moduleId.slice(folder.length)}", import.meta.url).href`;
    },
  };
}

/** Returns a comment with the source of an entry point and the included third-party code. */
function commentOf({ fileName, facadeModuleId, isEntry, moduleIds }: RenderedChunk, folder: string): string {
  const source = facadeModuleId?.slice(folder.length);
  const types = isEntry && !ofPackage.test(facadeModuleId ?? "")
    ? [`/* @ts-self-types="${toRoot(fileName)}${typesOf(source ?? "")}" */`]
    : [];
  const taken = takenFrom(moduleIds);
  const thanks = taken.length === 0 ? [] : [`/*! Holds parts of ${taken.join(", ")}: see LICENSES.md */`];
  return [...types, ...thanks].map((line) => `${line}\n`).join("");
}

/** Returns the source in the form used by the map. Rollup treats URLs as paths and collapses their slashes. */
function sourceOf(source: string, map: string, folder: string): string {
  const url = source.replace(/^.*?\b(file|https?):\/+/, (_, scheme) => `${scheme}://${scheme === "file" ? "/" : ""}`);
  return url.startsWith(folder) ? toRoot(map.slice(`${bundleFolder}/`.length)) + url.slice(folder.length) : url;
}

/** Returns the relative path from a file of the bundle to the package folder. */
function toRoot(file: string): string {
  return "../".repeat(file.split("/").length);
}
