/**
 * The options of calls with a typed input.
 *
 * They are interfaces, because the compiler compares an argument with each part of an intersection.
 *
 * @module
 */

import type { CallOptions } from "./options.ts";

/**
 * The options of a call with a required input.
 *
 * @typeParam Kind The part of the request that the input is read from.
 * @typeParam In The type of the input.
 */
export type RequiredInput<Kind extends string, In> = Kind extends "Body" ? BodyOptions<In>
  : Kind extends "Query" ? QueryOptions<In>
  : Kind extends "Form" ? FormOptions<In>
  : Kind extends "Header" ? HeaderOptions<In>
  : { readonly [Name in Kind]: In } & CallOptions;

/** The options of a call with an optional input. */
export type OptionalInput<Kind extends string, In> = Kind extends "Body" ? OptionalBodyOptions<In>
  : Kind extends "Query" ? OptionalQueryOptions<In>
  : Kind extends "Form" ? OptionalFormOptions<In>
  : Kind extends "Header" ? OptionalHeaderOptions<In>
  : { readonly [Name in Kind]?: In } & CallOptions;

/** The options of a call with a typed body. */
export interface BodyOptions<In> extends CallOptions {
  /** The request body, sent as JSON. */
  readonly Body: In;
}

/** The options of a call with a typed body, if it is optional. */
export interface OptionalBodyOptions<In> extends CallOptions {
  /** The request body, sent as JSON. */
  readonly Body?: In;
}

/** The options of a call with typed query parameters. */
export interface QueryOptions<In> extends CallOptions {
  /** The query parameters. Arrays repeat the parameter. */
  readonly Query: In;
}

/** The options of a call with typed query parameters, if they are optional. */
export interface OptionalQueryOptions<In> extends CallOptions {
  /** The query parameters. Arrays repeat the parameter. */
  readonly Query?: In;
}

/** The options of a call with a typed form. */
export interface FormOptions<In> extends CallOptions {
  /** The form fields. Sent as multipart if one of them is a file, otherwise URL-encoded. */
  readonly Form: In;
}

/** The options of a call with a typed form, if it is optional. */
export interface OptionalFormOptions<In> extends CallOptions {
  /** The form fields. Sent as multipart if one of them is a file, otherwise URL-encoded. */
  readonly Form?: In;
}

/** The options of a call with typed headers. */
export interface HeaderOptions<In> extends CallOptions {
  /** The headers that the method reads as a typed input. */
  readonly Header: In;
}

/** The options of a call with typed headers, if they are optional. */
export interface OptionalHeaderOptions<In> extends CallOptions {
  /** The headers that the method reads as a typed input. */
  readonly Header?: In;
}
