/**
 * Which modules share a file of the bundle.
 *
 * @module
 */

import { ofPackage } from "./bundle_packages.ts";
import type { ModuleGraph } from "./module_graph.ts";

/** Entries that run without a server, some of them in browsers: what they share with the others is a file of its own. */
const light: readonly string[] = ["./client", "./keys", "./lint"];

/** The most that a folder's shared modules may add to `core`, in bytes of their sources. */
const small = 8_000;

/**
 * Gathers modules in files: `core` is what `import "@fw/web"` loads, `base` what light entries need of it, and `later`
 * what requests load on first use. The other modules stay with the entry that imports them.
 *
 * Modules that both another entry and a request load get a file for each folder. Folders never import each other in
 * circles, so neither do these files. `core` takes in only the smallest, and only if they bring nothing else along: a
 * single import out of `core` would make every start load one more file.
 *
 * @param graph The modules.
 * @param entries The URLs of the entries by name.
 * @returns The name of the file by the URL of the module.
 */
export function roomsOf(graph: ModuleGraph, entries: ReadonlyMap<string, string>): Map<string, string> {
  const loaded = (isWanted: (name: string, url: string) => boolean) =>
    graph.loadedBy([...entries].filter(([name, url]) => isWanted(name, url)).map(([, url]) => url));
  const core = loaded((name) => name === ".");
  const base = loaded((name) => light.includes(name)).intersection(core);
  const others = loaded((_, url) => !core.has(url));
  // A room that needs a package of npm is not put together with rooms that work without it.
  const later = [...core].flatMap((url) => graph.imports(url, "later"))
    .filter((url) => !imports(graph, url, ofPackage))
    .reduce((all, url) => all.union(graph.loadedBy([url])), new Set<string>()).difference(core);
  const roots = new Set(entries.values());
  const folders = Map.groupBy(later.intersection(others), folderOf);
  const isSmall = (urls: readonly string[]) => urls.reduce((sum, url) => sum + graph.size(url), 0) <= small;
  const added = new Set([...folders.values()].filter(isSmall).flat()).difference(roots);
  // What brings something else along stays out, and with it whatever imports it.
  for (let before = -1; before !== added.size;) {
    before = added.size;
    const inside = core.union(added);
    for (const url of added) if (!graph.loadedBy([url]).isSubsetOf(inside)) added.delete(url);
  }
  return new Map([
    ...[...entries].flatMap(([name, url]) => programRoom(graph, name, url)),
    ...[...folders].filter(([, urls]) => !urls.every((url) => roots.has(url)))
      .flatMap(([folder, urls]) => urls.map((url) => [url, sharedName(folder)] as const)),
    ...[...later.difference(others)].map((url) => [url, "later"] as const),
    ...[...core, ...added].map((url) => [url, "core"] as const),
    ...[...base].map((url) => [url, "base"] as const),
  ]);
}

/** The folder of a module; a package of the standard library counts as one. */
function folderOf(url: string): string {
  return /^.*\/@?std\/[\w-]+(?=\/)/.exec(url)?.[0] ?? url.slice(0, url.lastIndexOf("/"));
}

/** The name of the file for a folder's shared modules, such as `websocket_client_shared`. */
function sharedName(folder: string): string {
  return `${folder.replace(/^.*\/(?:src\/|@?std\/|(?=mvc\b))/, "").replaceAll("/", "_")}_shared`;
}

/**
 * What an entry shares with the program that it loads when it is run becomes a file of its own: rollup would put it into
 * the file of the entry, and that behind another one, in which the entry is not the main module any more.
 */
function programRoom(graph: ModuleGraph, name: string, url: string): (readonly [url: string, room: string])[] {
  const programs = graph.imports(url, "later").filter((each) => each.endsWith("/main.ts"));
  const shared = graph.loadedBy(programs).intersection(graph.loadedBy([url]));
  shared.delete(url);
  return [...shared].map((each) => [each, `${name.slice("./".length)}_parts`] as const);
}

/** Reports whether a module loads another one of some kind, by itself or by what it imports. */
function imports(graph: ModuleGraph, url: string, kind: RegExp): boolean {
  return [...graph.loadedBy([url])].some((each) => kind.test(each));
}
