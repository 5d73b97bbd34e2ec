/**
 * Finds the parameter that rejects a path, among the templates with `else` codes or with handlers for rejected values.
 *
 * @module
 */

import type { ParamSegment, Segment, Template } from "../parameter_types/template.ts";
import { edgesAt, Grower, Node } from "./node.ts";

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
 * The templates of one method that report rejected values. They are stored in a tree, because requests that nothing
 * matches are looked up here, and clients choose how many of them there are.
 */
export class Refusals {
  readonly #root = new Node<Template>("");
  readonly #grower = new Grower(this.#root);
  readonly #reports: (segment: Segment) => boolean;
  /** The keys of the parameters that report rejected values in at least one template. */
  readonly #reporting = new Set<string>();

  /** Creates an empty tree. */
  constructor(reports: (segment: Segment) => boolean) {
    this.#reports = reports;
  }

  /**
   * Adds a template, which replaces one that matches the same requests.
   *
   * @param template The template.
   * @param isReporting Whether any parameter of the template reports rejected values.
   */
  set(template: Template, isReporting: boolean): void {
    this.#grower.nodeOf(template).leaf = isReporting ? template : undefined;
    for (const segment of template.segments) {
      if (segment.kind === "param" && this.#reports(segment)) this.#reporting.add(segment.key);
    }
  }

  /** Finds the parameter that rejects a path, in the most specific template that matches it otherwise. */
  find(path: string): RefusedPath | undefined {
    this.#grower.sort();
    return this.#walk(this.#root, path, 1, path.split("/").slice(1));
  }

  #walk(node: Node<Template>, path: string, at: number, parts: readonly string[]): RefusedPath | undefined {
    if (at === path.length) return this.#refusedBy(node.leaf, parts);
    const child = node.table[path.charCodeAt(at) - node.base];
    const below = child !== undefined && path.startsWith(child.text, at)
      ? this.#walk(child, path, at + child.text.length, parts)
      : undefined;
    if (below !== undefined || node.isStatic) return below;
    const slash = path.indexOf("/", at);
    const border = slash < 0 ? path.length : slash;
    if (border === at) return undefined;
    for (const { segment, node: below } of edgesAt(node, path, at, border)) {
      const mayTake = this.#reporting.has(segment.key) || segment.accept(path, at, border);
      const refused = mayTake ? this.#walk(below, path, border, parts) : undefined;
      if (refused !== undefined) return refused;
    }
    for (const edge of node.trailing) {
      const refused = this.#refusedBy(edge.node.leaf, parts);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  /** Returns the first parameter that rejects its segment, provided that all such parameters report it. */
  #refusedBy(template: Template | undefined, parts: readonly string[]): RefusedPath | undefined {
    if (template === undefined) return undefined;
    const { segments, names } = template;
    let refused: Pick<RefusedPath, "code" | "segment" | "index"> | undefined;
    const spans: number[] = [];
    let start = 1;
    for (const [i, segment] of segments.entries()) {
      const isRest = segment.kind === "param" && segment.trailing;
      const part = isRest ? parts.slice(i).join("/") : parts[i] ?? "";
      if (segment.kind === "param") {
        if (!segment.accept(part, 0, part.length)) {
          if (!this.#reports(segment) || !part.endsWith(segment.suffix)) return undefined;
          refused ??= { code: segment.elseCode, segment, index: spans.length / 2 };
        }
        spans.push(start, start + part.length - segment.suffix.length);
      }
      start += part.length + 1;
    }
    return refused && { ...refused, names, spans };
  }
}
