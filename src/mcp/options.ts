/**
 * What is offered to agents, and within which limits.
 *
 * @module
 */

import type { Party } from "../app/party.ts";
import type { Route } from "../app/route.ts";
import { FrameworkError } from "../base/errors.ts";
import type { Handler } from "../context/handler.ts";
import type { SchemaConverter } from "../openapi/json_schema.ts";
import type { Store } from "../store/store.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The name of the server, as clients show it. */
  Name: string;
  /** The version of the server. Defaults to `0.0.0`. */
  Version?: string;
  /** What the tools are for and how they belong together, for the model. */
  Instructions?: string;
  /** The controllers whose methods become tools. */
  Controllers?: readonly (abstract new (...args: never[]) => object)[];
  /** Selects further routes that become tools, such as those of `ConfigureContainer`. */
  Routes?: (route: Route) => boolean;
  /**
   * Offers GET routes as resources too, if no query or header is required.
   *
   * @default {true}
   */
  Resources?: boolean;
  /** The path of the endpoint. Defaults to `/mcp`. */
  Path?: string;
  /** The party that serves the endpoint, with its middleware. Defaults to the application. */
  Party?: Party;
  /** What a request to the endpoint has to pass first, such as the handler of `jwt` or a rate limit. */
  Guards?: readonly Handler[];
  /** Where clients get their tokens, which a response with status 401 then points to (RFC 9728). */
  Authorization?: Authorization;
  /**
   * The origins whose pages may send requests, such as `https://chat.example.com`. Requests without an `Origin` header,
   * as programs send them, are always allowed; on a loopback address, so are pages from there.
   */
  Origins?: readonly string[];
  /** How sessions of the protocol are stored; `false` for none. In memory, for 30 minutes, if omitted. */
  Sessions?: SessionOptions | false;
  /** The maximum size of a message, in bytes. Defaults to 1 MiB. */
  MaxMessageSize?: number;
  /** The maximum size of what a tool returns, in bytes. Defaults to 1 MiB. */
  MaxResultSize?: number;
  /** The maximum number of calls in flight. Defaults to 64; further calls are refused. */
  MaxCalls?: number;
  /** Converts the schemas of a library into JSON Schema that does not do so itself. */
  Convert?: SchemaConverter;
}

/** The authorization servers of an endpoint. */
export interface Authorization {
  /** The issuers of the tokens that the guards accept. */
  Servers: readonly string[];
  /** The scopes that a client may request. */
  Scopes?: readonly string[];
  /** The URL of the endpoint, which tokens are issued for. Defaults to the URL that the client requested. */
  Resource?: string;
}

/** How sessions are stored. */
export interface SessionOptions {
  /** Where they are stored. Several processes need a shared store. Defaults to process memory. */
  Store?: Store;
  /** How long a session lives without a request, in milliseconds. Defaults to 30 minutes. */
  Idle?: number;
}

/** The options with their defaults. */
export type Settings = Options & Required<Pick<Options, "MaxMessageSize" | "MaxResultSize" | "MaxCalls" | "Path">>;

/** Checks the options and adds the defaults. */
export function settingsOf(options: Options): Settings {
  if (typeof options?.Name !== "string" || options.Name === "") throw refused('it needs a "Name"');
  if (options.Controllers === undefined && options.Routes === undefined) {
    throw refused('it needs "Controllers" or "Routes"');
  }
  for (const name of ["MaxMessageSize", "MaxResultSize", "MaxCalls"] as const) {
    const value = options[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw refused(`"${name}" must be a positive integer, and is "${value}"`);
    }
  }
  for (const origin of options.Origins ?? []) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) throw refused(`"${origin}" is not an origin`);
  }
  if (options.Authorization !== undefined && options.Authorization.Servers.length === 0) {
    throw refused('"Authorization" needs at least one server');
  }
  const { MaxMessageSize = 1 << 20, MaxResultSize = 1 << 20, MaxCalls = 64, Path = "/mcp" } = options;
  return { ...options, MaxMessageSize, MaxResultSize, MaxCalls, Path };
}

function refused(reason: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", `Cannot create an MCP server: ${reason}`);
}
