/**
 * The interface of path parameter types.
 *
 * @module
 */

/** A path parameter type, such as `int` in `{id:int}`. */
export interface ParamType {
  /** The type's name in templates. */
  readonly Name: string;
  /** Alternative names, such as `number` for `int`. */
  readonly Aliases?: readonly string[];
  /**
   * The type's rank. If two types accept a segment, the one with the lower rank is tried first. Built-in types have
   * ranks between 10 and 90, `string` has 900 and `path` has 1000. Defaults to 500, or to 950 for a trailing type.
   */
  readonly Rank?: number;
  /** Whether a value may contain slashes. If so, the parameter matches the rest of the path. */
  readonly Trailing?: boolean;
  /**
   * Reports whether `text[start..end)` is a value of this type. It is called during route matching and must not throw.
   *
   * @param text The decoded string that contains the value.
   * @param start The index of the first character.
   * @param end The index after the last character.
   */
  Test(text: string, start: number, end: number): boolean;
  /** The JSON Schema of the values in requests, for OpenAPI. Defaults to the schema of a string. */
  readonly Schema?: { readonly [keyword: string]: unknown };
  /**
   * Converts an accepted value, for `Params().Value` and for the arguments of controllers and of handlers with injected
   * arguments. An argument whose default value is a string receives the value as it was sent. String functions such as
   * `prefix` cannot be used with a type that has this method.
   *
   * @param text The accepted value.
   */
  Convert?(text: string): unknown;
}
