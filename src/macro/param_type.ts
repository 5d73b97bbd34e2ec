/**
 * What the router needs to know of a parameter type.
 *
 * @module
 */

/** One type of path parameter, such as `int` in `{id:int}`. */
export interface ParamType {
  /** The name in templates. */
  readonly Name: string;
  /** Other names for it: `number` for `int`. */
  readonly Aliases?: readonly string[];
  /**
   * How wide the type is: of two types that both accept a segment, the lower rank is tried first.
   * Built-in types stand between 10 and 90, `string` at 900, `path` at 1000; 500 when left out, 950 if it is trailing.
   */
  readonly Rank?: number;
  /** Whether a value may contain slashes and takes the rest of the path. */
  readonly Trailing?: boolean;
  /**
   * Reports whether `text[start..end)` is a value of this type. It runs while the path is walked, so it must not throw.
   *
   * @param text The text that holds the value, already decoded.
   * @param start The index of the first character.
   * @param end The index after the last character.
   */
  Test(text: string, start: number, end: number): boolean;
  /** The JSON schema of the values as a client writes them, for OpenAPI. Defaults to that of a string. */
  readonly Schema?: { readonly [keyword: string]: unknown };
  /**
   * Converts an accepted value, for programs that ask `Macros().Get(name)` for it. Routes do not call it: `Params()`
   * and controllers convert by the type that they ask for. The functions for text, such as `prefix`, do not apply to a
   * type that has it.
   *
   * @param text The accepted value.
   */
  Convert?(text: string): unknown;
}
