/**
 * The declarations of modules, without the code behind them, and the names that connect them.
 *
 * @module
 */

import { posix } from "node:path";
import { isolatedDeclarationSync } from "npm:rolldown@1.0.3/experimental";

/** A declaration with its comment. */
export interface Statement {
  readonly text: string;
  /** The names that it declares or uses. */
  readonly names: readonly string[];
}

/** A declared name, such as `src/a.ts New`, a name from elsewhere, such as `node:sqlite#DatabaseSync`, or a global. */
export interface Origin {
  readonly id: string;
  /** Whether only the type of a class is available, because a module on the way exports only types. */
  readonly isType: boolean;
}

// The declarations are written by a tool that puts every statement at the beginning of a line. The lines of comments
// begin with an asterisk.
const moduleComment = /^\/\*\*\n(?:\s*\*(?!\/).*\n)*?\s*\* @module\n\s*\*\/\n/;
/** Matches imports, and exports without a declaration. */
const link = /^(import|export) (type )?(?:(\*)(?: as (\w+))?|\{([^}]*)\}|default (\w+))?(?: from )?(?:"(.+)")?;$/gm;
const linked = /(type )?(\w+)(?: as (\w+))?/g;
const comment = /\/\*[^]*?\*\/|\/\/.*/g;
const end = /(?<=^(?:\};?|[^\s*/}].*;)\n)/m;
const declaration = /^(export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type|\* as) (\w+)/gm;
/** Matches comments, strings and the names of members. */
const withoutNames = /^\s*(?:\/\*\*|\*).*$|"[^"\n]*"|\w+(?=\(|\??:)/gm;
/** Matches values after `typeof`, computed names, namespaces and types. Other words have no effect. */
const use = /(?<=typeof )\w+|(?<=\[)\w+(?=\])|\b\w+(?=\.)|(?<!\.)\b[A-Z]\w*/g;

/** The declarations of modules. A module's own names are written `path name`, and its exports `path#name`. */
export class Declarations {
  readonly #comments = new Map<string, string>();
  readonly #modules = new Map<string, Statement[]>();
  readonly #declared = new Map<string, Statement[]>();
  /** The names that refer to other names. */
  readonly #links = new Map<string, Origin>();

  /**
   * Adds the declarations of a module.
   *
   * @param path The path of the module in the package.
   * @param source The source.
   * @returns The modules from which it imports or exports names.
   */
  add(path: string, source: string): Set<string> {
    const { code, errors } = isolatedDeclarationSync(path, source, {});
    if (errors.length > 0) throw new Error(`Cannot declare "${path}": ${errors[0]?.message}`);
    this.#comments.set(path, moduleComment.exec(source)?.[0] ?? "");
    const modules = new Set<string>();
    const text = code
      // The tool escapes a word in comments and keeps the assertions of fields, which declarations cannot have.
      .replaceAll("<\\/script", "</script")
      .replaceAll(/^(\s+\w+)!:/gm, "$1:")
      // Declarations begin below their comments.
      .replaceAll(/^(\s*)(\/\*\*.*?\*\/) (?=\S)/gm, "$1$2\n$1")
      .replace(moduleComment, "")
      .replaceAll(link, (_, kind, type, star, as, list = "", byDefault, specifier) => {
        const module = specifier?.startsWith(".") ? posix.join(path, "..", specifier) : specifier;
        if (module !== undefined) modules.add(module);
        // This statement may have a comment.
        if (kind === "export" && as !== undefined) return `export * as ${as} from "${module}";`;
        const own = kind === "import" ? `${path} ` : `${path}#`;
        const other = module === undefined ? `${path} ` : `${module}#`;
        if (star !== undefined) this.#links.set(own + (as ?? "**"), { id: other + (as ? "*" : ""), isType: true });
        if (byDefault !== undefined) this.#links.set(`${path}#default`, { id: other + byDefault, isType: false });
        for (const [, isType, name = "", alias = name] of list.replaceAll(comment, "").matchAll(linked)) {
          this.#links.set(own + alias, { id: other + name, isType: Boolean(type ?? isType) });
        }
        return "";
      });
    this.#modules.set(path, text.split(end).map((text) => this.#declare(path, text)));
    return modules;
  }

  #declare(path: string, text: string): Statement {
    const declared = [...text.matchAll(declaration)];
    const names = [...declared.map(([, , name = ""]) => name), ...text.replaceAll(withoutNames, "").match(use) ?? []];
    const statement = { text, names };
    for (const [, isExported, name] of declared) {
      this.#declared.getOrInsertComputed(`${path} ${name}`, () => []).push(statement);
      if (isExported) this.#links.set(`${path}#${name}`, { id: `${path} ${name}`, isType: false });
    }
    return statement;
  }

  /** Returns the comment on a module. */
  commentOn(path: string): string {
    return this.#comments.get(path) ?? "";
  }

  /** Returns all declarations of a module. */
  in(path: string): readonly Statement[] {
    return this.#modules.get(path) ?? [];
  }

  /** Returns the declarations of a name. There are several for overloads, and none for names from elsewhere. */
  of({ id }: Origin): readonly Statement[] {
    return this.#declared.get(id) ?? [];
  }

  /** Returns what a name or an export refers to. */
  originOf(id: string, isType = false): Origin {
    const [path = "", name = ""] = id.split("#");
    const all = this.#links.get(`${path}#**`);
    const next = this.#links.get(id) ??
      (all && name !== "*" && name !== "" ? { ...all, id: all.id + name } : undefined);
    if (next !== undefined) return this.originOf(next.id, isType || next.isType);
    return { id: name !== "" || this.#declared.has(id) ? id : id.replace(/^.* /, ""), isType };
  }

  /** Yields the exports of a module. */
  *exportsOf(path: string): Generator<[name: string, origin: Origin]> {
    for (const id of this.#links.keys()) {
      const [module, name = ""] = id.split("#");
      if (module !== path || name === "") continue;
      if (name !== "**") yield [name, this.originOf(id)];
      else {
        const [other = ""] = this.#links.get(id)?.id.split("#") ?? [];
        for (const [each, { id }] of this.exportsOf(other)) yield [each, { id, isType: true }];
      }
    }
  }
}
