/**
 * The namespace of a room, a user or an event, as an option.
 *
 * @module
 */

import { text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";

/** Options for methods that refer to a namespace. */
export interface NamespaceOptions {
  /** The WebSocket namespace. If omitted, the default namespace is used. */
  readonly Namespace?: string;
}

const table = optionTable<NamespaceOptions>("live.NamespaceOptions", "a method")({ Namespace: text("") });

/**
 * Returns the namespace of a call.
 *
 * @param method The method, for messages.
 * @param options The options of the call.
 * @returns The namespace, or an empty string for the default namespace.
 * @throws {FrameworkError} If the options are not an object, such as the namespace alone.
 */
export function namespaceOf(method: string, options: NamespaceOptions | undefined): string {
  return options === undefined ? "" : readOptions(table, options, method).Namespace;
}
