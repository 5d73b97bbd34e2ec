/**
 * How a typed input tells a client what it is sent: types only.
 *
 * @module
 */

/**
 * Marks the type of an input with the part of the request it is read from and with what a client sends there, before
 * the schema changes it.
 *
 * No value has such a property: the mark is there for the types of `@fw/web/client`.
 */
export interface From<Kind extends string, In> {
  /** Exists in the type only; the tilde keeps it apart from the fields of an input. */
  readonly "~from"?: readonly [Kind, In];
}
