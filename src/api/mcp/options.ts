/**
 * Options for MCP servers.
 *
 * @module
 */

import {
  count,
  either,
  filled,
  flag,
  formerly,
  func,
  group,
  listOf,
  milliseconds,
  record,
  required,
  text,
  texts,
} from "../../base/config/option_kinds.ts";
import { nonEmpty, orFalse, path } from "../../base/config/option_shapes.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Party } from "../../core/app/party.ts";
import type { Route } from "../../core/app/record/route.ts";
import type { Handler } from "../../core/context/handler.ts";
import type { Keys } from "../../state/keys/keys.ts";
import { type Store, storeOption } from "../../state/store/store.ts";
import type { SchemaConverter } from "../openapi/json_schema.ts";
import type { Completer } from "./completion.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /** The server name that clients display. */
  Name: string;
  /**
   * The server version.
   *
   * @default {"0.0.0"}
   */
  Version?: string;
  /** Instructions for the model, such as the purpose of the tools and how to combine them. */
  Instructions?: string;
  /**
   * The controllers whose methods are offered as tools. A tool has the name of `Describe`'s `OperationID`, or the name
   * of its route (`SetName`), or that of the controller and its method, such as `Tea_GetBy`. Applications that are
   * mounted in this one can serve them, too. An application behind `apps.Switch` serves its own endpoint, because its
   * routes belong to another host.
   */
  Controllers?: readonly (abstract new (...args: never[]) => object)[];
  /**
   * Selects additional routes to offer as tools, such as those registered with `ConfigureContainer`, also from mounted
   * applications, whose paths include that of the mount. Without an
   * `OperationID` or a name, their tools are named after the method and the path, such as `get_teas_id`.
   */
  Routes?: (route: Route) => boolean;
  /**
   * Whether to also offer GET routes without required query parameters or headers as resources. A function decides for
   * each route, and can return a URI template with the path parameters, such as `tea://teas/{id}`.
   *
   * @default {true}
   */
  Resources?: boolean | ((route: Route) => string | boolean);
  /**
   * The routes to offer as prompts: controllers, or a function that selects routes. A prompt responds with a string,
   * which becomes a user message, or with an array of strings and messages.
   */
  Prompts?: readonly (abstract new (...args: never[]) => object)[] | ((route: Route) => boolean);
  /**
   * Suggests values for prompt and resource arguments. If omitted, enumeration values are suggested.
   */
  Complete?: Completer;
  /**
   * The path of the endpoint.
   *
   * @default {"/mcp"}
   */
  Path?: string;
  /** The party that serves the endpoint, including its middleware. If omitted, the application is used. */
  Party?: Party;
  /** Handlers that run before the endpoint, such as a `jwt` handler or a rate limiter. */
  Guards?: readonly Handler[];
  /** The authorization servers that issue tokens. Responses with status 401 point to them (RFC 9728). */
  Authorization?: Authorization;
  /**
   * The origins whose pages may send requests, such as `https://chat.example.com`. Requests without an `Origin` header,
   * such as those sent by programs, are always allowed. On a loopback address, pages from loopback origins are allowed
   * as well.
   */
  Origins?: readonly string[];
  /**
   * Options for sessions, which protocol revisions before 2026-07-28 use, or `false` to disable sessions. If omitted,
   * sessions are stored in the memory of one thread for 30 minutes. In revision 2026-07-28, their store contains the
   * IDs of completed calls, so that no call is completed twice.
   */
  Sessions?: SessionOptions | false;
  /**
   * The maximum size of a message, in bytes.
   *
   * @default {1048576}
   */
  MaxMessage?: number;
  /**
   * The maximum size of a tool result, in bytes.
   *
   * @default {1048576}
   */
  MaxResult?: number;
  /**
   * The maximum number of calls in flight per user, or per address for anonymous callers. Additional calls are
   * rejected.
   *
   * @default {64}
   */
  MaxCalls?: number;
  /**
   * The maximum number of open change streams. Additional streams are rejected.
   *
   * @default {1000}
   */
  MaxStreams?: number;
  /**
   * The keys that encrypt the state of calls that are waiting for input. Applications with several processes need
   * shared keys. If omitted, a key is generated at start-up.
   */
  Keys?: Keys;
  /** Converts schemas to JSON Schema, for libraries that cannot do so themselves. */
  Convert?: SchemaConverter;
}

/** Options for authorization. */
export interface Authorization {
  /** The issuers of the tokens that the guards accept. */
  Servers: readonly string[];
  /** The scopes that a client may request. */
  Scopes?: readonly string[];
  /** The URL of the endpoint that tokens are issued for. If omitted, the requested URL is used. */
  Resource?: string;
}

/** Options for protocol sessions. */
export interface SessionOptions {
  /** The session store. Applications with several processes need a shared store. If omitted, process memory is used. */
  Store?: Store;
  /**
   * The time after which an idle session expires, in milliseconds.
   *
   * @default {1800000}
   */
  Idle?: number;
}

/** Server options with all defaults applied. */
export type Settings = Filled<
  Options,
  | "Instructions"
  | "Controllers"
  | "Routes"
  | "Prompts"
  | "Complete"
  | "Party"
  | "Authorization"
  | "Sessions"
  | "Keys"
  | "Convert"
>;

const controllerRule = either<abstract new (...args: never[]) => object, undefined>(undefined, func());
const table = optionTable<Options>("mcp.Options", "mcp")({
  Name: required(filled()),
  Version: filled("0.0.0"),
  Instructions: text(),
  Controllers: listOf(controllerRule, "controllers"),
  Routes: func(),
  Resources: either(true, flag(), func()),
  Prompts: either(undefined, listOf(controllerRule, "controllers"), func()),
  Complete: func(),
  Path: path("/mcp"),
  Party: record(),
  Guards: listOf(func(), "handlers", []),
  Authorization: group({ Servers: required(nonEmpty(texts())), Scopes: texts(), Resource: filled() }),
  Origins: texts([]),
  Sessions: orFalse(group({ Store: storeOption, Idle: milliseconds(1_800_000, { isPositive: true }) })),
  MaxMessage: formerly("MaxMessageSize", count(1 << 20)),
  MaxResult: formerly("MaxResultSize", count(1 << 20)),
  MaxCalls: count(64),
  MaxStreams: count(1_000),
  Keys: record(),
  Convert: func(),
});

/** Validates the options and applies the defaults. */
export function settingsOf(options: Options): Settings {
  const settings = readOptions(table, options);
  if (settings.Controllers === undefined && settings.Routes === undefined && settings.Prompts === undefined) {
    throw refused('"Controllers", "Routes" or "Prompts" is required');
  }
  for (const origin of settings.Origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) throw refused(`"${origin}" is not an origin`);
  }
  return settings;
}

function refused(reason: string): FrameworkError {
  return new FrameworkError("FW_CONFIG", `Cannot create an MCP server: ${reason}`);
}
