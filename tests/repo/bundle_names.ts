// deno-lint-ignore-file camelcase -- terser's own names
/**
 * Shortens the names of local variables in the bundle.
 *
 * @module
 */

/** What terser's tree can do beside being printed; its own types leave it out. */
interface Tree {
  figure_out_scope(options: object): void;
  compute_char_frequency(options: object): void;
  mangle_names(options: object): void;
}

const first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_";
const next = `${first}0123456789`;

/** Names by their number: a, b, … aa, ab, … */
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
 * Shortens the names of local variables, and none that stack traces show. terser's own option would shorten the names
 * of private methods too, and has no way to keep them.
 *
 * @param tree The tree that terser parsed.
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
