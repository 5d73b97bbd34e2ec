/**
 * Creates the bundle that users run: a few JavaScript files instead of several hundred modules.
 *
 * Deno opens every module at every start and computes its checksum, including modules that are loaded with `import()`.
 * This takes 150 µs per module and 10 µs per kilobyte. Loading code that is not used takes another 25 µs per kilobyte.
 * Therefore, the modules that `import "@fw/web"` loads become one file, those that requests load on first use become a
 * few others, and the functions of the standard library and some npm packages are included. The sources are published
 * as well, for stack traces and readers.
 *
 * | Step | File | Worth |
 * |---|---|---|
 * | Modules become a few files | `bundle_chunks.ts` | 120 ms of CPU time per start |
 * | The types of entry points are a few files of declarations | `bundle_types.ts` | 35 ms |
 * | Functions that every start calls are compiled with their file | `bundle_eager.ts` | 3 ms, or 6 ms with controllers |
 * | Whitespace, comments and the names of variables are shortened | `bundle_code.ts` | 4 ms |
 * | The names of private fields are shortened | `bundle_code.ts` | 13 of 670 KB |
 * | The table of media types is shortened | `bundle_code.ts` | 130 KB |
 * | Source maps are reduced to lines | `bundle_maps.ts` | 670 of 760 KB |
 *
 * @module
 */

import { join } from "@std/path";
import { rolldown } from "npm:rolldown@1.0.3";
import { chunksOf } from "./bundle_chunks.ts";
import { unlisted } from "./bundle_code.ts";
import { calledAtStart } from "./bundle_eager.ts";
import { licenseNote } from "./bundle_licenses.ts";
import { writeMapped } from "./bundle_maps.ts";
import { fileName, helperFile, imported, modules } from "./bundle_modules.ts";
import { typesFolder } from "./bundle_types.ts";
import { ModuleGraph } from "./module_graph.ts";

/** The folder of the bundle in the package. */
export const bundleFolder = "js";

/** The package to bundle. */
export interface Package {
  /** The folder of the package. */
  readonly folder: string;
  /** The entry points, as in deno.json. */
  readonly exports: Readonly<Record<string, string>>;
  /** Whether the configuration specifies a lock file. */
  readonly isLocked: boolean;
}

/**
 * Writes the bundle to the `js` folder of a package.
 *
 * @param pack The package.
 * @returns The entry points of the bundle.
 */
export async function bundle(pack: Package): Promise<Record<string, string>> {
  const { folder } = pack;
  const exports = { ...pack.exports, [`./${unlisted.file}`]: `./${unlisted.source}` };
  const input = Object.fromEntries(Object.entries(exports).map(([name, path]) => [fileName(name), join(folder, path)]));
  // The bundler finds npm packages in the folder node_modules, which is not published.
  const graph = await graphOf({ ...pack, exports }, ["--quiet", "--node-modules-dir=auto"]);
  const built = await rolldown({
    input,
    plugins: [modules(folder, graph, await calledAtStart(folder))],
    platform: "neutral",
    // The file for browsers of a package without ES modules is a single one, which is shorter.
    resolve: { conditionNames: ["import"], mainFields: ["module", "browser", "main"] },
    preserveEntrySignatures: "strict",
    experimental: { nativeMagicString: true },
    // Inlining would turn the lone surrogate by which fw marks a slash into other characters.
    optimization: { inlineConst: false },
    checks: { pluginTimings: false },
  });
  const { output } = await built.generate({
    dir: join(folder, bundleFolder),
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    // Every module that is loaded later would get a separate file if any module had an `await` at its top level.
    codeSplitting: { groups: chunksOf(graph, input) },
    // A variable with `var` is not checked at each access for whether it has a value already.
    topLevelVar: true,
    // The plugin shortens the code, because the bundler would also rename private methods.
    minify: false,
    postBanner: ({ isEntry, name }) =>
      isEntry && name !== unlisted.file ? `/* @ts-self-types="../${typesFolder}/${name}.d.ts" */` : "",
    // Stack traces refer to the sources.
    sourcemap: "hidden",
  });
  await built.close();
  await Deno.mkdir(join(folder, bundleFolder));
  for (const file of output) {
    if (file.type === "chunk" && file.fileName !== helperFile) await writeMapped(join(folder, bundleFolder), file);
  }
  await Deno.writeTextFile(join(folder, bundleFolder, "LICENSES.md"), await licenseNote(graph, imported));
  await Deno.remove(join(folder, "node_modules"), { recursive: true });
  return Object.fromEntries(Object.keys(pack.exports).map((name) => [name, `./${bundleFolder}/${fileName(name)}.js`]));
}

/**
 * Returns one graph for all entry points, because Deno only accepts a single module.
 *
 * @param pack The package.
 * @param flags Flags for `deno info`.
 * @returns The modules of all entry points.
 */
export async function graphOf(pack: Package, flags: readonly string[] = []): Promise<ModuleGraph> {
  const { folder: cwd, exports, isLocked } = pack;
  const all = join(cwd, "all_entries.ts");
  await Deno.writeTextFile(all, Object.values(exports).map((file) => `import ${JSON.stringify(file)};\n`).join(""));
  try {
    return await ModuleGraph.of(all, { cwd, isLocked, flags });
  } finally {
    await Deno.remove(all);
  }
}
