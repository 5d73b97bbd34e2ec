/**
 * A reference router that tries every template. It shares only the template type with the tree.
 *
 * @module
 */

import type { Segment, Template } from "../../../src/http/parameter_types/template.ts";

interface Entry<T> {
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly payload: T;
}

/** The result of a lookup: the payload and the values of the parameters. */
export interface Hit<T> {
  readonly payload: T;
  readonly values: string[];
}

/** The reference router. */
export class Linear<T> {
  #entries: Entry<T>[] = [];

  /** Adds a route and returns the payload of the route that it replaces. */
  add(method: string, { segments }: Template, payload: T): T | undefined {
    const at = this.#entries.findIndex((entry) => entry.method === method && compare(entry.segments, segments) === 0);
    const [before] = at < 0 ? [] : this.#entries.splice(at, 1);
    this.#entries.push({ method, segments, payload });
    this.#entries.sort((a, b) => compare(a.segments, b.segments));
    return before?.payload;
  }

  /** Finds the most specific template that matches a path. */
  find(method: string, path: string): Hit<T> | undefined {
    for (const entry of this.#entries) {
      const parts = entry.method === method ? cut(entry.segments, path) : undefined;
      if (parts === undefined || !entry.segments.every((segment, i) => takes(segment, parts[i]))) continue;
      return { payload: entry.payload, values: entry.segments.flatMap((segment, i) => valueOf(segment, parts[i])) };
    }
  }

  /** Lists the methods that have a route for a path. */
  methodsAt(path: string): string[] {
    const methods = new Set(this.#entries.map((entry) => entry.method));
    return [...methods].filter((method) => this.find(method, path) !== undefined).sort();
  }

  /** Finds the `else` code of the most specific template that is rejected only by parameters with a code. */
  elseCode(method: string, path: string): number {
    for (const { method: own, segments } of this.#entries) {
      const parts = own === method ? cut(segments, path) : undefined;
      const refusing = segments.filter((segment, i) => parts !== undefined && !takes(segment, parts[i]));
      const codes = refusing.map((segment) => codeOf(segment, parts?.[segments.indexOf(segment)]));
      if (codes[0] !== undefined && !codes.includes(404)) return codes[0];
    }
    return 404;
  }
}

function cut(segments: readonly Segment[], path: string): string[] | undefined {
  const parts = path === "/" ? [] : path.slice(1).split("/");
  const last = segments.at(-1);
  if (parts.slice(0, segments.length).includes("")) return undefined;
  if (last?.kind === "param" && last.trailing && parts.length >= segments.length) {
    parts.push(parts.splice(segments.length - 1).join("/"));
  }
  return parts.length === segments.length ? parts : undefined;
}

function takes(segment: Segment, part = ""): boolean {
  if (segment.kind === "static") return segment.text === part;
  const [value = ""] = valueOf(segment, part);
  return value !== "" && part === value + segment.suffix && segment.acceptValue(value, 0, value.length);
}

/** Returns the value of a parameter, without its suffix. */
function valueOf(segment: Segment, part = ""): string[] {
  return segment.kind === "static" ? [] : [part.slice(0, part.length - segment.suffix.length)];
}

function codeOf(segment: Segment, part = ""): number {
  return segment.kind === "param" && part.endsWith(segment.suffix) ? segment.elseCode : 404;
}

function compare(a: readonly Segment[], b: readonly Segment[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [place(a[i]), place(b[i])];
    const at = left.findIndex((value, k) => value !== right[k]);
    if (at >= 0) return (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
  }
  return 0;
}

/** Returns the precedence of a segment: static, narrow, wide, catch-all. */
function place(segment: Segment | undefined): [number, number, number, number, string] {
  if (segment === undefined) return [3, 0, 0, 0, ""];
  if (segment.kind === "static") return [0, 0, 0, 0, segment.text];
  return [segment.trailing ? 2 : 1, -segment.suffix.length, segment.rank, -segment.checks.length, segment.key];
}
