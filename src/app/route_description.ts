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
  /** The groups that it belongs to. Defaults to the name of the controller. */
  Tags?: readonly string[];
  /** The schema of what it returns: a Standard Schema that knows JSON Schema, or a JSON Schema. */
  Returns?: unknown;
  /** The status of its success. Defaults to 200 if `Returns` is given. */
  Status?: number | "2XX";
  /** The content type of its success. Defaults to `application/json`. */
  ContentType?: string;
  /** All responses that are to be described, by status, `2XX` or `default`. */
  Responses?: Readonly<Record<string, string | ResponseDescription>>;
  /** Further statuses and what each means: `{ 409: "The name is taken" }`, or with a body. */
  Errors?: Readonly<Record<number, string | ResponseDescription>>;
  /** Examples of its body, by name. */
  Examples?: Readonly<Record<string, unknown>>;
  /**
   * The security schemes that a request needs one of, in place of those of its guards: names, or names with scopes. An
   * empty list says that it needs none.
   */
  Security?: readonly (string | Readonly<Record<string, readonly string[]>>)[];
  /** Where more is written. */
  ExternalDocs?: { readonly URL: string; readonly Description?: string };
  /** Requests that the application sends back, as OpenAPI describes them. */
  Callbacks?: Readonly<Record<string, unknown>>;
  /** A name for generated code: unique within the application. */
  OperationID?: string;
  /** Marks a route that clients should leave. */
  Deprecated?: boolean;
  /** Leaves the route out of the document. */
  Hidden?: boolean;
}

/** One response of a route. */
export interface ResponseDescription {
  /** What it means. Defaults to the status text. */
  readonly Description?: string;
  /** The schema of its body. */
  readonly Schema?: unknown;
  /** Its content types. Defaults to `application/json`. */
  readonly ContentType?: string | readonly string[];
  /** The schemas of its bodies by content type, in place of `Schema` and `ContentType`. */
  readonly Content?: Readonly<Record<string, unknown>>;
  /** Its headers: what each means, or with a schema. */
  readonly Headers?: Readonly<Record<string, string | { readonly Description?: string; readonly Schema?: unknown }>>;
  /** Examples of its body, by name. */
  readonly Examples?: Readonly<Record<string, unknown>>;
}
