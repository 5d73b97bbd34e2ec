/**
 * Route descriptions for API documents and tools. They do not affect how routes are served.
 *
 * @module
 */

import type { InputKind } from "../../context/format/input_reader.ts";

export type { InputKind } from "../../context/format/input_reader.ts";

/** A validated input of a route. */
export interface RouteInput {
  /** The source of the input. */
  readonly Kind: InputKind;
  /** The schema that validates the input. */
  readonly Schema: unknown;
}

/** A description of a route, with schemas and examples. */
export interface RouteDescription {
  /** A one-line summary. */
  Summary?: string;
  /** A longer description, in Markdown. */
  Description?: string;
  /** The groups that the route belongs to. Defaults to the controller name. */
  Tags?: readonly string[];
  /** The schema of the return value: a Standard Schema that supports JSON Schema, or a JSON Schema. */
  Returns?: unknown;
  /** The status code on success. Defaults to 200 if `Returns` is set. */
  Status?: number | "2XX";
  /** The content type on success. Defaults to `application/json`. */
  ContentType?: string;
  /** All responses to describe, by status code, `2XX` or `default`. */
  Responses?: Readonly<Record<string, string | ResponseDescription>>;
  /** Additional error responses by status code: a description, such as `{ 409: "The name is taken" }`, or an object. */
  Errors?: Readonly<Record<number, string | ResponseDescription>>;
  /** Examples of the request body, by name. */
  Examples?: Readonly<Record<string, unknown>>;
  /**
   * The security schemes, as names or as names with scopes. A request needs one of them. Overrides the schemes of the
   * guards. An empty array means that no authentication is required.
   */
  Security?: readonly (string | Readonly<Record<string, readonly string[]>>)[];
  /** A link to further documentation. */
  ExternalDocs?: { readonly URL: string; readonly Description?: string };
  /** The requests that the application sends to its clients, in OpenAPI format. */
  Callbacks?: Readonly<Record<string, unknown>>;
  /** A name for generated code, and the name of the route's tool. Must be unique within the application. */
  OperationID?: string;
  /** Whether the route is deprecated. Defaults to `true` if a handler uses `Deprecated` of `@fw/web/versioning`. */
  Deprecated?: boolean;
  /**
   * Whether to omit the route from API documents, tools, sitemaps and suggestions. Defaults to `true` for folders and
   * for the pages of features, such as health checks, metrics, monitors, job queues and API documents.
   */
  Hidden?: boolean;
}

/** A description of a response. */
export interface ResponseDescription {
  /** The description. Defaults to the status text. */
  readonly Description?: string;
  /** The schema of the response body. */
  readonly Schema?: unknown;
  /** The content types. Defaults to `application/json`. */
  readonly ContentType?: string | readonly string[];
  /** The schemas of the response body by content type. Replaces `Schema` and `ContentType`. */
  readonly Content?: Readonly<Record<string, unknown>>;
  /** The response headers: a description for each, or a description with a schema. */
  readonly Headers?: Readonly<Record<string, string | { readonly Description?: string; readonly Schema?: unknown }>>;
  /** Examples of the response body, by name. */
  readonly Examples?: Readonly<Record<string, unknown>>;
}

/** The expected frequency of changes to a page, for a sitemap. */
export type ChangeFreq = "always" | "hourly" | "daily" | "weekly" | "monthly" | "yearly" | "never";

/** The settings of a page for a sitemap. */
export interface SitemapEntry {
  /** The time of the last change. */
  readonly LastMod?: Date;
  /** The expected frequency of changes. */
  readonly ChangeFreq?: ChangeFreq;
  /** The priority of the page among those of the site, from 0 to 1. */
  readonly Priority?: number;
  /** Whether the page is not listed. */
  readonly IsExcluded?: boolean;
}
