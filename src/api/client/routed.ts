/**
 * Creates clients for controllers with custom routes.
 *
 * @module
 */

import { required, text } from "../../base/config/option_kinds.ts";
import { mapOf } from "../../base/config/option_shapes.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { lazyObject, namedCall, newCall, splitOptions } from "./client.ts";
import type { Client } from "./client_type.ts";
import { checkBase, type ClientOptions, clientRows } from "./options.ts";
import { Sender } from "./sender.ts";
import { readRoute, templatePath } from "./request_path.ts";

/** Options for {@linkcode Routed}. */
export interface RoutedOptions<Extra extends string> extends ClientOptions {
  /** The HTTP method and path template of each method that has a custom route. */
  readonly Routes: Readonly<Record<Extra, string>>;
}

const table = optionTable<RoutedOptions<string>>("client.RoutedOptions", "Routed")({
  ...clientRows,
  Routes: required(mapOf(text(), "strings")),
});

/**
 * Creates a client for a controller that registers some of its routes in `BeforeActivation`.
 *
 * @example Call a method with a custom route
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 * import * as mvc from "@fw/web/mvc";
 *
 * class BookController {
 *   BeforeActivation(b: mvc.BeforeActivation) {
 *     b.Handle("GET", "/{owner:uint64}/book/{id:uint64}", "Show");
 *   }
 *   Show(owner: bigint, id: bigint) {
 *     return `${owner}/${id}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(BookController);
 *
 * const books = client.Routed<BookController, "Show">("http://localhost", {
 *   Fetch: app.fetch,
 *   Routes: { Show: "GET /{owner:uint64}/book/{id:uint64}" },
 * });
 * await books.Show(1n, 2n); // → ["1/2", null]
 * ```
 *
 * @param base The URL that the controller is served at.
 * @param options The routes and the options for sending requests.
 * @returns The client.
 */
export function Routed<C, Extra extends keyof C & string>(
  base: string | URL,
  options: RoutedOptions<Extra>,
): Client<C, Extra> {
  checkBase(base);
  readOptions(table, options);
  const sender = new Sender(base, options);
  const routes: Readonly<Record<string, string>> = options.Routes;
  return lazyObject((name) => {
    if (!Object.hasOwn(routes, name)) return namedCall(sender, name);
    const { methods, template } = readRoute(routes[name] ?? "");
    return newCall(sender, name, methods, (args) => {
      const { values, options } = splitOptions(args);
      return { path: templatePath(name, template, (_parameter, at) => values[at]), options };
    });
  });
}
