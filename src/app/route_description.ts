/**
 * What is said of a route for its readers: documents, pages and tools. Nothing of it changes how the route is served.
 *
 * @module
 */

/** Where an input of a route comes from. */
export type InputKind = "Body" | "Query" | "Form" | "Header" | "Params";

/** One checked input of a route. */
export interface RouteInput {
  /** Where it comes from. */
  readonly Kind: InputKind;
  /** The schema that checks it. */
  readonly Schema: unknown;
}

/** What a route is for, in words and schemas. */
export interface RouteDescription {
  /** One line that says what the route does. */
  Summary?: string;
  /** More about it, in Markdown. */
  Description?: string;
  /** The groups that it belongs to; the name of the controller unless given. */
  Tags?: readonly string[];
  /** The schema of what it returns: a Standard Schema that knows JSON Schema, or a JSON Schema. */
  Returns?: unknown;
  /** The status of its success: 200 unless given. */
  Status?: number;
  /** The content type of its success: `application/json` unless given. */
  ContentType?: string;
  /** Further statuses and what each means: `{ 409: "The name is taken" }`. */
  Errors?: Readonly<Record<number, string>>;
  /** A name for generated code: unique within the application. */
  OperationID?: string;
  /** Marks a route that clients should leave. */
  Deprecated?: boolean;
  /** Leaves the route out of the document. */
  Hidden?: boolean;
}
