/**
 * Determines which parties have a prefix that matches a path.
 *
 * @module
 */

import { innerSlash } from "../../../base/text/path_value.ts";
import type { ParamSegment, Segment } from "../../../http/parameter_types/template.ts";
import type { Handler } from "../../context/handler.ts";
import type { FoldedParty } from "./folded_party.ts";

/** A party with middleware. The middleware applies to everything below the party's prefix. */
export interface Owner {
  readonly party: FoldedParty;
  /** The middleware of its routes. */
  readonly uses: readonly Handler[];
}

/** A prefix and the parties that have it, in the order of their registration. */
export interface OwnedPrefix {
  /** The ID of the prefix, unique within its host. */
  readonly id: number;
  /** The prefix in the form that the router compares. */
  readonly segments: readonly Segment[];
  readonly owners: Owner[];
}

const slash = 47;
/** The maximum number of prefixes that are searched for each route. */
const mostSearched = 1_000;

class Node {
  prefix: OwnedPrefix | undefined = undefined;
  readonly statics: Map<string, Node> = new Map();
  /** The nodes below parameters, by the key of the parameter. */
  readonly params: Map<string, { readonly segment: ParamSegment; readonly node: Node }> = new Map();
}

/**
 * The parties of a host by prefix, stored as a tree of segments. A path is only compared with prefixes that share its
 * segments.
 */
export class PrefixOwners {
  #count = 0;
  readonly #root = new Node();

  /** Adds a party. */
  add(segments: readonly Segment[], owner: Owner): void {
    let node = this.#root;
    for (const segment of segments) node = childOf(node, segment);
    node.prefix ??= { id: this.#count++, segments, owners: [] };
    node.prefix.owners.push(owner);
  }

  /**
   * Reports whether an unescaped path of a route may be below the prefix of a party that satisfies the condition and
   * whose prefix the route's own path does not contain.
   *
   * If there are very many prefixes, the answer is always yes, because routes such as `/{a}/1` and `/{a}/2` would
   * search all of them each. The prefixes are then looked up by the path of each request.
   */
  someReached(route: readonly Segment[], test: (owner: Owner) => boolean): boolean {
    return this.#count > mostSearched || someBelow(this.#root, route, 0, test);
  }

  /**
   * Returns the prefixes that match `text[start..end)`.
   *
   * @returns The prefixes, with the outermost one first.
   */
  at(text: string, start: number, end: number): OwnedPrefix[] {
    const found: OwnedPrefix[] = [];
    collectPrefixes(this.#root, text, start, end, found);
    return found.length < 2 ? found : found.sort((a, b) => a.segments.length - b.segments.length);
  }
}

/** Tests the parties whose prefix may match a path of a template. A catch-all may match anything. */
function someBelow(node: Node, segments: readonly Segment[], at: number, test: (owner: Owner) => boolean): boolean {
  const { prefix, statics, params } = node;
  if (prefix !== undefined && !containsPrefix(segments, prefix.segments) && prefix.owners.some(test)) return true;
  const segment = segments[at];
  if (segment === undefined) return false;
  if (segment.kind === "static") {
    const text = segment.text.replaceAll("/", innerSlash);
    const known = statics.get(text);
    return known !== undefined && someBelow(known, segments, at + 1, test) ||
      params.values().some((edge) =>
        edge.segment.accept(text, 0, text.length) && someBelow(edge.node, segments, at + 1, test)
      );
  }
  // A catch-all also consumes the following segments, one at a time.
  const next = segment.trailing ? at : at + 1;
  return statics.entries().some(([text, below]) =>
    (segment.trailing || segment.accept(text, 0, text.length)) && someBelow(below, segments, next, test)
  ) || params.values().some((edge) => someBelow(edge.node, segments, next, test));
}

/** Collects the prefixes that match a path. All branches are followed, not only the most specific one. */
function collectPrefixes(node: Node, text: string, at: number, end: number, found: OwnedPrefix[]): void {
  if (node.prefix !== undefined) found.push(node.prefix);
  const from = at + 1;
  if (from >= end) return;
  let border = from;
  while (border < end && text.charCodeAt(border) !== slash) border++;
  const known = node.statics.size === 0 ? undefined : node.statics.get(text.slice(from, border));
  if (known !== undefined) collectPrefixes(known, text, border, end, found);
  if (node.params.size === 0) return;
  for (const { segment, node: below } of node.params.values()) {
    const last = segment.trailing ? end : border;
    if (segment.accept(text, from, last)) collectPrefixes(below, text, last, end, found);
  }
}

function childOf(node: Node, segment: Segment): Node {
  if (segment.kind === "static") {
    const text = segment.text.replaceAll("/", innerSlash);
    const known = node.statics.get(text);
    if (known !== undefined) return known;
    const fresh = new Node();
    node.statics.set(text, fresh);
    return fresh;
  }
  const known = node.params.get(segment.key);
  if (known !== undefined) return known.node;
  const fresh = new Node();
  node.params.set(segment.key, { segment, node: fresh });
  return fresh;
}

/**
 * Reports whether a route's own path contains the prefix of a party, with each segment either literal or the same
 * parameter. The party's middleware then does not apply to the route unless the route is registered on the party. This
 * makes it possible to have a public login page below a guarded prefix.
 */
export function containsPrefix(route: readonly Segment[], prefix: readonly Segment[]): boolean {
  if (route.length < prefix.length) return route.every((segment) => segment.kind === "static");
  return prefix.every((theirs, at) => {
    const own = route[at];
    return own?.kind === "static" || theirs.kind === "param" && own?.key === theirs.key;
  });
}
