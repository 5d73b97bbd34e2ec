/**
 * The types that tell typed clients what a typed input expects.
 *
 * @module
 */

/**
 * Marks the type of an argument with the part of the request it is read from and with the type that a client sends
 * before the schema transforms it. Write it as a member of a union: `User | From<"Body", UserInput>`.
 *
 * No value has this type, because it is a contradiction. The compiler drops it wherever the argument is used, so the
 * argument has exactly the schema's output type, including `null`, unions and brands. Only an `infer` that names this
 * alias can still see it, as in the types of `@fw/web/client`.
 */
export type From<Kind extends string, In> =
  & { readonly "~from": 1; readonly "~kind": Kind; readonly "~input": In }
  & { readonly "~from": 2 };

/**
 * The kind and the input of a marked type, or `never` if the type is not marked.
 *
 * `any` and `unknown` are treated as unmarked, because they absorb the mark.
 */
export type SourceOf<A> = Whole<A> extends Whole<Marked<infer Kind, infer In>>
  ? string extends Kind ? never : readonly [kind: Kind, input: In]
  : never;

/**
 * Any type, in which an `infer` finds the mark. The compiler would shorten `{} | null | undefined` to `unknown`.
 *
 * @internal
 */
export type Marked<Kind extends string, In> =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | object
  | null
  | undefined
  | From<Kind, In>;

/**
 * A type as one member, so that a conditional type does not distribute over its union. `[T]` would do the same, but the
 * compiler creates the 41 members of an array for every tuple that it compares.
 *
 * @internal
 */
export interface Whole<out T> {
  /** The type. */
  readonly "~whole": T;
}
