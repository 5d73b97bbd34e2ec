/**
 * Formats of request and response bodies.
 *
 * @module
 */

/** A format for request and response bodies, registered with `app.RegisterFormat`. */
export interface Format {
  /** The name, for messages, such as `CBOR`. */
  readonly Name: string;
  /** The media types in lower case, the preferred one first. `+cbor` matches all media types with this suffix. */
  readonly Types: readonly string[];
  /**
   * Writes a value. Without it, values cannot be sent in this format.
   *
   * @param value The value.
   * @returns The document.
   */
  Encode?(value: unknown): string | Uint8Array<ArrayBuffer> | Promise<string | Uint8Array<ArrayBuffer>>;
  /**
   * Reads a value. Errors that it throws are reported to the client as 400. Without it, the format cannot be read.
   *
   * @param bytes The document.
   * @param charset The charset of the content type, or an empty string.
   * @returns The value, or a promise of it.
   */
  Decode?(bytes: Uint8Array<ArrayBuffer>, charset: string): unknown;
  /** Whether all values that are read are strings, which are then converted to the types in the schema. */
  readonly IsText?: boolean;
}

/** A document in some format. */
export type Document = string | Uint8Array<ArrayBuffer>;
