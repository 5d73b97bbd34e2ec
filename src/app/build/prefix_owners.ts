/**
 * Determines which parties have a prefix that matches a path.
 *
 * @module
 */

import type { Handler } from "../../context/handler.ts";
import type { ParamSegment, Segment } from "../../parameter_types/template.ts";
import { innerSlash } from "../../text/path_value.ts";
import type { FoldedParty } from "./folded_party.ts";

/** A party with middleware. The middleware applies to everything below the party's prefix. */
export interface Owner {
  /** The ID of the party, unique within its host. */
  readonly id: number;
  readonly party: FoldedParty;
  /** The prefix in the form that the router compares. */
  readonly segments: readonly Segment[];
  /** The middleware of its routes. */
  readonly uses: readonly Handler[];
}

const slash = 47;

class Node {
  readonly owners: Owner[] = [];
  readonly statics: Map<string, Node> = new Map();
  readonly params: { readonly segment: ParamSegment; readonly node: Node }[] = [];
}

/**
 * The parties of a host by prefix, stored as a tree of segments. A path is only compared with prefixes that share its
 * segments.
 */
export class PrefixOwners {
  #count = 0;
  readonly #root = new Node();

  /** Adds a party. */
  add(party: Omit<Owner, "id">): void {
    let node = this.#root;
    for (const segment of party.segments) node = childOf(node, segment);
    node.owners.push({ id: this.#count++, ...party });
  }

  /** Returns the parties whose prefix may match an unescaped path of a route. */
  reachedBy(route: readonly Segment[]): Owner[] {
    const found: Owner[] = [];
    descend(this.#root, route, 0, found);
    return found;
  }

  /**
   * Returns the parties whose prefix matches `text[start..end)`.
   *
   * @returns The parties, with the outermost one first.
   */
  at(text: string, start: number, end: number): Owner[] {
    const found: Owner[] = [];
    collectOwners(this.#root, text, start, end, found);
    return found.length < 2 ? found : found.sort((a, b) => a.segments.length - b.segments.length);
  }
}

/** Collects the parties whose prefix may match a path of a template. A catch-all may match anything. */
function descend(node: Node, segments: readonly Segment[], at: number, found: Owner[]): void {
  found.push(...node.owners);
  const segment = segments[at];
  if (segment === undefined) return;
  if (segment.kind === "static") {
    const text = segment.text.replaceAll("/", innerSlash);
    const known = node.statics.get(text);
    if (known !== undefined) descend(known, segments, at + 1, found);
    for (const edge of node.params) {
      if (edge.segment.accept(text, 0, text.length)) descend(edge.node, segments, at + 1, found);
    }
    return;
  }
  // A catch-all also consumes the following segments, one at a time.
  const next = segment.trailing ? at : at + 1;
  for (const [text, below] of node.statics) {
    if (segment.trailing || segment.accept(text, 0, text.length)) descend(below, segments, next, found);
  }
  for (const edge of node.params) descend(edge.node, segments, next, found);
}

/** Collects the parties whose prefix matches a path. All branches are followed, not only the most specific one. */
function collectOwners(node: Node, text: string, at: number, end: number, found: Owner[]): void {
  if (node.owners.length > 0) found.push(...node.owners);
  const from = at + 1;
  if (from >= end) return;
  let border = from;
  while (border < end && text.charCodeAt(border) !== slash) border++;
  const known = node.statics.size === 0 ? undefined : node.statics.get(text.slice(from, border));
  if (known !== undefined) collectOwners(known, text, border, end, found);
  for (const { segment, node: below } of node.params) {
    const last = segment.trailing ? end : border;
    if (segment.accept(text, from, last)) collectOwners(below, text, last, end, found);
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
  const known = node.params.find((edge) => edge.segment.key === segment.key);
  if (known !== undefined) return known.node;
  const fresh = { segment, node: new Node() };
  node.params.push(fresh);
  return fresh.node;
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
