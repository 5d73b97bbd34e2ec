/**
 * The license notice for third-party code in the bundle.
 *
 * @module
 */

import { join } from "@std/path";
import type { ModuleGraph } from "./module_graph.ts";

/**
 * Creates the license notice.
 *
 * @param graph All modules. Modules of npm packages that are not in the bundle match the second argument.
 * @param imported Matches the npm packages that are not included.
 * @returns Markdown.
 */
export async function licenseNote(graph: ModuleGraph, imported: RegExp): Promise<string> {
  const taken = graph.packagesOf(graph.all.filter((url) => url.startsWith("npm:") && !imported.test(url)));
  const packages = taken.map(async ({ name, version, folder }) =>
    `## ${name}@${version}\n\n${(await Deno.readTextFile(join(folder, "LICENSE"))).trim()}\n`
  );
  return `# Licenses

The files in this folder are built from the sources of @fw/web, under the license in \`../LICENSE\`, and contain parts of
these packages of the Deno standard library:

${standardLibrary(graph.all).map((name) => `- ${name}`).join("\n")}

${(await Deno.readTextFile(ownLicense)).replace(/^Copyright.*$/m, "Copyright 2018-2026 the Deno authors.")}
${(await Promise.all(packages)).join("\n")}`;
}

/** The license of fw. The standard library has the same, from other authors. */
const ownLicense = new URL("../../LICENSE", import.meta.url);

/** Lists the packages of the standard library, with their versions if the URLs contain them. */
function standardLibrary(urls: readonly string[]): string[] {
  const names = urls.flatMap((url) => {
    const [, name, version] = /\/@?(std\/[\w-]+)(?:\/(\d[\w.-]*))?\//.exec(url) ?? [];
    return name === undefined ? [] : [`@${name}${version === undefined ? "" : `@${version}`}`];
  });
  return [...new Set(names)].sort();
}
