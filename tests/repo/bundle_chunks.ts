/**
 * Assigns modules to the files of the bundle.
 *
 * @module
 */

import { ofPackage } from "./bundle_packages.ts";
import type { ModuleGraph } from "./module_graph.ts";

/**
 * Entry points that run without a server, some of them in browsers. Modules they share with others are put in a
 * separate file.
 */
const light: readonly string[] = ["./client", "./keys", "./lint"];

/** The modules of the standard library, or of its stand-in. */
const standard = /\/(?:@?std|deno-std)\/[\w-]+\//;

/** The maximum size of a folder's shared modules to include in `core`, in source bytes. */
const small = 8_000;

/**
 * Assigns modules to files. `core` contains the modules that `import "@fw/web"` loads, `base` contains those of them
 * that light entry points need, and `later` contains the modules that requests load on first use. All other modules
 * stay with the entry point that imports them.
 *
 * Modules that are loaded both by another entry point and by a request have one file per folder. Folders with the same
 * importers share a file. There are no circular imports between folders, so there are none between these files. `core`
 * only includes the smallest folders of fw, and only if they do not import anything else, because a single import in
 * `core` would make every start load another file.
 *
 * @param graph The modules.
 * @param entries The URLs of the entry points by name.
 * @returns The file names by module URL.
 */
export function chunksOf(graph: ModuleGraph, entries: ReadonlyMap<string, string>): Map<string, string> {
  const loaded = (isWanted: (name: string, url: string) => boolean) =>
    graph.loadedBy([...entries].filter(([name, url]) => isWanted(name, url)).map(([, url]) => url));
  const core = loaded((name) => name === ".");
  const base = loaded((name) => light.includes(name)).intersection(core);
  const others = loaded((_, url) => !core.has(url));
  // Modules that need an npm package are kept separate from modules that do not.
  const firstUses = [...core].flatMap((url) => graph.imports(url, "later"));
  const later = graph.loadedBy(firstUses.filter((url) => !imports(graph, url, ofPackage))).difference(core);
  const folders = Map.groupBy(later.intersection(others), folderOf);
  const added = addedToCore(graph, core, [...folders.values()].filter((urls) => isSmall(graph, urls)).flat());
  const roots = new Set(entries.values());
  return new Map([
    ...[...entries].flatMap(([name, url]) => programChunk(graph, name, url)),
    ...sharedChunks(graph, folders, new Set([...roots, ...firstUses])),
    ...[...later.difference(others)].map((url) => [url, "later"] as const),
    ...[...core, ...added.difference(roots)].map((url) => [url, "core"] as const),
    ...[...base].map((url) => [url, "base"] as const),
  ]);
}

/** Reports whether the modules of a folder belong to fw and are small enough for `core`. */
function isSmall(graph: ModuleGraph, urls: readonly string[]): boolean {
  return urls.every((url) => !standard.test(url)) && urls.reduce((sum, url) => sum + graph.size(url), 0) <= small;
}

/** Returns the modules that import nothing but each other and modules in `core`. */
function addedToCore(graph: ModuleGraph, core: ReadonlySet<string>, urls: readonly string[]): Set<string> {
  const added = new Set(urls);
  for (let before = -1; before !== added.size;) {
    before = added.size;
    const inside = added.union(core);
    for (const url of added) if (!graph.loadedBy([url]).isSubsetOf(inside)) added.delete(url);
  }
  return added;
}

/** Assigns one file to all folders with the same importers. */
function sharedChunks(
  graph: ModuleGraph,
  folders: ReadonlyMap<string, readonly string[]>,
  importers: ReadonlySet<string>,
): (readonly [url: string, chunk: string])[] {
  const loads = new Map([...importers].map((url) => [url, graph.loadedBy([url])]));
  const importersOf = (urls: readonly string[]) =>
    [...loads].filter(([, loaded]) => urls.some((url) => loaded.has(url))).map(([url]) => url).join();
  return [...Map.groupBy(folders, ([, urls]) => importersOf(urls)).values()].flatMap((group) => {
    const urls = group.flatMap(([, each]) => each);
    // Entry points have separate files.
    if (urls.every((url) => importers.has(url))) return [];
    const names = group.map(([folder]) => folder);
    const folder = names.find((each) => !standard.test(each)) ?? names[0] ?? "";
    return urls.map((url) => [url, sharedName(folder)] as const);
  });
}

/**
 * Returns the folder of a module. Each module of the standard library is treated as a folder, because some of them run
 * code when they are loaded: most of `@std/path` looks for `process`, and Deno then loads a part of Node.js.
 */
function folderOf(url: string): string {
  return standard.test(url) ? url : url.slice(0, url.lastIndexOf("/"));
}

/** Returns the file name for a folder's shared modules, such as `websocket_client_shared`. */
function sharedName(folder: string): string {
  const path = folder.replace(/^.*\/(?:src\/|@?std\/|deno-std\/|(?=mvc\b))/, "").replace(
    /\/\d[\w.-]*(?=\/)|\.[jt]s$/g,
    "",
  );
  return `${path.replaceAll(/\W+/g, "_")}_shared`;
}

/**
 * Puts the modules that an entry point shares with its command-line program in a separate file. Rollup would put the
 * entry point in the same file, and it would then no longer be the main module.
 */
function programChunk(graph: ModuleGraph, name: string, url: string): (readonly [url: string, chunk: string])[] {
  const programs = graph.imports(url, "later").filter((each) => each.endsWith("/main.ts"));
  const shared = graph.loadedBy(programs).intersection(graph.loadedBy([url]));
  shared.delete(url);
  return [...shared].map((each) => [each, `${name.slice("./".length)}_parts`] as const);
}

/** Reports whether a module imports a matching module, directly or indirectly. */
function imports(graph: ModuleGraph, url: string, kind: RegExp): boolean {
  return [...graph.loadedBy([url])].some((each) => kind.test(each));
}
