/**
 * How a typed input tells a client what it is sent: types only.
 *
 * @module
 */

/**
 * Marks the type of an argument with the part of the request that it is read from and with what a client sends there,
 * before the schema changes it. Write it as a member of a union: `User | From<"Body", UserInput>`.
 *
 * No value has this type: its two halves contradict each other, so the compiler drops it wherever the argument is used,
 * and the argument is exactly what its schema gives, `null`, unions and brands included. Only an `infer` that names
 * this alias, as the types of `@fw/web/client` do, still sees it.
 */
export type From<Kind extends string, In> =
  & { readonly "~from": 1; readonly "~kind": Kind; readonly "~input": In }
  & { readonly "~from": 2 };

/**
 * The kind and the input of a marked type; `never` for a type without the mark.
 *
 * A type that the mark vanishes in, `any` or `unknown`, is not marked.
 */
export type SourceOf<A> = [A] extends [NonNullable<unknown> | null | undefined | From<infer Kind, infer In>]
  ? string extends Kind ? never : readonly [kind: Kind, input: In]
  : never;
