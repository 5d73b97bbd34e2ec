/**
 * A router with one tree per method. It can store any type of payload.
 *
 * @module
 */

import type { ParamSegment, Segment, Template } from "../parameter_types/template.ts";
import { Refusals, type RefusedPath } from "./refusals.ts";
import { Trie } from "./trie.ts";

/**
 * A router with one tree per method. It finds the payload for a path, and the other methods for which the path has a
 * route.
 */
export class Router<T> {
  readonly #trees = new Map<string, Trie<T>>();
  readonly #refusals = new Map<string, Refusals>();
  #get: Trie<T> | undefined = undefined;
  readonly #spans: number[] = [];
  readonly #isHandled: (segment: ParamSegment) => boolean;

  /**
   * Creates an empty router.
   *
   * @param isHandled Reports whether a rejected parameter has a handler, even if it has no `else` code.
   */
  constructor(isHandled: (segment: ParamSegment) => boolean = () => false) {
    this.#isHandled = isHandled;
  }

  /** Returns the start and end indexes of the last match's parameters, in order. Copy them before the next lookup. */
  get spans(): readonly number[] {
    return this.#spans;
  }

  /**
   * Adds a route.
   *
   * @returns The payload of an earlier route that matches the same requests and has now been replaced.
   */
  add(method: string, template: Template, payload: T): T | undefined {
    let tree = this.#trees.get(method);
    if (tree === undefined) {
      tree = new Trie<T>(this.#spans);
      this.#trees.set(method, tree);
      if (method === "GET") this.#get = tree;
    }
    const before = tree.add(template, payload);
    const isReporting = template.segments.some((segment) => this.#reports(segment));
    let refusals = this.#refusals.get(method);
    if (refusals === undefined && isReporting) {
      this.#refusals.set(method, refusals = new Refusals((segment) => this.#reports(segment)));
    }
    if (isReporting || before !== undefined) refusals?.set(template, isReporting);
    return before;
  }

  /**
   * Finds the payload for the path `text[start..end)` and a method.
   *
   * @returns The payload, or `undefined` if no route matches. After a match, `spans` holds the positions of the
   * parameters.
   */
  find(method: string, text: string, start: number, end: number): T | undefined {
    // Most requests are GET requests, and a comparison is cheaper than a hash lookup.
    const tree = method === "GET" ? this.#get : this.#trees.get(method);
    return tree?.find(text, start, end);
  }

  /**
   * Finds the methods that have a route for a path.
   *
   * @returns The method names, sorted.
   */
  methodsAt(text: string, start: number, end: number): string[] {
    const methods: string[] = [];
    for (const [method, tree] of this.#trees) {
      if (tree.find(text, start, end) !== undefined) methods.push(method);
    }
    return methods.sort();
  }

  /** Returns the methods that have at least one route, sorted. */
  methods(): string[] {
    return [...this.#trees.keys()].sort();
  }

  /**
   * Finds the parameter that rejects a path, in the most specific template that matches it except for parameters with
   * an `else` code or a handler.
   *
   * @returns The parameter, or `undefined` if there is no such template.
   */
  refusal(method: string, text: string, start: number, end: number): RefusedPath | undefined {
    return this.#refusals.get(method)?.find(text.slice(start, end));
  }

  #reports(segment: Segment): boolean {
    return segment.kind === "param" && (segment.elseCode !== 404 || this.#isHandled(segment));
  }
}
