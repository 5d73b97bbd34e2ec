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
import { Declarations, type Origin, type Statement } from "./bundle_declarations.ts";
import { fileName } from "./bundle_modules.ts";

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
  const declarations = new Declarations();
  const queue = new Set(entries.values());
  for (const path of queue) {
    const modules = declarations.add(path, await Deno.readTextFile(join(folder, path)));
    modules.forEach((each) => each.endsWith(".ts") && queue.add(each));
  }
  await Deno.mkdir(join(folder, typesFolder));
  for (const [name, content] of new TypeFiles(declarations, entries).contents()) {
    await Deno.writeTextFile(join(folder, typesFolder, `${name}.d.ts`), content);
  }
  await runDeno(["fmt", "--quiet", typesFolder], folder);
}

/** The files with the declarations that entry points lead to. */
export class TypeFiles {
  readonly #declarations: Declarations;
  readonly #entries: ReadonlyMap<string, string>;
  readonly #needed = new Set<Statement>();
  readonly #files = new Map<string, File>();
  /** The names of the files by the paths of their modules. */
  readonly #places = new Map<string, string>();

  /**
   * @param declarations The declarations.
   * @param entries The paths of the entry points, by the names of their files.
   */
  constructor(declarations: Declarations, entries: ReadonlyMap<string, string>) {
    this.#declarations = declarations;
    this.#entries = entries;
    for (const path of entries.values()) this.#need(declarations.exportsOf(path).map(([, origin]) => origin));
    const users = new Map<string, Set<string>>();
    for (const [name, entry] of entries) {
      const seen = new Set([entry]);
      for (const path of seen) {
        users.getOrInsertComputed(path, () => new Set()).add(name);
        const exported = path === entry ? new Map(declarations.exportsOf(path)) : new Map<string, Origin>();
        for (const { id } of [...this.#namesIn(path).values(), ...exported.values()]) {
          const { module } = partsOf(id);
          if (module.endsWith(".ts")) seen.add(module);
        }
      }
    }
    for (const [name, path] of entries) this.#put(path, name);
    for (const [path, names] of users) if (!this.#places.has(path)) this.#put(path, groupOf(names));
  }

  /** Yields the names and contents of the files. */
  *contents(): Generator<[name: string, content: string]> {
    for (const [file, { modules }] of this.#files) {
      const entry = this.#entries.get(file);
      const links = new Map<string, Set<string>>();
      const link = (kind: string, { id, isType }: Origin, as: string) => {
        const { module, name } = partsOf(id);
        const isHere = this.#places.get(module) === file;
        if (module === "" || (isHere && name === as)) return;
        const from = isHere && kind === "export" ? "" : ` from "${this.#specifier(module)}"`;
        const statement = `${kind} ${name === "*" ? `* as ${as}` : "{}"}${from};`;
        const type = kind === "export" && isType ? "type " : "";
        links.getOrInsertComputed(statement, () => new Set()).add(type + (name === as ? as : `${name} as ${as}`));
      };
      for (const path of modules) this.#namesIn(path).forEach((origin, as) => link("import type", origin, as));
      if (entry !== undefined) {
        for (const [as, origin] of this.#declarations.exportsOf(entry)) link("export", origin, as);
      }
      const lines = [...links].map(([statement, names]) => statement.replace("{}", `{ ${[...names].join(", ")} }`));
      if (entry !== undefined) {
        lines.unshift(this.#declarations.commentOn(entry));
        // Without a list of exports, all declarations would be exported.
        lines.push("export {};");
      }
      yield [file, [...lines, ...modules.map((path) => `\n// ${path}\n\n${this.#textOf(path)}`)].join("\n")];
    }
  }

  /** Marks declarations as needed, together with those that they use. */
  #need(origins: Iterable<Origin>): void {
    for (const origin of origins) {
      const { module, name } = partsOf(origin.id);
      if (name === "*") this.#need(this.#declarations.exportsOf(module).map(([, each]) => each));
      for (const statement of this.#declarations.of(origin)) {
        if (this.#needed.has(statement)) continue;
        this.#needed.add(statement);
        this.#need(statement.names.map((each) => this.#declarations.originOf(`${module} ${each}`)));
      }
    }
  }

  /** Returns the names in the needed declarations of a module. */
  #namesIn(path: string): Map<string, Origin> {
    const names = this.#neededIn(path).flatMap(({ names }) => names);
    return new Map(names.map((name) => [name, this.#declarations.originOf(`${path} ${name}`)]));
  }

  /** Returns the needed declarations of a module. Exported namespaces refer to the files of their modules. */
  #textOf(path: string): string {
    return this.#neededIn(path).map(({ text }) => text).join("")
      .replaceAll(/^(export \* as \w+ from) "(.+)"/gm, (_, head, module) => `${head} "${this.#specifier(module)}"`);
  }

  #neededIn(path: string): Statement[] {
    return this.#declarations.in(path).filter((each) => this.#needed.has(each));
  }

  #specifier(module: string): string {
    const place = this.#places.get(module);
    return place === undefined ? module : `./${place}.d.ts`;
  }

  /** Puts a module in the first file of a group in which its names have the same meaning. */
  #put(path: string, group: string): void {
    const names = this.#namesIn(path);
    for (let at = 1; !this.#places.has(path); at++) {
      const place = at === 1 ? group : `${group}${at}`;
      const file = this.#files.getOrInsertComputed(place, () => ({ modules: [], names: new Map() }));
      if (names.entries().some(([as, { id }]) => (file.names.get(as) ?? id) !== id)) continue;
      names.forEach(({ id }, as) => file.names.set(as, id));
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

/** Returns the module and the name of an origin. Globals have no module. */
function partsOf(id: string): { module: string; name: string } {
  const [, module = "", name = ""] = /^(.+)[ #](.+)$/.exec(id) ?? [];
  return { module, name };
}
