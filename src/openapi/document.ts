/**
 * The OpenAPI document of an application.
 *
 * @module
 */

import type { Party } from "../app/party.ts";
import { registryOf } from "../app/party.ts";
import type { Registry, RouteRecord } from "../app/registry.ts";
import type { RouteDescription } from "../app/route_description.ts";
import { FrameworkError } from "../base/errors.ts";
import type { Handler } from "../context/handler.ts";
import { Components } from "./components.ts";
import type { JSONSchema, SchemaConverter } from "./json_schema.ts";
import { buildPaths } from "./paths.ts";
import { UI } from "./ui.ts";
import { toYAML } from "./yaml.ts";

/** How a document is built. */
export interface Options {
  /** The name of the API. */
  Title: string;
  /** The version of the API, not that of OpenAPI. */
  Version: string;
  /** What the API is for, in Markdown. */
  Description?: string;
  /** Where it can be reached: URLs, with what each is. */
  Servers?: readonly { URL: string; Description?: string }[];
  /** The subdomain whose routes are meant, such as `api.`; the root domain unless given. */
  Subdomain?: string;
  /** Turns the schemas of a library into JSON Schema that does not do so itself. */
  Convert?: SchemaConverter;
  /** A document that was written from the sources at build time: what it says is kept, what the program says wins. */
  File?: string | URL;
}

/** What the source files add: descriptions by controller and method, or by method and path, and named types. */
export interface SourceFacts {
  readonly describe: (record: RouteRecord) => RouteDescription;
  readonly schemas: Readonly<Record<string, JSONSchema>>;
}

/** An OpenAPI 3.1 document as a plain object. */
export type DocumentObject = Record<string, unknown>;

const served = new WeakMap<Registry, Document>();

/** Finds the document that an application serves. */
export function documentOf(party: Party): Document | undefined {
  return served.get(registryOf(party));
}

/** Builds a document with what the source files add. */
export let buildDocument: (document: Document, party: Party, facts: SourceFacts) => DocumentObject;

/**
 * The OpenAPI document of an application, built from its routes when it is first asked for.
 *
 * @example Serving the document and its page
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
    buildDocument = (document, party, facts) => document.#build(registryOf(party), facts);
  }

  /**
   * Created by `openapi.New`.
   *
   * @param options How the document is built.
   */
  constructor(options: Options) {
    if (typeof options?.Title !== "string" || typeof options.Version !== "string") {
      throw new FrameworkError("FW_CONFIG", 'Cannot describe an API: it needs a "Title" and a "Version"');
    }
    this.#options = options;
  }

  /**
   * Builds the document of an application.
   *
   * @param party The application, or a party of it.
   * @returns The document as a plain object.
   */
  async Build(party: Party): Promise<DocumentObject> {
    const base = this.#options.File === undefined ? undefined : await readDocument(this.#options.File);
    const own = this.#build(registryOf(party), { describe: () => ({}), schemas: {} });
    return base === undefined ? own : overlaid(base, own) as DocumentObject;
  }

  /**
   * Serves the document under `path.json` and `path.yaml`, and a page that explains it under the path itself. These
   * routes are not part of the document.
   *
   * @param party The application or the party to serve it on.
   * @param path The path; `/openapi` unless given.
   * @returns This document.
   */
  Serve(party: Party, path = "/openapi"): this {
    served.set(registryOf(party), this);
    const hidden: RouteDescription = { Hidden: true };
    const last = path.slice(path.lastIndexOf("/") + 1);
    party.Get(`${path}.json`, this.#handler(party, JSON.stringify, "application/json")).Describe(hidden);
    party.Get(`${path}.yaml`, this.#handler(party, toYAML, "application/yaml")).Describe(hidden);
    party.Get(path, UI({ Document: `${last}.json`, Title: this.#options.Title })).Describe(hidden);
    return this;
  }

  #handler(party: Party, write: (document: DocumentObject) => string, type: string): Handler {
    // The routes of a built application do not change, so one text serves all requests.
    let text: Promise<string> | undefined;
    return async (ctx) => {
      text ??= this.Build(party).then(write);
      const body = await text;
      ctx.ContentType(type);
      ctx.WriteString(body);
    };
  }

  #build(registry: Registry, facts: SourceFacts): DocumentObject {
    const { Title, Version, Description, Servers, Subdomain = "", Convert } = this.#options;
    const components = new Components();
    for (const [name, schema] of Object.entries(facts.schemas)) components.define(name, schema);
    const paths = buildPaths({
      records: registry.routes.filter((record) => record.party.subdomain === Subdomain),
      components,
      documented: facts.describe,
      convert: Convert,
    });
    const parts = components.toObject();
    return {
      openapi: "3.1.0",
      info: { title: Title, version: Version, ...Description === undefined ? {} : { description: Description } },
      ...Servers === undefined ? {} : { servers: Servers.map(toServer) },
      paths,
      ...parts === undefined ? {} : { components: parts },
    };
  }
}

function toServer({ URL, Description }: { URL: string; Description?: string }): Record<string, string> {
  return { url: URL, ...Description === undefined ? {} : { description: Description } };
}

async function readDocument(file: string | URL): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(file));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FrameworkError("FW_FILE", `Cannot read the OpenAPI document "${file}": ${reason}`, { cause });
  }
}

/** Lays one document over another: objects by member, anything else as a whole. */
function overlaid(below: unknown, above: unknown): unknown {
  if (!isPlain(below) || !isPlain(above)) return above;
  const whole: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    whole[key] = Object.hasOwn(below, key) ? overlaid(below[key], value) : value;
  }
  return whole;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
