/**
 * The npm packages that are included in the bundle.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import type { LicensedPackage } from "./bundle_licenses.ts";
import { bundle } from "./bundler.ts";
import type { ModuleGraph } from "./module_graph.ts";

/** The folder for the packages. It is not published. */
const packageFolder = "npm";

/** Matches modules of packages, whether they are included in the bundle or imported. */
export const ofPackage: RegExp = new RegExp(`^npm:|/${packageFolder}/`);

/**
 * The packages that are imported instead. They handle passwords and tokens, so that applications must be able to update
 * them without a new version of fw.
 */
const imported = /^npm:\/(?:hash-wasm|jose|oauth4webapi)@/;

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
  /** All modules of the package. */
  readonly graph: ModuleGraph;
}

/**
 * Writes one module for each included package, so that applications do not have to download it. Deno also resolves an
 * imported package at every start, which takes 0.6 ms.
 *
 * @param importer The modules that import the packages.
 * @returns The packages.
 */
export async function takePackages({ folder, graph }: Importer): Promise<TakenPackages> {
  const sources = graph.all.filter((url) => url.startsWith(toFileUrl(`${folder}/`).href));
  const found = new Map(
    sources.flatMap((url) => graph.specifiers(url).map((each) => [each, graph.resolve(each, url) ?? ""] as const))
      .filter(([, url]) => url.startsWith("npm:") && !imported.test(url)),
  );
  await Deno.mkdir(join(folder, packageFolder));
  const modules = await Promise.all(
    [...found].map(async ([specifier, url]) => [specifier, await writeModule(folder, url)] as const),
  );
  const packages = graph.packagesOf(found.values()).map(async ({ name, version, folder }) => ({
    name: `${name}@${version}`,
    license: (await Deno.readTextFile(join(folder, "LICENSE"))).trim(),
  }));
  return {
    imports: Object.fromEntries(modules),
    packages: await Promise.all(packages),
  };
}

/** The place of a package's file in the cache of this machine, as seen from the working directory. */
const cachePath = /(?<=^\/\/ |^ +")[^"\n]*\/npm\/[^/"\n]+\//gm;

/**
 * Bundles the module at a URL such as `npm:/eta@4.6.0/core` into a single file, which does not depend on the folder or
 * on the machine.
 *
 * @param folder The folder of the package. It has a folder for the modules.
 * @param url The URL.
 * @returns The URL of the file.
 */
export async function writeModule(folder: string, url: string): Promise<string> {
  const specifier = url.replace(/^npm:\//, "npm:");
  const names = Object.keys(await import(specifier)).filter((name) => /^[\w$]+$/.test(name));
  const name = specifier.replace(/^npm:/, "").replace(/(?<=.)@[^/]+/, "").replaceAll(/[^\w-]+/g, "_").replace(/^_/, "");
  const stem = join(folder, packageFolder, name);
  await Deno.writeTextFile(`${stem}_entry.ts`, `export { ${names.join(", ")} } from ${JSON.stringify(specifier)};\n`);
  await bundle(["--no-lock", "--no-config", "--output", `${stem}.js`, `${stem}_entry.ts`]);
  await Deno.writeTextFile(`${stem}.js`, (await Deno.readTextFile(`${stem}.js`)).replaceAll(cachePath, ""));
  return toFileUrl(`${stem}.js`).href;
}
