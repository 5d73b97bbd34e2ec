/**
 * Finds the published functions that take options, and the types of these options, in the data of the documentation.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { entries } from "../../../repo/entries.ts";

/** A kind of JavaScript values. */
export type Kind =
  | "any"
  | "array"
  | "bigint"
  | "boolean"
  | "bytes"
  | "date"
  | "false"
  | "function"
  | "number"
  | "object"
  | "regexp"
  | "string"
  | "url"
  | "word";

/** A documented option. */
export interface DocumentedOption {
  readonly name: string;
  readonly isOptional: boolean;
  /** The kinds of its values. A `word` is one of a fixed set of strings. */
  readonly kinds: ReadonlySet<Kind>;
  /** The kinds of the items, if the value may be an array. */
  readonly items: ReadonlySet<Kind>;
  /** The options in the value, if it may be an object with options. */
  readonly members: readonly DocumentedOption[];
}

/** A documented type of options. */
export interface OptionsType {
  /** The entry point without the name of the package, and the name of the type, such as `middleware/cors.Options`. */
  readonly key: string;
  readonly options: readonly DocumentedOption[];
}

/** A published function, method or constructor that takes options. */
export interface Door {
  /** The entry point and the name, such as `middleware/cors New`. */
  readonly key: string;
  /** Whether the argument can be omitted. */
  readonly isOptional: boolean;
  readonly type: OptionsType;
}

/** A published method of a class. */
export interface Method {
  /** The entry point, the class and the name, such as `jobs Queue.Pause`. */
  readonly key: string;
  readonly parameters: readonly Parameter[];
}

/** A parameter of a method. */
export interface Parameter {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isRest: boolean;
  readonly kinds: ReadonlySet<Kind>;
}

/** A node of the documentation. */
// deno-lint-ignore no-explicit-any -- The format is that of `deno doc --json`.
type Node = any;

interface Declared {
  readonly file: string;
  readonly name: string;
  readonly entry: string;
  readonly node: Node;
}

/** Returns the functions, methods and constructors that take options. */
export async function findDoors(): Promise<Door[]> {
  return new Finder(await declarations()).doors();
}

/** Returns the published methods of classes that take arguments. */
export async function findMethods(): Promise<Method[]> {
  return new Finder(await declarations()).methods();
}

/** The functions that have the same name as a type. They take no options. */
const withoutOptions: ReadonlySet<string> = new Set(
  ["Inject", "InjectOptional", "Provide", "Singleton", "Token", "Tuple"].map((name) => `@fw/web/mvc ${name}`),
);

/** Runs `deno doc` and returns all declarations. */
async function declarations(): Promise<Declared[]> {
  const cwd = fromFileUrl(new URL("../../../../", import.meta.url));
  const args = ["doc", "--json", ...entries.map(([, file]) => file)];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd, stderr: "null" }).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  const all: Declared[] = [];
  const seen = new Set<string>();
  for (const [name, path] of entries) {
    const { symbols } = nodes[Object.keys(nodes).find((url) => url.endsWith(`/${path}`)) ?? ""];
    for (const symbol of symbols) {
      for (const node of symbol.declarations) {
        const { filename: file, line, col } = node.location;
        const id = `${file}:${line}:${col}`;
        if (seen.has(id)) continue;
        seen.add(id);
        if (node.kind === "reference" && !withoutOptions.has(`${name} ${symbol.name}`)) {
          throw new Error(
            `Cannot check ${name} ${symbol.name}: deno doc does not describe a function and a type of one name`,
          );
        }
        all.push({ file, name: symbol.name, entry: name.slice("@fw/web".length + 1), node });
      }
    }
  }
  return all;
}

class Finder {
  readonly #all: readonly Declared[];

  constructor(all: readonly Declared[]) {
    this.#all = all;
  }

  doors(): Door[] {
    return this.#all.flatMap(({ file, entry, name, node }) =>
      callables(name, node).flatMap(([called, params]) =>
        params.flatMap((param) => this.#door(`${entry} ${called}`.trim(), param, file))
      )
    );
  }

  methods(): Method[] {
    return this.#all.filter(({ node }) => node.kind === "class").flatMap(({ file, entry, name, node }) =>
      callables(name, node).filter(([, params]) => params.length > 0).map(([called, params]) => ({
        key: `${entry} ${called}`.trim(),
        parameters: params.map((param) => this.#parameter(param, file)),
      }))
    );
  }

  #parameter(param: Node, file: string): Parameter {
    const inner = param.kind === "assign" ? param.left : param.kind === "rest" ? param.arg : param;
    const type = inner.tsType ?? param.tsType;
    const items = new Set<Kind>();
    const kinds = new Set(type === undefined ? ["any" as const] : this.#kinds(type, items, file));
    const isRest = param.kind === "rest";
    return {
      name: inner.name ?? "",
      isOptional: param.kind === "assign" || inner.optional === true || isRest,
      isRest,
      kinds: isRest ? items : kinds,
    };
  }

