/**
 * The form in which users run the package: a few JavaScript files in place of some hundred modules.
 *
 * Deno opens and hashes every module at every start, 0.14 ms for each and 11 µs for each of its kilobytes, those too that
 * are imported by a call of `import()`. So what `import "@fw/web"` loads becomes one file, what requests load on first
 * use another one, and the functions of the standard library and some packages of npm are taken in. The sources are published beside them: each
 * entry names its source as its types, which documentation and editors follow.
 *
 * @module
 */

import { join, relative, toFileUrl } from "@std/path";
import { type Plugin, type RenderedChunk, rollup } from "npm:@rollup/wasm-node@4.52.5";
import { thinMaps } from "./bundle_maps.ts";
import { ofPackage } from "./bundle_packages.ts";
import { roomsOf } from "./bundle_rooms.ts";
import { type LicensedPackage, licenseNote, takenFrom } from "./bundle_licenses.ts";
import { shorten, withExtensions, withoutTypes } from "./bundle_text.ts";
import { ModuleGraph } from "./module_graph.ts";

/** Where in the package the bundle lies. */
export const bundleFolder = "js";

/** What is bundled. */
export interface Package {
  /** The folder of the package. */
  readonly folder: string;
  /** The entries, as deno.json names them. */
  readonly exports: Readonly<Record<string, string>>;
  /** Whether its configuration names a lock file. */
  readonly isLocked: boolean;
  /** The packages of npm that the folder's configuration replaces with modules. */
  readonly packages: readonly LicensedPackage[];
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
  await built.write({
    dir: join(pack.folder, bundleFolder),
    format: "es",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (id) => rooms.get(id),
    banner: (chunk) => bannerOf(chunk, folder),
    // Stack traces name the sources, which are published too and so need not be repeated in the maps.
    sourcemap: "hidden",
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) => sourceOf(source, relative(pack.folder, map), folder),
  });
  await built.close();
  await thinMaps(join(pack.folder, bundleFolder));
  await Deno.writeTextFile(join(pack.folder, bundleFolder, "LICENSES.md"), licenseNote(graph.all, pack.packages));
  return Object.fromEntries([...urls.keys()].map((name) => [name, `./${bundleFolder}/${fileName(name)}.js`]));
}

function fileName(entry: string): string {
  return entry === "." ? "mod" : entry.slice("./".length);
}

/** One graph of all entries, since Deno is asked for one module. */
async function graphOf({ folder, isLocked }: Package, entries: readonly string[]): Promise<ModuleGraph> {
  const all = join(folder, "all_entries.ts");
  await Deno.writeTextFile(all, entries.map((url) => `import ${JSON.stringify(url)};\n`).join(""));
  try {
    return await ModuleGraph.of(all, { cwd: folder, isLocked });
  } finally {
    await Deno.remove(all);
  }
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
      if (url.endsWith(".json")) return { code: `export default ${text}`, map: noMap };
      const plain = withoutTypes(text, url);
      // The packages are not published beside the bundle, so no stack trace could name their lines.
      if (ofPackage.test(url)) return { code: plain.code, map: noMap };
      const isTable = /\/media[-_]types\/.*\/db\.[jt]s$/.test(url);
      return isTable ? { code: await withExtensions(plain.code), map: noMap } : plain;
    },
    renderChunk: (code) => shorten(code),
    // A module must find its neighbours, and know which stack frames are fw's own, wherever its text has gone.
    resolveImportMeta(property, { moduleId, chunkId }) {
      if (property !== "url" || !moduleId.startsWith(folder)) return null;
      return `new URL("${toRoot(chunkId)}${moduleId.slice(folder.length)}", import.meta.url).href`;
    },
  };
}

/** Names the source of an entry, and those whose work was taken in. */
function bannerOf({ fileName, facadeModuleId, isEntry, moduleIds }: RenderedChunk, folder: string): string {
  const source = facadeModuleId?.slice(folder.length);
  const types = isEntry ? [`/* @ts-self-types="${toRoot(fileName)}${source}" */`] : [];
  const taken = takenFrom(moduleIds);
  const thanks = taken.length === 0 ? [] : [`/*! Holds parts of ${taken.join(", ")}: see LICENSES.md */`];
  return [...types, ...thanks].join("\n");
}

const noMap = { mappings: "" } as const;

/** The source of a map as the map names it: rollup takes URLs for paths and so folds their slashes. */
function sourceOf(source: string, map: string, folder: string): string {
  const url = source.replace(/^.*?\b(file|https?):\/+/, (_, scheme) => `${scheme}://${scheme === "file" ? "/" : ""}`);
  return url.startsWith(folder) ? toRoot(map.slice(`${bundleFolder}/`.length)) + url.slice(folder.length) : url;
}

/** The way from a file of the bundle to the folder of the package. */
function toRoot(file: string): string {
  return "../".repeat(file.split("/").length);
}
