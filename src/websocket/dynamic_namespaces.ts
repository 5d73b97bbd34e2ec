/**
 * Namespaces whose names match a pattern or a function.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import { isChannelName } from "../live/channel_name.ts";
import { Namespace } from "./namespace.ts";

const MAX_NAME = 256;

/** The dynamic namespaces of a server. */
export class DynamicNamespaces {
  readonly #rows: { readonly matches: (name: string) => boolean; readonly namespace: Namespace }[] = [];

  /** Adds a namespace. */
  add(pattern: RegExp | ((name: string) => boolean)): Namespace {
    const matches = matcherOf(pattern);
    const namespace = new Namespace(pattern instanceof RegExp ? String(pattern) : pattern.name || "(function)");
    this.#rows.push({ matches, namespace });
    return namespace;
  }

  /** Finds the first namespace that matches a name, which a client has chosen. */
  find(name: string): Namespace | undefined {
    if (this.#rows.length === 0 || name === "" || name.length > MAX_NAME || !isChannelName(name)) return undefined;
    return this.#rows.find(({ matches }) => matches(name))?.namespace;
  }
}

function matcherOf(pattern: unknown): (name: string) => boolean {
  if (pattern instanceof RegExp) {
    // Patterns with these flags remember where the last match has ended.
    const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
    return (name) => stateless.test(name);
  }
  if (typeof pattern !== "function") {
    throw new FrameworkError("FW_ROUTE", "Cannot use this namespace: pass a name, a regular expression or a function");
  }
  // A promise would match every name.
  return (name) => pattern(name) === true;
}
