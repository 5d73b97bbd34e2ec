/**
 * Writes the types of the published package: the declarations of the public API without the code behind it.
 *
 * The registry lists the imports of all modules that the entry points or their types lead to, and Deno reads this list
 * at every start. Therefore, the declarations of all modules become one file per entry point, and a few files that
 * several entry points share. No name is changed: modules in which a name means different things are put in different
 * files.
 *
 * @module
 */

import { join } from "@std/path";
import { posix } from "node:path";
import { runDeno } from "../registry/publish_all.ts";
import { light } from "./bundle_chunks.ts";
import { fileName } from "./bundle_modules.ts";
import type { Name } from "./bundle_declarations.ts";
import { PublicAPI } from "./bundle_api.ts";

/** The folder of the declarations in the package. */
export const typesFolder = "types";

/** A file of declarations. */
interface File {
  /** The paths of the modules. */
  readonly modules: string[];
  /** The origins of all names. */
  readonly names: Map<string, string>;
}

/**
 * Writes the declarations of a package to its `types` folder.
 *
 * @param folder The folder of the package.
 * @param exports The entry points, as in deno.json.
 */
export async function writeTypes(folder: string, exports: Readonly<Record<string, string>>): Promise<void> {
  const entries = new Map(Object.entries(exports).map(([name, path]) => [fileName(name), posix.normalize(path)]));
  const types = new TypeFiles(await PublicAPI.read(folder, [...entries.values()]), entries);
  await Deno.mkdir(join(folder, typesFolder));
  for (const [name, content] of types.contents()) {
    await Deno.writeTextFile(join(folder, typesFolder, `${name}.d.ts`), content);
  }
  await runDeno(["fmt", "--quiet", typesFolder], folder);
}

/** The files of the declarations. */
export class TypeFiles {
  readonly #api: PublicAPI;
  readonly #entries: ReadonlyMap<string, string>;
  readonly #files = new Map<string, File>();
  /** The names of the files by the paths of their modules. */
  readonly #places = new Map<string, string>();

  /**
   * @param api The declarations.
   * @param entries The paths of the entry points, by the names of their files.
   */
  constructor(api: PublicAPI, entries: ReadonlyMap<string, string>) {
    this.#api = api;
    this.#entries = entries;
    for (const [name, path] of entries) this.#put(path, name);
    for (const [path, users] of this.#users()) if (!this.#places.has(path)) this.#put(path, groupOf(users));
  }

  /** Yields the names and contents of the files. */
  *contents(): Generator<[name: string, content: string]> {
    for (const [file, { modules }] of this.#files) {
      const entry = this.#entries.get(file);
      const links = new Map<string, Set<string>>();
      const link = (kind: string, { module, name, isType }: Name, as: string) => {
        const isHere = this.#places.get(module) === file;
        if (module === "" || (isHere && name === as)) return;
        const from = isHere && kind === "export" ? "" : ` from "${this.#specifier(module)}"`;
        const names = links.getOrInsertComputed(
          `${kind} ${name === "*" ? `* as ${as}` : "{}"}${from};`,
          () => new Set(),
        );
        names.add(`${kind === "export" && isType ? "type " : ""}${name === as ? as : `${name} as ${as}`}`);
      };
      for (const path of modules) this.#api.namesIn(path).forEach((name, as) => link("import type", name, as));
      for (const [as, name] of entry === undefined ? [] : this.#api.exportsOf(entry)) link("export", name, as);
      yield [
        file,
        [
          entry === undefined ? "" : this.#api.commentOn(entry),
          ...[...links].map(([statement, names]) => statement.replace("{}", `{ ${[...names].join(", ")} }`)),
          ...modules.map((path) => `\n// ${path}\n\n${this.#textOf(path)}`),
          // Without a list of exports, all declarations would be exported.
          entry === undefined ? "" : "export {};",
        ].join("\n"),
      ];
    }
  }

  /** Returns the declarations of a module. Exported namespaces refer to the files of their modules. */
  #textOf(path: string): string {
    return this.#api.textOf(path)
      .replaceAll(/^(export \* as \w+ from) "(.+)"/gm, (_, head, module) => `${head} "${this.#specifier(module)}"`);
  }

  #specifier(module: string): string {
    const place = this.#places.get(module);
    return place === undefined ? module : `./${place}.d.ts`;
  }

  /** Returns the names of the entry points that lead to each module. */
  #users(): Map<string, Set<string>> {
    const users = new Map<string, Set<string>>();
    for (const [name, entry] of this.#entries) {
      const seen = new Set([entry]);
      for (const path of seen) {
        users.getOrInsertComputed(path, () => new Set()).add(name);
        const names = path === entry ? [...this.#api.exportsOf(path)] : [];
        for (const [, { module }] of [...names, ...this.#api.namesIn(path)]) {
          if (module.endsWith(".ts")) seen.add(module);
        }
      }
    }
    return users;
  }

  /** Puts a module in the first file of a group in which its names have the same meaning. */
  #put(path: string, group: string): void {
    const names = [...this.#api.namesIn(path)].map(([as, { module, name }]) => [as, `${module} ${name}`] as const);
    for (let at = 1; !this.#places.has(path); at++) {
      const place = at === 1 ? group : `${group}${at}`;
      const file = this.#files.getOrInsertComputed(place, () => ({ modules: [], names: new Map() }));
      if (names.some(([as, origin]) => (file.names.get(as) ?? origin) !== origin)) continue;
      for (const [as, origin] of names) file.names.set(as, origin);
      file.modules.push(path);
      this.#places.set(path, place);
    }
  }
}

/** Returns the group of a module: a file of the only entry point that leads to it, or shared files. */
function groupOf(entries: ReadonlySet<string>): string {
  const [first = ""] = entries;
  if (entries.size === 1) return `${first}_parts`;
  if (light.some((each) => entries.has(each))) return "base";
  return entries.has("mod") ? "core" : "features";
}
