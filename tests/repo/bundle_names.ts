// deno-lint-ignore-file camelcase -- terser's own names
/**
 * Shortens the names of local variables and private fields in the bundle.
 *
 * @module
 */

/** The methods of terser's syntax tree that its types do not declare. */
interface Tree {
  figure_out_scope(options: object): void;
  compute_char_frequency(options: object): void;
  mangle_names(options: object): void;
  walk(visitor: { _visit(node: Node, descend?: () => void): void }): void;
}

/** A node of the tree. */
interface Node {
  readonly TYPE: string;
  /** The name of a private member that is declared or looked for. */
  readonly key: { name: string };
  /** The name of a private member that is read or written. */
  property: string;
}

const first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_";
const next = `${first}0123456789`;

/** Generates short names by number: a, b, … aa, ab, … */
const names = {
  get(number: number): string {
    let name = first[number % first.length] ?? "";
    for (let rest = Math.floor(number / first.length); rest > 0; rest = Math.floor((rest - 1) / next.length)) {
      name += next[(rest - 1) % next.length];
    }
    return name;
  },
  reset() {},
  sort() {},
  consider() {},
};

/**
 * Shortens the names of local variables, but not those that appear in stack traces. Terser's own option would also
 * shorten the names of private methods.
 *
 * @param tree The syntax tree parsed by terser.
 */
export function mangleLocals(tree: unknown): void {
  const options = {
    cache: null,
    eval: false,
    ie8: false,
    keep_classnames: true,
    keep_fnames: true,
    module: true,
    nth_identifier: names,
    reserved: new Set(["arguments"]),
    safari10: false,
    toplevel: true,
  };
  (tree as Tree).figure_out_scope(options);
  (tree as Tree).compute_char_frequency(options);
  (tree as Tree).mangle_names(options);
}

/**
 * Shortens the names of private fields. Private methods keep their names, because they appear in stack traces.
 *
 * @param tree The syntax tree parsed by terser.
 */
export function mangleFields(tree: unknown): void {
  const found: Node[] = [];
  (tree as Tree).walk({
    _visit(node, descend) {
      if (/Private(?!Property$)|ClassPrivate|DotHash/.test(node.TYPE)) found.push(node);
      descend?.call(node);
    },
  });
  const methods = new Set(found.filter(({ TYPE }) => /^Private[GMS]/.test(TYPE)).map(nameOf));
  const fields = [...Map.groupBy(found, nameOf)].filter(([name]) => !methods.has(name));
  let number = 0;
  for (const [, nodes] of fields.toSorted(([, a], [, b]) => b.length - a.length)) {
    while (methods.has(names.get(number))) number++;
    const name = names.get(number++);
    for (const node of nodes) {
      if (node.TYPE === "DotHash") node.property = name;
      else node.key.name = name;
    }
  }
}

function nameOf({ TYPE, key, property }: Node): string {
  return TYPE === "DotHash" ? property : key.name;
}
