/**
 * The nodes of a radix tree of path templates, and how the tree grows.
 *
 * @module
 */

import { innerSlash } from "../../base/text/path_value.ts";
import type { ParamSegment, Segment, Template } from "../parameter_types/template.ts";

/** An edge for a parameter. */
export interface ParamEdge<T> {
  readonly segment: ParamSegment;
  /** The length of the literal text after the value. */
  readonly cut: number;
  readonly node: Node<T>;
}

/** The parameters at one position that are followed by a literal string, by that string. */
export interface SuffixedEdges<T> {
  /** The lengths of the strings, in descending order. */
  readonly lengths: number[];
  readonly byText: Map<string, ParamEdge<T>[]>;
}

/** A shared empty array for nodes without children or parameters. It is never written to. */
const none: never[] = [];

/** A node of the tree. */
export class Node<T> {
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
  /** The parameters without literal text after them. */
  params: ParamEdge<T>[] = none;
  suffixed: SuffixedEdges<T> | undefined = undefined;
  trailing: ParamEdge<T>[] = none;
  /** Whether no parameter can follow this node. */
  isStatic = true;

  constructor(text: string) {
    this.text = text;
    this.codes = codesOf(text);
  }
}

/**
 * Adds templates to a tree.
 *
 * The parameters at one position are sorted once, before the first lookup. Sorting them whenever one is added takes
 * seconds for 10,000 of them.
 */
export class Grower<T> {
  readonly #root: Node<T>;
  /** The parameters at the positions that have changed since they were sorted, by key. */
  readonly #changed = new Map<ParamEdge<T>[], Map<string, ParamEdge<T>>>();

  constructor(root: Node<T>) {
    this.#root = root;
  }

  /** Returns the last node of a template. Adds it if it does not exist. */
  nodeOf({ segments }: Template): Node<T> {
    let node = this.#root;
    let pending = "";
    for (let at = 0; at < segments.length; at++) {
      const segment = segments[at] as Segment;
      if (at > 0) pending += "/";
      if (segment.kind === "static") {
        pending += innerText(segment.text);
      } else {
        node = this.#paramChild(staticChild(node, pending), segment);
        pending = "";
      }
    }
    return staticChild(node, pending);
  }

  /** Sorts the parameters at each position by the order in which they are tried. */
  sort(): void {
    for (const edges of this.#changed.keys()) edges.sort((a, b) => compareParams(a.segment, b.segment));
    this.#changed.clear();
  }

  #paramChild(parent: Node<T>, segment: ParamSegment): Node<T> {
    parent.isStatic = false;
    const edges = edgesFor(parent, segment);
    let byKey = this.#changed.get(edges);
    if (byKey === undefined) {
      this.#changed.set(edges, byKey = new Map(edges.map((edge) => [edge.segment.key, edge])));
    }
    let edge = byKey.get(segment.key);
    if (edge === undefined) {
      edges.push(edge = { segment, cut: segment.suffix.length, node: new Node<T>("") });
      byKey.set(segment.key, edge);
    }
    return edge.node;
  }
}

/** Returns the parameters at a node whose literal text matches a segment, in the order in which they are tried. */
export function edgesAt<T>({ suffixed, params }: Node<T>, text: string, at: number, end: number): ParamEdge<T>[] {
  if (suffixed === undefined) return params;
  const found = suffixed.lengths.map((length) =>
    suffixed.byText.get(text.slice(Math.max(at, end - length), end)) ?? none
  );
  return [...found.flat(), ...params];
}

/** Returns the list of edges that a parameter belongs to. */
function edgesFor<T>(node: Node<T>, { trailing, suffix }: ParamSegment): ParamEdge<T>[] {
  if (trailing) return node.trailing = node.trailing === none ? [] : node.trailing;
  if (suffix === "") return node.params = node.params === none ? [] : node.params;
  const suffixed: SuffixedEdges<T> = node.suffixed ??= { lengths: [], byText: new Map() };
  const { lengths, byText } = suffixed;
  const text = innerText(suffix);
  let edges = byText.get(text);
  if (edges === undefined) {
    byText.set(text, edges = []);
    if (!lengths.includes(text.length)) {
      lengths.push(text.length);
      lengths.sort((a, b) => b - a);
    }
  }
  return edges;
}

/** Returns literal text of a template in the form of a decoded path, in which an escaped slash is not a slash. */
function innerText(text: string): string {
  return text.includes("/") ? text.replaceAll("/", innerSlash) : text;
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
  lower.suffixed = node.suffixed;
  lower.trailing = node.trailing;
  lower.isStatic = node.isStatic;
  node.text = node.text.slice(0, length);
  node.codes = codesOf(node.text);
  node.leaf = undefined;
  node.table = none;
  node.params = none;
  node.suffixed = undefined;
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

/**
 * Compares two parameters at the same position, followed by the same literal text. A narrow type comes before a wide
 * one, and more conditions before fewer. Ties are broken by the source text, so the registration order never matters.
 */
function compareParams(a: ParamSegment, b: ParamSegment): number {
  return a.rank - b.rank || b.checks.length - a.checks.length || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
