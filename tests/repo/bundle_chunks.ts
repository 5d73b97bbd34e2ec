/**
 * Assigns modules to the files of the bundle.
 *
 * @module
 */

import type { ModuleGraph } from "./module_graph.ts";

/**
 * Entry points that run without a server, some of them in browsers. Modules they share with others are put in a
 * separate file.
 */
const light: readonly string[] = ["./client", "./keys", "./lint"];

/**
 * The files of the features that are loaded on first use, with their modules. A file has only modules that are needed
 * together, because the first use of any of them loads all. There are few, because Deno opens them at every start.
 */
const features: readonly (readonly [file: string, modules: RegExp])[] = [
  ["yaml", /yaml/],
  ["markdown", /\/(?:marked\.js|markdown\.ts)$/],
  ["formats", /\/formats\/(?:xml|msgpack)|\/(?:event_texts|serialize\/chunks)\.ts$/],
  ["messages", /\/i18n\/|\/language_rules\.ts$/],
  ["files", /\/(?:response\/file|static|http\/page)\/|\/(?:save_uploads|upload_folder)\.ts$/],
  [
    "forms",
    /\/(?:body(?!.*\/safe_name)|accessors(?!\/(?:json_splitter|handed_body))|context\/format(?!\/negotiated))\/|\/event_input\.ts$/,
  ],
  ["views", /\/view\/|\/app\/(?:inspect\/|sitemap)|\/render_view\.ts$/],
];

/** The file of all other modules that are loaded on first use, apart from entry points. */
const rest = "later";

/**
 * Assigns modules to files. `core` contains the modules that `import "@fw/web"` loads and those that several features
 * share, and `base` contains the modules that light entry points need, too. All modules that are not assigned stay with
 * the entry point that imports them.
 *
 * @param graph The modules.
 * @param entries The URLs of the entry points by name.
 * @returns The file names by module URL.
 */
export function chunksOf(graph: ModuleGraph, entries: ReadonlyMap<string, string>): Map<string, string> {
  const [main = "", ...others] = ["."].concat(light).map((name) => entries.get(name) ?? "");
  const core = graph.loadedBy([main]);
  const own = new Set(entries.values());
  const files = new Map<string, Set<string>>();
  for (const use of firstUses(graph, core)) {
    if (own.has(use)) continue;
    const file = featureOf(use) ?? rest;
    for (const url of graph.loadedBy([use]).difference(core)) files.set(url, (files.get(url) ?? new Set()).add(file));
  }
  return new Map([
    ...[...entries].flatMap(([name, url]) => programChunk(graph, name, url)),
    ...[...files].map(([url, [file = rest, ...more]]) =>
      [url, featureOf(url) ?? (more.length === 0 ? file : "core")] as const
    ),
    ...[...core].map((url) => [url, "core"] as const),
    ...[...graph.loadedBy(others).intersection(core.union(files))].map((url) => [url, "base"] as const),
  ]);
}

function featureOf(url: string): string | undefined {
  return features.find(([, modules]) => modules.test(url))?.[0];
}

/** Returns the modules outside `core` that it loads on first use, directly or indirectly. */
function firstUses(graph: ModuleGraph, core: ReadonlySet<string>): Set<string> {
  const seen = new Set(core);
  const uses = new Set<string>();
  for (const url of seen) {
    for (const next of graph.imports(url, "later")) if (!core.has(next)) uses.add(next);
    for (const next of [...graph.imports(url, "at once"), ...graph.imports(url, "later")]) seen.add(next);
  }
  return uses;
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
