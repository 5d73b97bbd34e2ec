/**
 * Options for the document as a whole.
 *
 * @module
 */

import {
  either,
  filled,
  flag,
  func,
  group,
  listOf,
  type OptionRows,
  record,
  required,
  text,
} from "../../base/config/option_kinds.ts";
import { instance } from "../../base/config/option_shapes.ts";
import { type OptionTable, optionTable } from "../../base/config/option_table.ts";
import type { Route } from "../../core/app/record/route.ts";
import { type SchemaConverter, withoutAbsent } from "./json_schema.ts";

/** An OpenAPI 3.1 document as a plain object. */
export type DocumentObject = Record<string, unknown>;

/** A built document and its operations. */
export interface BuiltDocument {
  readonly document: DocumentObject;
  /** The operation of each route. */
  readonly operations: ReadonlyMap<object, Readonly<Record<string, unknown>>>;
  /** The parts that could not be described, one warning each. */
  readonly warnings: ReadonlySet<string>;
}

/** Options for {@linkcode New}. */
export interface Options {
  /** The API's title. */
  Title: string;
  /** The API's version. Not to be confused with the OpenAPI version. */
  Version: string;
  /** A description of the API, in Markdown. */
  Description?: string;
  /** A one-line summary of the API. */
  Summary?: string;
  /** The contact information for the API. */
  Contact?: { Name?: string; URL?: string; Email?: string };
  /** The API's license: its name and either an SPDX identifier or a URL. */
  License?: { Name: string; Identifier?: string; URL?: string };
  /** The URL of the terms of service. */
  TermsOfService?: string;
  /**
   * The servers that provide the API. Paths are relative to the application's base path. Defaults to the application
   * that serves the document, including its base path.
   */
  Servers?: readonly { URL: string; Description?: string }[];
  /** The tags that group operations, in display order. */
  Tags?: readonly { Name: string; Description?: string; ExternalDocs?: { URL: string; Description?: string } }[];
  /** Additional external documentation. */
  ExternalDocs?: { URL: string; Description?: string };
  /**
   * Additional security schemes by name, as OpenAPI objects. The schemes for fw's own guards are included
   * automatically.
   */
  SecuritySchemes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The webhooks that the API can send, by name, as OpenAPI objects. */
  Webhooks?: Readonly<Record<string, unknown>>;
  /** The subdomain whose routes are documented, such as `api.`. Defaults to the root domain. */
  Subdomain?: string;
  /**
   * The API version to document, if the application uses `@fw/web/versioning`. The document then includes the groups
   * that serve this version, and any routes outside groups that are still reachable. If omitted, all routes are
   * documented.
   */
  ForVersion?: string;
  /** Selects the routes to document. If omitted, all routes are documented. */
  Filter?: (route: Route) => boolean;
  /** Converts schemas to JSON Schema, for libraries that cannot do so themselves. */
  Convert?: SchemaConverter;
  /**
   * The path of a document generated from source code at build time. Information from the running application takes
   * precedence.
   */
  File?: string | URL;
  /**
   * Modifies the finished document before it is used.
   *
   * @param document The document. It can be modified in place.
   * @returns A replacement document, or nothing.
   */
  Amend?: (document: DocumentObject) => DocumentObject | void;
  /**
   * Whether to validate JSON responses against the document. If a response does not match its description, the client
   * receives a 500 response instead. If omitted, responses are validated only in development (`fw.WithDevelopment`).
   */
  Enforce?: boolean;
}

const links = group<{ URL: string; Description?: string }>({ URL: required(filled()), Description: text() });

/** The table of {@linkcode Options}. */
export const documentTable: OptionTable<OptionRows<Options>> = optionTable<Options>("openapi.Options", "openapi")({
  Title: required(filled()),
  Version: required(filled()),
  Description: text(),
  Summary: text(),
  Contact: group({ Name: text(), URL: text(), Email: text() }),
  License: group({ Name: required(text()), Identifier: text(), URL: text() }),
  TermsOfService: text(),
  Servers: listOf(group({ URL: required(filled()), Description: text() }), "servers"),
  Tags: listOf(group({ Name: required(filled()), Description: text(), ExternalDocs: links }), "tags"),
  ExternalDocs: links,
  SecuritySchemes: record(),
  Webhooks: record(),
  Subdomain: text(),
  ForVersion: filled(),
  Filter: func(),
  Convert: func(),
  File: either<string | URL, undefined>(undefined, filled(), instance(URL, "a URL")),
  Amend: func(),
  Enforce: flag(),
});

/** Returns the members of the document that describe the API as a whole. */
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
    // Documents are usually served by the host that they describe.
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
