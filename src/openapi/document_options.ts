/**
 * What is said of an API as a whole.
 *
 * @module
 */

import type { Route } from "../app/route.ts";
import { withoutAbsent } from "./absent.ts";
import type { SchemaConverter } from "./json_schema.ts";

/** An OpenAPI 3.1 document as a plain object. */
export type DocumentObject = Record<string, unknown>;

/** A document, and what its parts are. */
export interface BuiltDocument {
  readonly document: DocumentObject;
  /** The operation of each route. */
  readonly operations: ReadonlyMap<object, Readonly<Record<string, unknown>>>;
  /** What could not be said, one line each. */
  readonly warnings: ReadonlySet<string>;
}

/** Options for {@linkcode New}. */
export interface Options {
  /** The name of the API. */
  Title: string;
  /** The version of the API, not that of OpenAPI. */
  Version: string;
  /** What the API is for, in Markdown. */
  Description?: string;
  /** One line about the API. */
  Summary?: string;
  /** Whom to contact about it. */
  Contact?: { Name?: string; URL?: string; Email?: string };
  /** The licence of the API: its name, with its SPDX identifier or a URL. */
  License?: { Name: string; Identifier?: string; URL?: string };
  /** The URL of the terms of service. */
  TermsOfService?: string;
  /** Where the API can be reached. Defaults to the host that serves the document. */
  Servers?: readonly { URL: string; Description?: string }[];
  /** The groups of routes, in the order in which they are shown, with what each is. */
  Tags?: readonly { Name: string; Description?: string; ExternalDocs?: { URL: string; Description?: string } }[];
  /** Where more is written. */
  ExternalDocs?: { URL: string; Description?: string };
  /** Security schemes beside those of the guards, as OpenAPI describes them, by name. */
  SecuritySchemes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Requests that the API sends on its own, as OpenAPI describes them, by name. */
  Webhooks?: Readonly<Record<string, unknown>>;
  /** The subdomain whose routes are meant, such as `api.`. Defaults to the root domain. */
  Subdomain?: string;
  /**
   * The version whose routes are described, if the application uses `@fw/web/versioning`: those of the groups that
   * serve it, and the routes outside of groups that serve what is left. If omitted, all routes are described.
   */
  ForVersion?: string;
  /** Selects the routes of the document: those for which it returns true. */
  Filter?: (route: Route) => boolean;
  /** Converts the schemas of a library into JSON Schema that does not do so itself. */
  Convert?: SchemaConverter;
  /** A document that was written from the sources at build time; the running application takes precedence over it. */
  File?: string | URL;
  /**
   * Changes the document before it is used: the last word.
   *
   * @param document The document, which may be changed in place.
   * @returns Another document, or nothing.
   */
  Amend?: (document: DocumentObject) => DocumentObject | void;
  /**
   * Responds with 500 if a JSON response is not what its route is described to return. Defaults to true in development
   * (`fw.WithDevelopment`), and to false otherwise.
   */
  Enforce?: boolean;
}

/** What the document says of the API as a whole, before its paths. */
export function describeAPI(options: Options, isGuessing: boolean): Record<string, unknown> {
  const { Contact, License, ExternalDocs, Tags, Servers } = options;
  return withoutAbsent({
    openapi: "3.1.0",
    info: withoutAbsent({
      title: options.Title,
      version: options.Version,
      summary: options.Summary,
      description: options.Description,
      termsOfService: options.TermsOfService,
      contact: Contact && withoutAbsent({ name: Contact.Name, url: Contact.URL, email: Contact.Email }),
      license: License && withoutAbsent({ name: License.Name, identifier: License.Identifier, url: License.URL }),
    }),
    // The document is mostly served by the host that it describes.
    servers: (Servers ?? (isGuessing ? [{ URL: "/" }] : undefined))?.map(({ URL, Description }) =>
      withoutAbsent({ url: URL, description: Description })
    ),
    externalDocs: ExternalDocs && linkOf(ExternalDocs),
    tags: Tags?.map((tag) =>
      withoutAbsent({
        name: tag.Name,
        description: tag.Description,
        externalDocs: tag.ExternalDocs && linkOf(tag.ExternalDocs),
      })
    ),
  });
}

function linkOf({ URL, Description }: { URL: string; Description?: string }): Record<string, unknown> {
  return withoutAbsent({ url: URL, description: Description });
}
