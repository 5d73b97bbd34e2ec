// deno-lint-ignore-file camelcase -- terser's own names
/**
 * Shortens the names of local variables in the bundle.
 *
 * @module
 */

/** The methods of terser's syntax tree that its types do not declare. */
interface Tree {
  figure_out_scope(options: object): void;
  compute_char_frequency(options: object): void;
  mangle_names(options: object): void;
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
