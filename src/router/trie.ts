/**
 * A radix tree of path templates, traversed by character code.
 *
 * A lookup does not allocate substrings, arrays or keys. It compares character codes in place and writes the parameter
 * positions to a scratch array. Backtracking is complete but visits each node at most once, because every node is at a
 * fixed segment depth.
 *
 * @module
 */

import type { ParamSegment, Segment, Template } from "../parameter_types/template.ts";
import { innerSlash } from "../text/path_value.ts";

const slash = 47;

/** An edge for a parameter. */
interface ParamEdge<T> {
  readonly segment: ParamSegment;
  /** The length of the literal text after the value. */
  readonly cut: number;
  readonly node: Node<T>;
}

/** A shared empty array for nodes without children or parameters. It is never written to. */
const none: never[] = [];

class Node<T> {
  text: string;
  /** The character codes of `text`. Comparing them takes two thirds of the time of `text.charCodeAt`. */
  codes: number[];
  leaf: T | undefined = undefined;
  /**
   * The child nodes by first character code minus `base`. Indexing is faster than a search
   * (tests/bench/router_bench.ts).
   */
  table: (Node<T> | undefined)[] = none;
  base = 0;
  params: readonly ParamEdge<T>[] = none;
  trailing: readonly ParamEdge<T>[] = none;
  /** Whether no parameter can follow this node. */
  isStatic = true;

  constructor(text: string) {
    this.text = text;
    this.codes = codesOf(text);
  }
}

/** The tree for one method. */
export class Trie<T> {
  /** The start and end indexes of the last match's parameters, in order. Copy them before the next lookup. */
  readonly spans: number[];
  readonly #root = new Node<T>("/");

  /** Creates an empty tree that writes parameter positions to an array shared by all trees of a router. */
  constructor(spans: number[] = []) {
    this.spans = spans;
  }

  /**
   * Stores a payload for a template.
   *
   * @returns The previous payload if no request can distinguish the two templates.
   */
  add(template: Template, payload: T): T | undefined {
    let node = this.#root;
    let pending = "";
    const { segments } = template;
    for (let at = 0; at < segments.length; at++) {
      const segment = segments[at] as Segment;
      if (at > 0) pending += "/";
      if (segment.kind === "static") {
        pending += segment.text.includes("/") ? segment.text.replaceAll("/", innerSlash) : segment.text;
      } else {
        node = paramChild(staticChild(node, pending), segment);
        pending = "";
      }
    }
    node = staticChild(node, pending);
    const before = node.leaf;
    node.leaf = payload;
    return before;
  }

  /**
   * Finds the payload of the most specific template that matches `text[start..end)`.
   *
   * @returns The payload, or `undefined` if no template matches.
   */
  find(text: string, start: number, end: number): T | undefined {
    // Every template starts with a slash, so the root node comes after it.
    return text.charCodeAt(start) === slash ? this.#walk(this.#root, text, start + 1, end, 0) : undefined;
  }

  // Text and end are arguments rather than fields, because storing a short-lived string in a long-lived object makes
  // garbage collection more expensive.
  #walk(from: Node<T>, text: string, start: number, end: number, first: number): T | undefined {
    let node = from;
    let at = start;
    let depth = first;
    // The walk stays in this loop as long as there is only one way to continue. It only recurses if it may have to
    // backtrack.
    for (;;) {
      if (at === end) return node.leaf;
      // An index outside the table would be looked up as a property, which takes 15 times as long.
      const slot = text.charCodeAt(at) - node.base;
      const child = slot >= 0 && slot < node.table.length ? node.table[slot] : undefined;
      if (child !== undefined && startsWith(text, child.codes, at, end)) {
        if (node.isStatic) {
          at += child.codes.length;
          node = child;
          continue;
        }
        const found = this.#walk(child, text, at + child.codes.length, end, depth);
        if (found !== undefined) return found;
      }
      if (node.isStatic) return undefined;
      const { params } = node;
      const border = params.length > 0 ? segmentEnd(text, at, end) : at;
      if (border > at) {
        const last = node.trailing.length > 0 ? params.length : params.length - 1;
        for (let i = 0; i < last; i++) {
          const edge = params[i];
          if (edge === undefined || !edge.segment.accept(text, at, border)) continue;
          // The position is written before the branch is known to match. If the branch does not match, the one that
          // does overwrites it.
          this.spans[depth] = at;
          this.spans[depth + 1] = border - edge.cut;
          const found = this.#walk(edge.node, text, border, end, depth + 2);
          if (found !== undefined) return found;
        }
        const edge = params[last];
        if (edge !== undefined) {
          if (!edge.segment.accept(text, at, border)) return undefined;
          this.spans[depth] = at;
          this.spans[depth + 1] = border - edge.cut;
          node = edge.node;
          at = border;
          depth += 2;
          continue;
        }
      }
      return this.#takeRest(node, text, at, end, depth);
    }
  }

  #takeRest(node: Node<T>, text: string, at: number, end: number, depth: number): T | undefined {
    // If a value started with a slash, code that joins it to a path would get an absolute path or a link to another
    // site.
    if (node.trailing.length === 0 || text.charCodeAt(at) === slash) return undefined;
    for (const edge of node.trailing) {
      if (!edge.segment.accept(text, at, end)) continue;
      this.spans[depth] = at;
      this.spans[depth + 1] = end;
      return edge.node.leaf;
    }
    return undefined;
  }
}

