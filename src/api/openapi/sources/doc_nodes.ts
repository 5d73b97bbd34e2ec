/**
 * The parts of the `deno doc --json` output that are needed for schemas.
 *
 * @module
 */

/** A type as described by `deno doc`. The kind determines the form of the value. */
export interface DocType {
  readonly kind: string;
  readonly repr?: string;
  readonly value?: unknown;
}

/** A reference to a named type. */
export interface DocTypeRef {
  readonly typeName: string;
  readonly typeParams?: readonly DocType[];
  readonly resolution?: { readonly kind: string; readonly name?: string };
}

/** A doc comment. */
export interface DocComment {
  readonly doc?: string;
  readonly tags?: readonly { readonly kind: string; readonly doc?: string }[];
}

/** A member of an interface, class or object type. */
export interface DocProperty {
  readonly name: string;
  readonly jsDoc?: DocComment;
  readonly optional?: boolean;
  readonly accessibility?: string;
  readonly isStatic?: boolean;
  readonly tsType?: DocType;
}

/** A class method. */
export interface DocMethod {
  readonly name: string;
  readonly jsDoc?: DocComment;
  readonly isStatic?: boolean;
  readonly functionDef: { readonly returnType?: DocType };
}

/** The definition of a type. Its members depend on the kind of declaration. */
export interface DocDefinition {
  readonly tsType?: DocType;
  readonly typeParams?: readonly { readonly name: string; readonly default?: DocType }[];
  readonly properties?: readonly DocProperty[];
  readonly methods?: readonly DocMethod[];
  readonly indexSignatures?: readonly { readonly tsType?: DocType }[];
  readonly extends?: string | readonly DocType[];
  /** The type arguments of the superclass. */
  readonly superTypeParams?: readonly DocType[];
  readonly members?: readonly { readonly name: string; readonly init?: DocType }[];
  /** The return type of a function. */
  readonly returnType?: DocType;
}

/** A declaration in a module. */
export interface DocDeclaration {
  readonly kind: string;
  readonly jsDoc?: DocComment;
  readonly def?: DocDefinition;
}

interface DocModule {
  readonly imports?: readonly {
    readonly importedName: string;
    readonly originalName?: string;
    readonly src: string;
  }[];
  readonly symbols: readonly { readonly name: string; readonly declarations: readonly DocDeclaration[] }[];
}

/** A declaration and its module. */
export interface Found {
  readonly module: string;
  readonly name: string;
  readonly declaration: DocDeclaration;
}

const types: ReadonlySet<string> = new Set(["interface", "typeAlias", "class", "enum"]);

/** The modules of a program, for looking up declarations. */
export class DocNodes {
  readonly #modules: Readonly<Record<string, DocModule>>;

  constructor(modules: Readonly<Record<string, DocModule>>) {
    this.#modules = modules;
  }

  /** Finds the declaration of a name in a module, following imports. */
  find(module: string, name: string, seen: ReadonlySet<string> = new Set()): Found | undefined {
    const key = `${module} ${name}`;
    const node = this.#modules[module];
    if (node === undefined || seen.has(key)) return undefined;
    const declaration = node.symbols.find((symbol) => symbol.name === name)?.declarations
      .find((candidate) => types.has(candidate.kind));
    if (declaration !== undefined) return { module, name, declaration };
    const [space, ...rest] = name.split(".");
    const imported = node.imports?.find((candidate) => candidate.importedName === space);
    if (imported === undefined) return undefined;
    const target = rest.length > 0 ? rest.join(".") : imported.originalName ?? name;
    return this.find(imported.src, target, new Set([...seen, key]));
  }

  /** Returns all values that are used in types, as in `typeof tea`, with their modules. */
  queries(): { module: string; path: string }[] {
    return Object.entries(this.#modules).flatMap(([module, { symbols }]) =>
      queriesIn(symbols).map((path) => ({ module, path }))
    );
  }

  /**
   * Finds the module that exports a value. Only the program's own modules are considered.
   *
   * @param module The module that uses the value.
   * @param path The path of names, such as `schemas.tea`.
   * @returns The module, and the path of names from its exports.
   */
  findValue(module: string, path: string): { module: string; steps: readonly string[] } | undefined {
    const [first = "", ...rest] = path.split(".");
    const imported = this.#modules[module]?.imports?.find(({ importedName }) => importedName === first);
    if (imported === undefined) return { module, steps: [first, ...rest] };
    if (this.#modules[imported.src] === undefined) return undefined;
    const steps = imported.originalName === undefined ? rest : [imported.originalName, ...rest];
    return { module: imported.src, steps };
  }

  /** Finds all classes or functions with the given name, in any module. */
  findAll(wanted: "class" | "function", name: string): Found[] {
    return Object.entries(this.#modules).flatMap(([module, { symbols }]) =>
      symbols.filter((symbol) => symbol.name === name).flatMap(({ declarations }) =>
        declarations.filter(({ kind }) => kind === wanted).map((declaration) => ({ module, name, declaration }))
      )
    );
  }
}

function queriesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(queriesIn);
  if (typeof value !== "object" || value === null) return [];
  const { kind, value: path } = value as Partial<DocType>;
  return kind === "typeQuery" && typeof path === "string" ? [path] : Object.values(value).flatMap(queriesIn);
}
