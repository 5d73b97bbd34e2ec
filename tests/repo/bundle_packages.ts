/**
 * The npm packages that are included in the bundle.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import type { LicensedPackage } from "./bundle_licenses.ts";
import { bundle } from "./bundler.ts";
import { ModuleGraph } from "./module_graph.ts";

/** The folder for the packages. It is not published. */
const packageFolder = "npm";

/** Matches modules of packages, whether they are included in the bundle or imported. */
export const ofPackage: RegExp = new RegExp(`^npm:|/${packageFolder}/`);

/** The packages to include. */
export interface TakenPackages {
  /** Entries for the import map that lead to the modules. */
  readonly imports: Readonly<Record<string, string>>;
  /** The packages, for the license notice. */
  readonly packages: readonly LicensedPackage[];
}

/** The modules that import the packages. */
export interface Importer {
  /** The folder of the package. */
  readonly folder: string;
  /** The main module. */
  readonly entry: string;
  /** Whether the folder's configuration specifies a lock file. */
  readonly isLocked: boolean;
}

/**
 * Writes one module for each package that `@fw/web` itself can load, even if only on first use. Deno resolves an
 * imported package at every start, which takes 0.6 ms, although hardly any application uses all of them. The packages
 * of other entry points are still imported, because only applications that use such an entry point need them.
 *
 * @param importer The modules that import the packages.
 * @returns The packages.
 */
export async function takePackages({ folder, entry, isLocked }: Importer): Promise<TakenPackages> {
  const graph = await ModuleGraph.of(join(folder, entry), { cwd: folder, isLocked });
  const sources = [...graph.loadable].filter((url) => url.startsWith(toFileUrl(`${folder}/`).href));
  const found = new Map(
    sources.flatMap((url) => graph.specifiers(url).map((each) => [each, graph.resolve(each, url) ?? ""] as const))
      .filter(([, url]) => url.startsWith("npm:")),
  );
  await Deno.mkdir(join(folder, packageFolder));
  const imports = [...found].map(async ([specifier, url]) => [specifier, await writeModule(folder, url)] as const);
  const packages = graph.packagesOf(found.values()).map(async ({ name, version, folder }) => ({
    name: `${name}@${version}`,
    license: (await Deno.readTextFile(join(folder, "LICENSE"))).trim(),
  }));
  return { imports: Object.fromEntries(await Promise.all(imports)), packages: await Promise.all(packages) };
}

/** Bundles the module at a URL such as `npm:/eta@4.6.0/core` into a single file. */
async function writeModule(folder: string, url: string): Promise<string> {
  const specifier = url.replace(/^npm:\//, "npm:");
  const names = Object.keys(await import(specifier)).filter((name) => /^[\w$]+$/.test(name));
  const stem = join(folder, packageFolder, specifier.replace(/^npm:/, "").replaceAll(/[^\w-]+/g, "_"));
  await Deno.writeTextFile(`${stem}_entry.ts`, `export { ${names.join(", ")} } from ${JSON.stringify(specifier)};\n`);
  await bundle(["--no-lock", "--no-config", "--output", `${stem}.js`, `${stem}_entry.ts`]);
  return toFileUrl(`${stem}.js`).href;
}
