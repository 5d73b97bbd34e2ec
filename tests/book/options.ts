/**
 * Lists the types whose members are options, and the functions that accept them.
 *
 * @module
 */

import { type Declaration, type Entry, namespaceOf, type Property, readEntries } from "./documentation.ts";

/** A type whose members are options. */
export interface OptionType {
  readonly entry: Entry;
  /** The name in programs, such as `cors.Options`. */
  readonly title: string;
  readonly declaration: Declaration;
  /** The options, including those of bases that are not listed themselves. */
  readonly options: readonly Property[];
  /** The types with further options. */
  readonly bases: readonly OptionType[];
}

/** Matches the names of the types. The named ones are objects with optional members, too. */
const isOptions =
  /(?:Options|Config|Configuration)$|^(?:Account|Attachment|Mail|ResponseDescription|RouteDescription|UploadLimits)$/;

let listed: Promise<readonly OptionType[]> | undefined = undefined;

/** Lists the types, once, in the order of their entry points. */
export function optionTypes(): Promise<readonly OptionType[]> {
  return listed ??= list();
}

async function list(): Promise<readonly OptionType[]> {
  const entries = await readEntries();
  const interfaces = entries.flatMap((entry) =>
    entry.symbols.flatMap(({ name, declarations }) =>
      declarations.filter(({ kind }) => kind === "interface").map((declaration) => ({ entry, name, declaration }))
    )
  );
  type Found = typeof interfaces[number];
  const basesOf = ({ entry, declaration }: Found) =>
    (declaration.def?.extends ?? []).flatMap(({ repr }) =>
      interfaces.find((each) => each.entry === entry && each.name === repr) ??
        interfaces.find((each) => each.name === repr) ?? []
    );
  const ownOf = (found: Found): Property[] => [
    ...found.declaration.def?.properties ?? [],
    ...basesOf(found).filter(({ name }) => !isOptions.test(name)).flatMap(ownOf),
  ];
  const typeOf = (found: Found): OptionType => ({
    entry: found.entry,
    title: `${namespaceOf(found.entry.name)}.${found.name}`,
    declaration: found.declaration,
    options: ownOf(found),
    bases: basesOf(found).filter(({ name }) => isOptions.test(name)).map(typeOf),
  });
  return interfaces.filter(({ name }) => isOptions.test(name)).map(typeOf).filter(({ options }) => options.length > 0);
}

/** Returns the type that declares an option: the type itself or one of its bases. */
export function ownerOf(type: OptionType, option: string): OptionType | undefined {
  if (type.options.some(({ name }) => name === option)) return type;
  return type.bases.values().map((base) => ownerOf(base, option)).find((owner) => owner !== undefined);
}

/** Returns the anchor of a type or of one of its options on the page. */
export function anchorOf({ title }: OptionType, option = ""): string {
  return `${title}${option}`.toLowerCase().replaceAll(".", "");
}

/**
 * Lists the types that a page uses: those that its functions and methods accept, and the types of their members.
 *
 * @param text The page. Functions are written with the name of their entry point, such as `cors.New`.
 */
export async function typesUsedIn(text: string): Promise<Set<OptionType>> {
  const byKey = new Map((await optionTypes()).map((type) => [keyOf(type), type]));
  const used = new Set<OptionType>();
  const use = (keys: Iterable<string>) => {
    for (const key of keys) if (byKey.has(key)) used.add(byKey.get(key) as OptionType);
  };
  for (const { pattern, accepts } of await callables()) if (pattern.test(text)) use(accepts);
  // The class of the script for browsers is not published, but the types of its options are.
  if (/\bwebsocket\.Client\b/.test(text)) use(byKey.keys().filter((key) => / Live\w+$/.test(key)));
  // The iteration also visits the types that it adds.
  for (const { options, bases } of used) {
    use(bases.map(keyOf));
    for (const option of options) use(typesIn(option, option.location.filename));
  }
  return used;
}

/** A function or method, and the keys of the types of its parameters. */
interface Callable {
  /** Matches its calls. */
  readonly pattern: RegExp;
  readonly accepts: readonly string[];
}

let called: Promise<readonly Callable[]> | undefined = undefined;

function callables(): Promise<readonly Callable[]> {
  return called ??= readEntries().then((entries) => entries.flatMap((entry) => callablesOf(entry)));
}

function callablesOf({ name: entry, symbols }: Entry): Callable[] {
  const namespace = namespaceOf(entry);
  return symbols.flatMap(({ name, declarations }) =>
    declarations.flatMap(({ def, location: { filename } }) => {
      const own = [def?.params ?? [], ...(def?.constructors ?? []).map(({ params }) => params)];
      const methods = (def?.methods ?? []).map((method): Callable => ({
        // Methods of other values can have the same name.
        pattern: new RegExp(`^(?=[^]*\\b${namespace}\\.)[^]*\\.${method.name}\\(`),
        accepts: typesIn(method.functionDef?.params ?? method.params, filename),
      }));
      // Pages also call a middleware by the name of its entry point.
      const short = name === "New" ? `|\`${namespace}\`` : "";
      const pattern = new RegExp(`\\b${namespace}\\.${name}\\b${short}`);
      return [{ pattern, accepts: typesIn(own, filename) }, ...methods];
    })
  ).filter(({ accepts }) => accepts.length > 0);
}

const reference = /"typeName":"(\w+)","resolution":\{"kind":"(?:local"|import","specifier":"([^"]+)","name":"(\w+)")/g;

/** Returns the keys of the types that documentation mentions: the file and the name of each. */
function typesIn(documentation: unknown, file: string): string[] {
  return Array.from(
    JSON.stringify(documentation ?? []).matchAll(reference),
    ([, name, specifier = file, original = name]) => `${new URL(specifier, file).href} ${original}`,
  );
}

function keyOf({ title, declaration }: OptionType): string {
  return `${declaration.location.filename} ${title.split(".")[1]}`;
}
