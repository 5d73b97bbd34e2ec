/**
 * The modules of the bundle, from the graph of Deno to the code of the files.
 *
 * @module
 */

import { fromFileUrl, join, relative, SEPARATOR } from "@std/path";
import { stripTypeScriptTypes } from "node:module";
import { type Plugin, RUNTIME_MODULE_ID } from "npm:rolldown@1.0.3";
import { rewrite, shorten, shortenTable } from "./bundle_code.ts";
import { type ModuleGraph, urlOf } from "./module_graph.ts";

/**
 * The npm packages that are imported instead. They handle passwords and tokens, so that applications must be able to
 * update them without a new version of fw. The stand-ins for the standard library in a registry import the last one.
 */
export const imported: RegExp = /^npm:\/(?:hash-wasm|jose|oauth4webapi|deno-std)@/;

/** The file in which the bundler puts its helpers. Each file gets a copy of them, because Deno would open one more. */
export const helperFile = "rolldown-runtime.js";
const helperImport = /^import .* from "\.\/rolldown-runtime\.js";$/m;

/**
 * Resolves and loads modules like Deno, rewrites those of fw, and shortens the files of the bundle.
 *
 * @param folder The folder of the package.
 * @param graph Its modules.
 * @param called The names of the functions that every start calls, by the paths of their modules.
 * @returns A plugin for the bundler.
 */
export function modules(folder: string, graph: ModuleGraph, called: ReadonlyMap<string, ReadonlySet<string>>): Plugin {
  return {
    name: "modules",
    resolveId(specifier, importer) {
      const url = importer === undefined ? undefined : graph.resolve(specifier, urlOf(importer));
      if (url === undefined) return null;
      if (url.startsWith("node:") || imported.test(url)) return { id: specifier, external: true };
      if (url.startsWith("file:")) return fromFileUrl(url);
      const [, name, path] = /^npm:\/(.[^@]*)@[^/]*(.*)/.exec(url) ?? [];
      return name === undefined ? url : this.resolve(name + path, join(folder, "mod.ts"), { skipSelf: true });
    },
    async load(id) {
      const file = graph.local(urlOf(id));
      if (file === undefined || id.endsWith(".json")) return null;
      const text = await Deno.readTextFile(file);
      const code = id.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
      const isTable = /\/media[-_]types\/.*\/db\.[jt]s$/.test(id);
      return { code: isTable ? await shortenTable(code) : code, moduleType: "js" };
    },
    transform(_, id, module) {
      const path = pathIn(folder, id);
      if (!/^(?:src|mvc|mod)\b.*\.ts$/.test(path)) return null;
      const { magicString: text, ast: program } = module;
      if (text === undefined || program === undefined) throw new Error(`Cannot rewrite "${path}": it was not parsed`);
      rewrite({ path, text, program, called: called.get(path) ?? new Set() });
      return { code: text };
    },
    renderChunk(code, _chunk, _options, { chunks }) {
      const helpers = chunks[helperFile]?.modules[RUNTIME_MODULE_ID]?.code ?? "";
      // They stay on the line of the import, so that source maps remain correct.
      return shorten(code.replace(helperImport, () => helpers.replaceAll(/^\/\/.*$|\n/gm, " ")));
    },
  };
}

/** Returns the path of a file in a folder, with slashes. */
export function pathIn(folder: string, file: string): string {
  return relative(folder, file).replaceAll(SEPARATOR, "/");
}

/** Returns the name of an entry point's file. All files are in one folder, so that they can refer to the sources. */
export function fileName(entry: string): string {
  return entry === "." ? "mod" : entry.slice("./".length).replaceAll("/", "_");
}
