/**
 * A radix tree of path templates, traversed by character code.
 *
 * A lookup does not allocate substrings, arrays or keys. It compares character codes in place and writes the parameter
 * positions to a scratch array. Backtracking is complete but visits each node at most once, because every node is at a
 * fixed segment depth.
 *
 * @module
 */

import type { Template } from "../parameter_types/template.ts";
import { edgesAt, Grower, Node } from "./node.ts";

const slash = 47;

/** The tree for one method. */
export class Trie<T> {
  /** The start and end indexes of the last match's parameters, in order. Copy them before the next lookup. */
  readonly spans: number[];
  readonly #root = new Node<T>("/");
  readonly #grower = new Grower(this.#root);
  #isSorted = true;

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
    const node = this.#grower.nodeOf(template);
    this.#isSorted = false;
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
    if (!this.#isSorted) this.#sort();
    // Every template starts with a slash, so the root node comes after it.
    return text.charCodeAt(start) === slash ? this.#walk(this.#root, text, start + 1, end, 0) : undefined;
  }

  #sort(): void {
    this.#grower.sort();
    this.#isSorted = true;
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
      const border = node.params.length > 0 || node.suffixed !== undefined ? segmentEnd(text, at, end) : at;
      if (border > at) {
        const params = node.suffixed === undefined ? node.params : edgesAt(node, text, at, border);
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
