/**
 * The declarations of a module, without the code behind them.
 *
 * @module
 */

import { posix } from "node:path";
import { isolatedDeclarationSync } from "npm:rolldown@1.0.3/experimental";

/** A name in a module. */
export interface Name {
  /** The path of the module, a specifier such as `node:sqlite`, or an empty string for globals. */
  readonly module: string;
  /** The name in the module, or `*` for all its exports. */
  readonly name: string;
  /** Whether only the type of a class is available. */
  readonly isType: boolean;
}

/** A declaration with its comment. */
export interface Statement {
  readonly text: string;
  readonly names: readonly string[];
  readonly uses: readonly string[];
}

/** The declarations of a module. */
export interface Module {
  /** The comment on the module. */
  readonly comment: string;
  readonly statements: readonly Statement[];
  /** The names that are imported or declared. */
  readonly names: ReadonlyMap<string, Name>;
  /** The names that are exported. The key for all exports of another module is `*`. */
  readonly exports: ReadonlyMap<string, Name>;
}

// The declarations are written by a tool that puts every statement at the beginning of a line. The lines of comments
// begin with an asterisk.
const moduleComment = /^\/\*\*\n(?:\s*\*(?!\/).*\n)*?\s*\* @module\n\s*\*\/\n/;
const link = /^(import|export) (type )?(?:(\*)(?: as (\w+))?|\{([^}]*)\}|default (\w+))?(?: from )?(?:"(.+)")?;$/gm;
const end = /(?<=^(?:\};?|[^\s*/}].*;)\n)/m;
const declaration = /^(export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type|\* as) (\w+)/gm;
const withoutNames = /^\s*(?:\/\*\*|\*).*$|"[^"\n]*"|\w+(?=\(|\??:)/gm;
const use = /(?<=typeof )\w+|(?<=\[)\w+(?=\])|\b\w+(?=\.)|(?<!\.)\b[A-Z]\w*/g;

/**
 * Returns the declarations of a module.
 *
 * @param path The path of the module in the package.
 * @param source The source.
 * @returns The declarations.
 */
export function declarationsOf(path: string, source: string): Module {
  const { code, errors } = isolatedDeclarationSync(path, source, {});
  if (errors.length > 0) throw new Error(`Cannot declare "${path}": ${errors[0]?.message}`);
  const names = new Map<string, Name>();
  const exports = new Map<string, Name>();
  const text = code
    .replaceAll("<\\/script", "</script")
    .replaceAll(/^(\s+\w+)!:/gm, "$1:")
    .replaceAll(/^(\s*)(\/\*\*.*?\*\/) (?=\S)/gm, "$1$2\n$1")
    .replace(moduleComment, "")
    .replaceAll(link, (_, kind, type, star, as, list = "", byDefault, specifier) => {
      const module = specifier?.startsWith(".") ? posix.join(path, "..", specifier) : specifier ?? path;
      // This statement may have a comment.
      if (kind === "export" && as !== undefined) return `export * as ${as} from "${module}";`;
      const target = kind === "import" ? names : exports;
      if (star !== undefined) target.set(as ?? star, { module, name: star, isType: true });
      if (byDefault !== undefined) target.set("default", { module, name: byDefault, isType: false });
      for (const [, own, name = "", alias = name] of list.matchAll(/(type )?(\w+)(?: as (\w+))?/g)) {
        target.set(alias, { module, name, isType: Boolean(type ?? own) });
      }
      return "";
    });
  const statements = text.split(end).map((text): Statement => {
    const declared = [...text.matchAll(declaration)].map(([, isExported, name = ""]) => {
      names.set(name, { module: path, name, isType: false });
      if (isExported) exports.set(name, { module: path, name, isType: false });
      return name;
    });
    return { text, names: declared, uses: text.replaceAll(withoutNames, "").match(use) ?? [] };
  });
  return { comment: moduleComment.exec(source)?.[0] ?? "", statements, names, exports };
}
