/**
 * A router with one tree per method. It can store any type of payload.
 *
 * @module
 */

import type { ParamSegment, Segment, Template } from "../parameter_types/template.ts";
import { innerSlash } from "../text/path_value.ts";
import { compareTemplates, Trie } from "./trie.ts";

/** A template with an `else` code. It applies to paths that are rejected only by the template's parameter types. */
interface Refusal<T> {
  readonly method: string;
  readonly template: Template;
  readonly payload: T;
}

/** The parameter whose type rejects a path that otherwise matches a template. */
export interface RefusedPath {
  /** The `else` code of the parameter, or 404. */
  readonly code: number;
  readonly segment: ParamSegment;
  /** The names of the template's parameters. */
  readonly names: readonly string[];
  /** The position of the parameter in `names`. */
  readonly index: number;
  /** The start and end indexes of the values in the path. */
  readonly spans: readonly number[];
}

/**
 * A router with one tree per method. It finds the payload for a path, and the other methods for which the path has a
 * route.
 */
export class Router<T> {
  readonly #trees = new Map<string, Trie<T>>();
  #refusals: Refusal<T>[] = [];
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
    if (before !== undefined) this.#refusals = this.#refusals.filter((refusal) => refusal.payload !== before);
    if (template.segments.some((segment) => this.#isTold(segment))) {
      this.#refusals.push({ method, template, payload });
      this.#refusals.sort((a, b) => compareTemplates(a.template, b.template));
    }
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
   * Finds the `else` code of the most specific template that matches the path except for its parameter types.
   *
   * @returns The code, or 404 if there is none.
   */
  elseCode(method: string, text: string, start: number, end: number): number {
    return this.refusal(method, text, start, end)?.code ?? 404;
  }

  /**
   * Finds the parameter that rejects a path, in the most specific template that matches it except for parameters with
   * an `else` code or a handler.
   *
   * @returns The parameter, or `undefined` if there is no such template.
   */
  refusal(method: string, text: string, start: number, end: number): RefusedPath | undefined {
    if (this.#refusals.length === 0) return undefined;
    const parts = text.slice(start + 1, end).split("/");
    for (const refusal of this.#refusals) {
      if (refusal.method !== method) continue;
      const refused = refusedBy(refusal.template, parts, (segment) => this.#isTold(segment));
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  #isTold(segment: Segment): boolean {
    return segment.kind === "param" && (segment.elseCode !== 404 || this.#isHandled(segment));
  }
}

/**
 * Returns the first parameter that rejects its segment, provided that every such parameter has an `else` code or a
 * handler.
 */
function refusedBy(
  { segments, names }: Template,
  parts: readonly string[],
  isTold: (segment: Segment) => boolean,
): RefusedPath | undefined {
  const last = segments.at(-1);
  const trailing = last?.kind === "param" && last.trailing;
  if (trailing ? parts.length < segments.length : parts.length !== segments.length) return undefined;
  let refused: Pick<RefusedPath, "code" | "segment" | "index"> | undefined;
  const spans: number[] = [];
  let start = 1;
  for (const [i, segment] of segments.entries()) {
    if (parts[i] === "") return undefined;
    const part = trailing && i === segments.length - 1 ? parts.slice(i).join("/") : parts[i] ?? "";
    if (segment.kind === "static") {
      if (segment.text.replaceAll("/", innerSlash) !== part) return undefined;
    } else {
      if (!segment.accept(part, 0, part.length)) {
        if (!isTold(segment) || !part.endsWith(segment.suffix)) return undefined;
        refused ??= { code: segment.elseCode, segment, index: spans.length / 2 };
      }
      spans.push(start, start + part.length - segment.suffix.length);
    }
    start += part.length + 1;
  }
  return refused && { ...refused, names, spans };
}
