/**
 * Assigns modules to the files of the bundle.
 *
 * @module
 */

import type { CodeSplittingGroup } from "npm:rolldown@1.0.3";
import { type ModuleGraph, urlOf } from "./module_graph.ts";

/**
 * Entry points that run without a server, some of them in browsers. Modules they share with others are put in a
 * separate file.
 */
export const light: readonly string[] = ["client", "keys", "lint"];

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

/**
 * Assigns modules to files. `core` contains the modules that `import "@fw/web"` loads and those that several features
 * share, and `base` contains the modules that light entry points need, too. All modules that are not assigned stay with
 * the entry point that imports them.
 *
 * @param graph The modules.
 * @param entries The files of the entry points by name.
 * @returns The files. Each also contains what its modules import, unless a file before it does.
 */
export function chunksOf(graph: ModuleGraph, entries: Readonly<Record<string, string>>): CodeSplittingGroup[] {
  const [main = "", ...others] = ["mod", ...light].map((name) => urlOf(entries[name] ?? ""));
  const core = graph.loadedBy([main]);
  const all = graph.loadableBy(core, new Set(Object.values(entries).map(urlOf)));
  const base = graph.loadedBy(others).intersection(all);
  const isLater = (id: string) => all.has(urlOf(id)) && !core.has(urlOf(id));
  return [
    { name: "base", test: (id) => base.has(urlOf(id)) },
    { name: "core", test: (id) => core.has(urlOf(id)) || (isLater(id) && shared.test(id)) },
    ...features.map(([name, modules]) => ({ name, test: (id: string) => isLater(id) && modules.test(id) })),
  ];
}
