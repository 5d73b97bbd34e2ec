/**
 * Assigns modules to the files of the bundle.
 *
 * @module
 */

import { type ModuleGraph, urlOf } from "./module_graph.ts";

/**
 * Entry points that run without a server, some of them in browsers. Modules they share with others are put in a
 * separate file.
 */
const light: readonly string[] = ["client", "keys", "lint"];

/** Modules that several features share. */
const shared = /\/(?:checked_value|escape_html|file_name|from_file_url|recent_map|safe_name)\.[jt]s$/;

/**
 * The files of the features that are loaded on first use, with their modules. A file has only modules that are needed
 * together, because the first use of any of them loads all. There are few, because Deno opens them at every start.
 */
const features: readonly (readonly [name: string, modules: RegExp])[] = [
  ["yaml", /yaml/],
  ["markdown", /\/markdown\.ts$/],
  ["formats", /\/formats\/(?:xml|msgpack)|\/(?:event_texts|serialize\/chunks)\.ts$/],
  ["messages", /\/i18n\/|\/language_rules\.ts$/],
  ["files", /\/(?:response\/file|static|http\/page)\/|\/(?:save_uploads|upload_folder)\.ts$/],
  [
    "forms",
    /\/(?:body|accessors(?!\/(?:json_splitter|handed_body))|context\/format(?!\/negotiated))\/|\/event_input\.ts$/,
  ],
  ["views", /\/view\/|\/app\/(?:inspect\/|sitemap)|\/render_view\.ts$/],
  ["later", /./],
];

/** A file of the bundle. It also contains the imports of its modules, unless a file before it does. */
export interface Chunk {
  /** The name of the file. */
  readonly name: string;
  /** Reports whether the file contains a module. */
  readonly test: (id: string) => boolean;
}

/**
 * Assigns modules to files. `core` contains the modules that `import "@fw/web"` loads and those that several features
 * share, and `base` contains the modules that light entry points need, too. All modules that are not assigned stay with
 * the entry point that imports them.
 *
 * @param graph The modules.
 * @param entries The files of the entry points by name.
 * @returns The files, the most important first.
 */
export function chunksOf(graph: ModuleGraph, entries: Readonly<Record<string, string>>): Chunk[] {
  const [main = "", ...others] = ["mod", ...light].map((name) => urlOf(entries[name] ?? ""));
  const core = graph.loadedBy([main]);
  const lights = graph.loadedBy(others);
  const all = graph.loadableBy(core, new Set(Object.values(entries).map(urlOf)));
  const later = all.difference(core);
  const chunks: readonly (readonly [name: string, test: (id: string, url: string) => boolean])[] = [
    ["base", (_, url) => lights.has(url) && all.has(url)],
    ["core", (id, url) => core.has(url) || (later.has(url) && shared.test(id))],
    ...features.map(([name, modules]) =>
      [name, (id: string, url: string) => later.has(url) && modules.test(id)] as const
    ),
  ];
  return chunks.map(([name, test]) => ({ name, test: (id) => test(id, urlOf(id)) }));
}