function startsWith(text: string, prefix: readonly number[], at: number, end: number): boolean {
  const { length } = prefix;
  if (at + length > end) return false;
  // The table lookup has already compared the first code.
  for (let i = 1; i < length; i++) {
    if (prefix[i] !== text.charCodeAt(at + i)) return false;
  }
  return true;
}

function segmentEnd(text: string, at: number, end: number): number {
  let border = at;
  while (border < end && text.charCodeAt(border) !== slash) border++;
  return border;
}

/** Follows static text from a node, splitting and adding nodes as needed. */
function staticChild<T>(parent: Node<T>, text: string): Node<T> {
  let node = parent;
  for (let at = 0; at < text.length;) {
    const slot = text.charCodeAt(at) - node.base;
    const child = slot >= 0 && slot < node.table.length ? node.table[slot] : undefined;
    if (child === undefined) return addStatic(node, new Node<T>(text.slice(at)));
    const shared = sharedLength(child.codes, text, at);
    if (shared < child.codes.length) splitNode(child, shared);
    node = child;
    at += shared;
  }
  return node;
}

function splitNode<T>(node: Node<T>, length: number): void {
  const lower = new Node<T>(node.text.slice(length));
  lower.leaf = node.leaf;
  lower.table = node.table;
  lower.base = node.base;
  lower.params = node.params;
  lower.trailing = node.trailing;
  lower.isStatic = node.isStatic;
  node.text = node.text.slice(0, length);
  node.codes = codesOf(node.text);
  node.leaf = undefined;
  node.table = none;
  node.params = none;
  node.trailing = none;
  node.isStatic = true;
  addStatic(node, lower);
}

function addStatic<T>(node: Node<T>, child: Node<T>): Node<T> {
  const code = child.text.charCodeAt(0);
  const { base, table } = node;
  if (table.length === 0) {
    node.base = code;
    node.table = [child];
    return child;
  }
  const first = Math.min(base, code);
  const last = Math.max(base + table.length - 1, code);
  if (last - first >= table.length) {
    node.table = new Array(last - first + 1).fill(undefined);
    node.base = first;
    for (let i = 0; i < table.length; i++) node.table[base - first + i] = table[i];
  }
  node.table[code - node.base] = child;
  return child;
}

const scratch: number[] = [];

/**
 * Returns the character codes of a string. The array is sliced from a longer one, because an array that grows reserves
 * space for sixteen more elements, and there are thousands of nodes.
 */
function codesOf(text: string): number[] {
  for (let i = 0; i < text.length; i++) scratch[i] = text.charCodeAt(i);
  return scratch.slice(0, text.length);
}

/** Returns how many of the codes match the text, starting at an index. */
function sharedLength(codes: readonly number[], text: string, at: number): number {
  let length = 0;
  while (length < codes.length && codes[length] === text.charCodeAt(at + length)) length++;
  return length;
}

function paramChild<T>(parent: Node<T>, segment: ParamSegment): Node<T> {
  const edges = segment.trailing ? parent.trailing : parent.params;
  const known = edges.find((edge) => edge.segment.key === segment.key);
  if (known !== undefined) return known.node;
  const fresh = { segment, cut: segment.suffix.length, node: new Node<T>("") };
  parent.isStatic = false;
  const all = edges.length === 0 ? [fresh] : [...edges, fresh].sort((a, b) => compareParams(a.segment, b.segment));
  if (segment.trailing) parent.trailing = all;
  else parent.params = all;
  return fresh.node;
}

/**
 * Compares two templates by specificity, segment by segment. Static text comes first, followed by narrow parameters,
 * wide parameters and the catch-all.
 *
 * @returns A negative number if `a` comes first.
 */
export function compareTemplates(a: Template, b: Template): number {
  const length = Math.max(a.segments.length, b.segments.length);
  for (let i = 0; i < length; i++) {
    const order = compareSegments(a.segments[i], b.segments[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareSegments(a: Segment | undefined, b: Segment | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  if (a.kind === "static" || b.kind === "static") {
    return a.kind === b.kind ? 0 : a.kind === "static" ? -1 : 1;
  }
  return compareParams(a, b);
}

/**
 * Compares two parameters at the same position. A single segment comes before a catch-all, a longer literal suffix
 * before a shorter one, a narrow type before a wide one, and more conditions before fewer. Ties are broken by the
 * source text, so the registration order never matters.
 */
function compareParams(a: ParamSegment, b: ParamSegment): number {
  if (a.trailing !== b.trailing) return a.trailing ? 1 : -1;
  if (a.suffix.length !== b.suffix.length) return b.suffix.length - a.suffix.length;
  return a.rank - b.rank || b.checks.length - a.checks.length || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