  #door(key: string, param: Node, file: string): Door[] {
    const inner = param.kind === "assign" ? param.left : param.kind === "rest" ? param.arg : param;
    const types = refsOf(inner.tsType ?? param.tsType, file).map((ref) => this.#optionsType(ref)).filter((each) =>
      each !== undefined
    );
    const isOptional = param.kind === "assign" || inner.optional === true || param.kind === "rest";
    return types.map((type) => ({ key, isOptional, type }));
  }

  /** Finds an exported type by its name. Types of the same name are in the same entry point as the function. */
  #find(ref: Ref): Declared | undefined {
    const named = this.#all.filter(({ name, node }) => name === ref.name && node.kind !== "function");
    return named.find(({ file }) => file === ref.file) ?? (named.length === 1 ? named[0] : undefined);
  }

  /** Returns a type that can be one of options: an interface with properties, but without methods. */
  #optionsType(ref: Ref): OptionsType | undefined {
    const found = Object.hasOwn(platform, ref.name) ? undefined : this.#find(ref);
    if (found === undefined || !isPlain(found.node)) return undefined;
    const options = this.#properties(found);
    return { key: [found.entry, found.name].filter((each) => each !== "").join("."), options };
  }

  #properties({ file, node }: Declared): DocumentedOption[] {
    const inherited = (node.def.extends ?? []).flatMap((each: Node) =>
      refsOf(each, file).flatMap((ref) => {
        const base = this.#find(ref);
        return base?.node.kind === "interface" ? this.#properties(base) : [];
      })
    );
    const own = (node.def.properties ?? []).map((each: Node) => {
      const items = new Set<Kind>();
      const kinds = new Set(this.#kinds(each.tsType, items, file));
      const [ref] = kinds.has("object") ? refsOf(each.tsType, file) : [];
      const nested = ref === undefined ? undefined : this.#find(ref);
      const members = nested !== undefined && isPlain(nested.node) ? this.#properties(nested) : [];
      return { name: each.name, isOptional: each.optional === true, kinds, items, members };
    });
    return [...inherited.filter((each: Node) => !own.some(({ name }: Node) => name === each.name)), ...own];
  }

  #kinds(type: Node, items: Set<Kind>, file: string): Kind[] {
    const { kind, value } = type;
    const inner = (each: Node) => this.#kinds(each, items, file);
    if (kind === "union") return value.flatMap(inner);
    if (kind === "parenthesized") return inner(value);
    if (kind === "typeOperator") return inner(value.tsType);
    if (kind === "fnOrConstructor") return ["function"];
    if (kind === "array" || kind === "tuple") {
      for (const each of kind === "array" ? [value] : value) {
        for (const item of this.#kinds(each, new Set(), file)) items.add(item);
      }
      return ["array"];
    }
    if (kind === "typeLiteral" || kind === "mapped" || kind === "intersection") return ["object"];
    if (kind === "literal") return value.kind === "string" ? ["word"] : value.boolean === false ? ["false"] : ["any"];
    if (kind === "keyword") return keywords[value] ?? ["any"];
    if (kind !== "typeRef") return ["any"];
    const known = platform[value.typeName];
    if (known !== undefined) return known;
    const [parameter] = value.typeParams ?? [];
    if (/^(?:Readonly|NonNullable|Partial)$/.test(value.typeName)) return inner(parameter);
    const found = this.#find(refOf(type, file));
    if (found === undefined) return ["any"];
    const { node } = found;
    if (node.kind === "typeAlias") return this.#kinds(node.def.tsType, items, found.file);
    return (node.def.callSignatures ?? []).length > 0 ? ["function"] : ["object"];
  }
}

const keywords: Readonly<Record<string, Kind[]>> = {
  string: ["string"],
  number: ["number"],
  boolean: ["boolean"],
  bigint: ["bigint"],
  object: ["object"],
  undefined: [],
  void: [],
};

const platform: Readonly<Record<string, Kind[]>> = {
  Date: ["date"],
  RegExp: ["regexp"],
  URL: ["url"],
  Uint8Array: ["bytes"],
  Record: ["object"],
  AbortSignal: ["object"],
  Array: ["array"],
  ReadonlyArray: ["array"],
};

/** Reports whether a declaration is an interface with properties, but without methods. */
function isPlain({ kind, def }: Node): boolean {
  return kind === "interface" && def.properties?.some(({ name }: Node) => /^[A-Z]/.test(name)) &&
    [def.methods, def.callSignatures, def.indexSignatures].every((each) => (each ?? []).length === 0);
}

/** Returns the parameters of the callable parts of a declaration by their names. */
function callables(name: string, { kind, def }: Node): [string, Node[]][] {
  if (kind === "function") return [[name, def.params]];
  if (kind === "interface") return (def.methods ?? []).map((each: Node) => [`${name}.${each.name}`, each.params]);
  if (kind !== "class") return [];
  return [
    ...(def.constructors ?? []).map((each: Node) => [`${name}.constructor`, each.params]),
    ...(def.methods ?? []).filter((each: Node) => each.accessibility !== "private")
      .map((each: Node) => [`${name}.${each.name}`, each.functionDef.params]),
  ];
}

/** A reference to a type. */
interface Ref {
  readonly name: string;
  /** The file that declares or exports it. */
  readonly file: string;
}

/** Returns the types that a type refers to, except for those of callbacks. */
function refsOf(type: Node, file: string): Ref[] {
  if (typeof type !== "object" || type === null || type.kind === "fnOrConstructor") return [];
  const own = type.kind === "typeRef" ? [refOf(type, file)] : [];
  return [...own, ...Object.values(type).flatMap((each) => refsOf(each, file))];
}

function refOf({ value: { typeName, resolution } }: Node, file: string): Ref {
  const isImport = resolution?.kind === "import";
  return {
    name: isImport ? resolution.name ?? typeName : typeName,
    file: isImport && resolution.specifier.startsWith(".") ? new URL(resolution.specifier, file).href : file,
  };
}
