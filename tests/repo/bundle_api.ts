/**
 * The declarations that the exports of entry points lead to.
 *
 * @module
 */

import { join } from "@std/path";
import { declarationsOf, type Module, type Name, type Statement } from "./bundle_declarations.ts";

/** The declarations of a package. */
export class PublicAPI {
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #needed = new Map<string, Set<Statement>>();

  /**
   * @param modules The declarations of the modules by path.
   * @param entries The paths of the entry points.
   */
  constructor(modules: ReadonlyMap<string, Module>, entries: Iterable<string>) {
    this.#modules = modules;
    for (const entry of entries) for (const [, origin] of this.exportsOf(entry)) this.#need(origin);
  }

  /**
   * Reads the declarations of entry points, and of the modules that these import.
   *
   * @param folder The folder of the package.
   * @param entries The paths of the entry points in the package.
   * @returns The declarations.
   */
  static async read(folder: string, entries: readonly string[]): Promise<PublicAPI> {
    const modules = new Map<string, Module>();
    const queue = new Set(entries);
    for (const path of queue) {
      const module = declarationsOf(path, await Deno.readTextFile(join(folder, path)));
      modules.set(path, module);
      for (const { module: next } of [...module.names.values(), ...module.exports.values()]) {
        if (next.endsWith(".ts")) queue.add(next);
      }
    }
    return new PublicAPI(modules, entries);
  }

  /** Returns the paths of the modules with needed declarations. */
  get paths(): Iterable<string> {
    return this.#needed.keys();
  }

  /** Returns the comment on a module. */
  commentOn(path: string): string {
    return this.#module(path).comment;
  }

  /** Returns the needed declarations of a module. */
  textOf(path: string): string {
    return this.#module(path).statements.filter((each) => this.#needed.get(path)?.has(each)).map(({ text }) => text)
      .join("");
  }

  /** Returns the names in the needed declarations of a module, with their origins. */
  namesIn(path: string): Map<string, Name> {
    const names = [...this.#needed.get(path) ?? []].flatMap(({ names, uses }) => [...names, ...uses]);
    return new Map(names.map((name) => [name, this.#meaningOf(name, path)]));
  }

  /** Yields the exports of a module with their origins. */
  *exportsOf(path: string): Generator<[as: string, origin: Name]> {
    for (const [as, name] of this.#module(path).exports) {
      if (as !== "*") yield [as, this.#originOf({ module: path, name: as, isType: false })];
      else for (const [each, origin] of this.exportsOf(name.module)) yield [each, { ...origin, isType: true }];
    }
  }

  #need({ module, name }: Name): void {
    if (!this.#modules.has(module)) return;
    if (name === "*") { for (const [, origin] of this.exportsOf(module)) this.#need(origin); }
    const needed = this.#needed.getOrInsertComputed(module, () => new Set());
    for (const statement of this.#module(module).statements) {
      if (!statement.names.includes(name) || needed.has(statement)) continue;
      needed.add(statement);
      for (const use of statement.uses) this.#need(this.#meaningOf(use, module));
    }
  }

  /** Returns the declaration that a name in a module refers to. */
  #meaningOf(name: string, path: string): Name {
    const found = this.#module(path).names.get(name) ?? { module: "", name, isType: true };
    return found.module === path ? found : this.#originOf(found);
  }

  /** Returns the declaration that an export refers to. */
  #originOf(name: Name): Name {
    const exports = this.#modules.get(name.module)?.exports;
    if (exports === undefined || name.name === "*") return name;
    const found = exports.get(name.name) ?? { module: "", isType: true, ...exports.get("*"), name: name.name };
    const origin = found.module === name.module ? this.#meaningOf(found.name, found.module) : this.#originOf(found);
    return { ...origin, isType: name.isType || found.isType || origin.isType };
  }

  #module(path: string): Module {
    const found = this.#modules.get(path);
    if (found === undefined) throw new Error(`Cannot declare "${path}": it was not read`);
    return found;
  }
}
