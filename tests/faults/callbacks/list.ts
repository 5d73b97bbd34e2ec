/**
 * Lists the callbacks of all entry points: every function that an application passes to fw, found in the output of
 * `deno doc --json`. A type is followed from the parameters of published functions and methods. Functions in it are
 * called by fw, and so are the methods of objects in it, because the application implements them.
 *
 * @module
 */

import { readEntries } from "../../book/documentation.ts";

/** A part of the `deno doc --json` output, without types. */
type Doc = ReturnType<typeof JSON.parse>;

/** A published type or function, with the file that declares it. */
interface Declared {
  readonly name: string;
  readonly file: string;
  readonly declaration: Doc;
}

/**
 * Lists all callbacks.
 *
 * @returns Their names, such as `jobs/config.Options.Backoff` for a member and `app/party.Party.Use(handlers)` for a
 * parameter, each after the file that declares it.
 */
export async function listCallbacks(): Promise<string[]> {
  const modules: readonly Doc[] = await readEntries();
  const all = modules.flatMap((module) => [...declarationsOf(module.symbols)]);
  const walk = new Walk(new Map(all.filter(isType).map((each) => [`${each.file}#${each.name}`, each])));
  for (const each of all) if (!isType(each) || each.declaration.kind === "class") walk.published(each);
  return [...walk.found].sort();
}

function* declarationsOf(symbols: Doc): Generator<Declared> {
  for (const { name, declarations } of symbols) {
    for (const declaration of declarations) {
      if (declaration.kind === "namespace") yield* declarationsOf(declaration.def.elements);
      else yield { name, file: declaration.location.filename, declaration };
    }
  }
}

function isType({ declaration }: Declared): boolean {
  return ["class", "interface", "typeAlias"].includes(declaration.kind);
}

/** Follows types in both directions: from fw to the application, and from the application to fw. */
class Walk {
  readonly found = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #types: ReadonlyMap<string, Declared>;

  constructor(types: ReadonlyMap<string, Declared>) {
    this.#types = types;
  }

  /** Follows what a published function, class or constant accepts. */
  published({ name, file, declaration: { kind, def } }: Declared): void {
    const path = `${shortened(file)}.${name}`;
    if (kind === "function") this.#call(def, path, file, false);
    if (kind === "variable" && def.tsType) this.#type(def.tsType, path, file, false);
    if (kind === "class") this.#members(def, path, file, false);
  }

  /** Follows a function. Its parameters come from the other side. */
  #call({ params = [], returnType, tsType }: Doc, path: string, file: string, isOurs: boolean): void {
    for (const param of params) this.#parameter(param, path, file, !isOurs);
    const result = returnType ?? tsType;
    if (result) this.#type(result, `${path}()`, file, isOurs);
  }

  #parameter(param: Doc, path: string, file: string, isInput: boolean): void {
    const inner = param.kind === "assign" ? param.left : param.kind === "rest" ? param.arg : param;
    const type = param.tsType ?? inner.tsType;
    if (type) this.#type(type, `${path}(${inner.name ?? "…"})`, file, isInput);
  }

  /** Follows the members of a class, an interface or an object type. */
  #members(def: Doc, path: string, file: string, isInput: boolean): void {
    for (const { params } of isInput ? [] : def.constructors ?? []) {
      for (const param of params) this.#parameter(param, path, file, true);
    }
    for (const { name, functionDef, ...method } of def.methods ?? []) {
      if (isInput) this.found.add(`${path}.${name}`);
      this.#call(functionDef ?? method, `${path}.${name}`, file, isInput);
    }
    for (const signature of def.callSignatures ?? []) {
      if (isInput) this.found.add(path);
      this.#call(signature, path, file, isInput);
    }
    for (const { name, tsType } of def.properties ?? []) {
      if (tsType) this.#type(tsType, `${path}.${name}`, file, isInput);
    }
    for (const type of [...(def.extends ?? []), ...(def.indexSignatures ?? []).map((each: Doc) => each.tsType)]) {
      if (type?.kind) this.#type(type, path, file, isInput);
    }
  }

  /** Follows a type. An input is a value that the application passes to fw. */
  #type(type: Doc, path: string, file: string, isInput: boolean): void {
    const { kind, value } = type;
    if (kind === "fnOrConstructor") {
      if (isInput && !value.constructor) this.found.add(path);
      this.#call(value, path, file, isInput);
    } else if (kind === "typeLiteral") this.#members(value, path, file, isInput);
    else if (kind === "typeRef") this.#reference(value, path, file, isInput);
    else if (kind === "conditional") {
      this.#type(value.trueType, path, file, isInput);
      this.#type(value.falseType, path, file, isInput);
    } else if (kind === "mapped") {
      if (value.tsType) this.#type(value.tsType, path, file, isInput);
    } else {for (const part of Array.isArray(value) ? value : [value, value?.tsType]) {
        if (part?.kind) this.#type(part, path, file, isInput);
      }}
  }

  #reference({ typeName, typeParams, resolution }: Doc, path: string, file: string, isInput: boolean): void {
    for (const each of typeParams ?? []) this.#type(each, path, file, isInput);
    const source = resolution?.kind === "import" ? new URL(resolution.specifier, file).href : file;
    const declared = this.#types.get(`${source}#${resolution?.name ?? typeName}`);
    if (!declared) return;
    const { name, declaration: { kind, def } } = declared;
    // A type that is only a function is named after the place that accepts it, everything else after itself.
    if (kind === "typeAlias" && def.tsType.kind === "fnOrConstructor" && isInput) this.found.add(path);
    const key = `${source}#${name} ${isInput}`;
    if (this.#seen.has(key) || kind === "class") return;
    this.#seen.add(key);
    const inner = `${shortened(source)}.${name}`;
    if (kind === "interface") this.#members(def, inner, source, isInput);
    else this.#type(def.tsType, inner, source, isInput);
  }
}

function shortened(file: string): string {
  // Names do not contain the rooms of `src/`, apart from that of the middleware.
  return file.replace(
    /^.*\/(?:mvc\/|src\/(?:middleware\/|[^/]+\/)?)/,
    (start) => /(?:mvc|middleware)\/$/.exec(start)?.[0] ?? "",
  )
    .replace(/\.ts$/, "");
}
