/**
 * Builds and serves the OpenAPI document of an application.
 *
 * @module
 */

import { returnedBoolean, returnedObject } from "../../base/config/returned.ts";
import { routesServing } from "../../core/app/inspect/reachable_routes.ts";
import { appOf, type Party, recordOf } from "../../core/app/party.ts";
import { joinPaths } from "../../core/app/party_prefix.ts";
import type { PartyRecord, RouteRecord } from "../../core/app/record/registry.ts";
import type { RouteDescription } from "../../core/app/record/route_description.ts";
import { type ServedRoute, servedRoutes } from "../../core/app/served_routes.ts";
import { filled, text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { exchangeOf } from "../../core/context/context.ts";
import type { Handler } from "../../core/context/handler.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { asPage } from "../../core/exchange/handler_facts.ts";
import { belowRoot, linkTo, rootPath } from "../../core/exchange/public_url.ts";
import { isCommonHost } from "../../http/headers/host_name.ts";
import { Components } from "./components.ts";
import {
  type BuiltDocument,
  describeAPI,
  type DocumentObject,
  documentTable,
  type Options,
} from "./document_options.ts";
import { enforceResponses } from "./check_value.ts";
import type { JSONSchema, SchemaConverter } from "./json_schema.ts";
import { pageMarkup, pagePolicy } from "./page/markup.ts";
import { buildPaths } from "./paths.ts";
import { SchemaWriter } from "./schema_writer.ts";
import { toYAML } from "./yaml.ts";
import { parseBasePath } from "../../base/text/base_path.ts";

/** Options for {@linkcode UI}. */
export interface UIOptions {
  /**
   * The URL of the document. It can be relative to the page. A path that starts with `/` is relative to the
   * application's base path.
   *
   * @default {"openapi.json"}
   */
  Document?: string;
  /** The URL of the YAML document that the page links to. If omitted, the page has no YAML link. */
  YAML?: string;
  /**
   * The page title to show until the document has loaded.
   *
   * @default {"API"}
   */
  Title?: string;
}

const table = optionTable<UIOptions>("openapi.UIOptions", "openapi.UI")({
  Document: filled("openapi.json"),
  YAML: filled(),
  Title: text("API"),
});

/**
 * Creates a handler that serves an interactive page for an OpenAPI document.
 *
 * @param options The URL of the document and the page title.
 * @returns The handler.
 *
 * @example Serve the page at a custom path
 * ```ts
 * import * as fw from "@fw/web";
 * import * as openapi from "@fw/web/openapi";
 *
 * const app = fw.New();
 * app.Get("/docs", openapi.UI({ Document: "/openapi.json", Title: "Teas" }));
 *
 * const page = await app.fetch(new Request("http://localhost/docs"));
 * (await page.text()).includes("<title>Teas</title>"); // → true
 * ```
 */
export function UI(options: UIOptions = {}): Handler {
  const { Title, Document, YAML } = readOptions(table, options);
  return asPage<Handler>(function openapiPage(ctx) {
    const { target } = exchangeOf(ctx);
    const html = pageMarkup({
      title: Title,
      document: linkTo(target, Document),
      yaml: YAML === undefined ? undefined : linkTo(target, YAML),
    });
    ctx.Header("content-security-policy", pagePolicy);
    ctx.Header("x-content-type-options", "nosniff");
    ctx.HTML(html);
  });
}

/** Information from the source files: route descriptions and named types. */
export interface SourceFacts {
  readonly describe: (record: RouteRecord) => RouteDescription;
  readonly schemas: Readonly<Record<string, JSONSchema>>;
  /** The descriptions of the tags, by name. */
  readonly tags: Readonly<Record<string, string>>;
}

const noFacts: SourceFacts = { describe: () => ({}), schemas: {}, tags: {} };

/** A document that an application serves. */
export interface ServedDocument {
  readonly document: Document;
  /** The path of the page, including the prefix of its party. */
  readonly path: string;
  /** The application or party that the document describes. */
  readonly party: Party;
}

const served = new WeakMap<object, ServedDocument[]>();

/** Returns the documents that an application serves, in the order of registration. */
export function documentsOf(party: Party): readonly ServedDocument[] {
  return served.get(appOf(party)) ?? [];
}

/** Returns the routes that a document describes. */
export let routesIn: (document: Document, party: Party) => readonly RouteRecord[];

/** Returns the converter of a document. */
export let converterOf: (document: Document) => SchemaConverter | undefined;

/** Builds a document that includes information from the source files. */
export let buildDocument: (document: Document, party: Party, facts: SourceFacts) => BuiltDocument;

/**
 * The OpenAPI document of an application. It is built from the routes on first use.
 *
 * @example Serve the document and its page
 * ```ts
 * import * as fw from "@fw/web";
 * import * as openapi from "@fw/web/openapi";
 *
 * const app = fw.New();
 * app.Get("/teas/{id:int min(1)}", (ctx) => ctx.JSON({ name: "Assam" })).Describe({ Summary: "Finds a tea" });
 * openapi.New({ Title: "Teas", Version: "1.0.0" }).Serve(app, "/openapi");
 *
 * const response = await app.fetch(new Request("http://localhost/openapi.json"));
 * const { paths } = await response.json();
 * paths["/teas/{id}"].get.summary; // → "Finds a tea"
 * ```
 */
export class Document {
  readonly #options: Options;

  static {
    routesIn = (document, party) => document.#routes(party);
    converterOf = (document) => document.#options.Convert;
    buildDocument = (document, party, facts) => document.#build(party, facts);
  }

  /**
   * Created by `openapi.New`.
   *
   * @param options Options for the document.
   */
  constructor(options: Options) {
    readOptions(documentTable, options);
    this.#options = options;
  }

  /**
   * Builds the document for an application, or for a party and its nested parties. Builds the application first if
   * necessary. The routes of mounted fw applications are included with their full paths. Those of `apps.Switch` are
   * included only if it has one application at one host name, because a document describes one host.
   *
   * @param party The application or party.
   * @returns The document as a plain object.
   */
  async Build(party: Party): Promise<DocumentObject> {
    const { document } = await this.#complete(party);
    return withServersBelow(document, parseBasePath(appOf(party).Configuration().BasePath) ?? "");
  }

  /**
   * Serves the document at `path.json` and `path.yaml`, and an interactive page at the path itself. The document does
   * not include these routes.
   *
   * @param party The application or party to serve the document on.
   * @param path The path of the page. Defaults to `/openapi`.
   * @param of The application or party to document. Defaults to `party`.
   * @returns This document, for chaining.
   */
  Serve(party: Party, path = "/openapi", of: Party = party): this {
    const app = appOf(party);
    const others = served.get(app) ?? [];
    served.set(app, [...others, { document: this, path: joinPaths(recordOf(party).prefix, path), party: of }]);
    const last = path.slice(path.lastIndexOf("/") + 1);
    // The routes cannot change after the build, so all requests share one document.
    let built: Promise<BuiltDocument> | undefined;
    const complete = () => built ??= this.#complete(of);
    party.Get(`${path}.json`, newHandler(complete, JSON.stringify, "application/json"));
    party.Get(`${path}.yaml`, newHandler(complete, toYAML, "application/yaml"));
    party.Get(path, UI({ Document: `${last}.json`, YAML: `${last}.yaml`, Title: this.#options.Title }));
    enforceResponses(app, complete, this.#options.Enforce);
    return this;
  }

  async #complete(party: Party): Promise<BuiltDocument> {
    const app = appOf(party);
    // Late registrations, such as controller descriptions, are included.
    await app.Build();
    const base = this.#options.File === undefined ? undefined : await readDocument(this.#options.File);
    const own = this.#build(party, base === undefined ? noFacts : { ...noFacts, schemas: schemasOf(base) });
    for (const warning of own.warnings) app.Logger().Warn(warning);
    return base === undefined ? own : { ...own, document: this.#amended(this.#laidOver(base, own.document, party)) };
  }

  /**
   * Merges the running application's document into the one from the file. The running application takes precedence and
   * adds the routes that are missing in the file.
   */
  #laidOver(base: DocumentObject, own: DocumentObject, party: Party): DocumentObject {
    const { document } = this.#build(party, { ...noFacts, schemas: schemasOf(base) }, false);
    const known = Object(base["paths"]);
    const added = Object.fromEntries(
      Object.entries(Object(own["paths"])).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(Object(item)).filter(([method]) => !Object.hasOwn(Object(known[path]), method)),
        ),
      ]),
    );
    return overlaid(overlaid(base, document), { paths: added }) as DocumentObject;
  }

  #build(party: Party, facts: SourceFacts, isGuessing = true): BuiltDocument {
    const { Convert, Webhooks, SecuritySchemes = {} } = this.#options;
    const components = new Components();
    for (const [name, schema] of Object.entries(facts.schemas)) components.define(name, schema);
    for (const [name, scheme] of Object.entries(SecuritySchemes)) components.secure(name, scheme);
    const schemas = new SchemaWriter(components, Convert);
    const { paths, operations } = buildPaths({
      records: this.#routes(party),
      schemas,
      documented: facts.describe,
      isGuessing,
    });
    const parts = components.toObject();
    const document = {
      ...describeAPI({ ...this.#options, ...tagsOf(this.#options, facts) }, isGuessing),
      paths,
      ...Webhooks === undefined ? {} : { webhooks: Webhooks },
      ...parts === undefined ? {} : { components: parts },
    };
    const isLast = this.#options.File === undefined;
    return { document: isLast ? this.#amended(document) : document, operations, warnings: schemas.warnings };
  }

  #routes(party: Party): readonly RouteRecord[] {
    const { Subdomain, Filter, ForVersion } = this.#options;
    const record = recordOf(party);
    const subdomain = Subdomain ?? record.subdomain;
    const routes = atOneHost(servedRoutes(party)).map((served) => served.record).filter((route) =>
      route.party.subdomain === subdomain && (isBelow(route.party, record) || record.parent === undefined) &&
      (Filter === undefined || returnedBoolean(Filter(route.route), "Filter of an OpenAPI document"))
    );
    return ForVersion === undefined ? routes : routesServing(routes, ForVersion);
  }

  #amended(document: DocumentObject): DocumentObject {
    const amended: unknown = this.#options.Amend?.(document) ?? document;
    return returnedObject(amended, "Amend of an OpenAPI document");
  }
}

/**
 * Returns the routes that one host serves. A document has one operation for a method and a path, so it leaves out
 * switched applications if there are several, or if it is not known by which host to reach them.
 */
function atOneHost(routes: readonly ServedRoute[]): readonly ServedRoute[] {
  const [host = "", another] = new Set(routes.flatMap(({ hosts }) => hosts));
  const isOne = another === undefined && isCommonHost(host);
  return routes.filter(({ hosts, isInner, replacedBy }) =>
    (hosts.length === 0 || isOne) && !(isInner && replacedBy !== undefined)
  );
}

/** Returns the tags from the options, followed by those described in the sources. */
function tagsOf({ Tags = [] }: Options, { tags }: SourceFacts): Pick<Options, "Tags"> {
  const more = Object.entries(tags).filter(([name]) => !Tags.some((tag) => tag.Name === name));
  const all = [...Tags, ...more.map(([Name, Description]) => ({ Name, Description }))];
  return all.length === 0 ? {} : { Tags: all };
}

function isBelow(party: PartyRecord, above: PartyRecord): boolean {
  return party === above || (party.parent !== undefined && isBelow(party.parent, above));
}

function newHandler(
  complete: () => Promise<BuiltDocument>,
  write: (document: DocumentObject) => string,
  type: string,
): Handler {
  // Most applications have a single public path.
  let last: { readonly root: string; readonly text: Promise<string> } | undefined;
  return asPage<Handler>(async function openapiDocument(ctx) {
    const root = rootPath(exchangeOf(ctx).target);
    if (last?.root !== root) {
      last = { root, text: complete().then(({ document }) => write(withServersBelow(document, root))) };
    }
    const body = await last.text;
    ctx.ContentType(type);
    ctx.WriteString(body);
  });
}

/** Adds the public path of the application to the servers that are paths, as for all other URLs. */
function withServersBelow(document: DocumentObject, root: string): DocumentObject {
  const { servers } = document as { readonly servers?: readonly { readonly url: string }[] };
  if (root === "" || servers === undefined) return document;
  const rooted = servers.map((server) => ({ ...server, url: server.url === "/" ? root : belowRoot(root, server.url) }));
  return { ...document, servers: rooted };
}

function schemasOf(document: DocumentObject): Record<string, JSONSchema> {
  return Object(Object(document["components"])["schemas"]);
}

async function readDocument(file: string | URL): Promise<DocumentObject> {
  try {
    return JSON.parse(await Deno.readTextFile(file));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new FrameworkError("FW_FILE", `Cannot read the OpenAPI document "${file}": ${reason}`, { cause });
  }
}

/** Merges two documents. Objects are merged member by member. Any other value is replaced. */
function overlaid(below: unknown, above: unknown): unknown {
  if (!isJSONObject(below) || !isJSONObject(above)) return above;
  const whole: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    whole[key] = Object.hasOwn(below, key) ? overlaid(below[key], value) : value;
  }
  return whole;
}
