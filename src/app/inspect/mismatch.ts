/**
 * Explains why a path does not match a route.
 *
 * @module
 */

import { keyOf, type ParamSegment, type Template } from "../../parameter_types/template.ts";

/** The reason why a path does not match a template, and the number of segments that match. */
export interface Mismatch {
  /** The reason, or `undefined` if the path matches. */
  readonly why: string | undefined;
  /** The number of matching segments. */
  readonly depth: number;
}

/** Compares a decoded path with a template, segment by segment. */
export function mismatchOf(template: Template, path: string): Mismatch {
  const parts = path.split("/").filter((part) => part !== "");
  const { segments } = template;
  for (const [at, segment] of segments.entries()) {
    const part = parts[at];
    if (segment.kind === "param" && segment.trailing) {
      return { why: refusal(segment, parts.slice(at).join("/")), depth: at };
    }
    if (part === undefined) return { why: `the path ends before ${shown(segment)}`, depth: at };
    if (segment.kind === "static") {
      if (segment.text !== part) return { why: `"${part}" is not "${segment.text}"`, depth: at };
      continue;
    }
    const why = refusal(segment, part);
    if (why !== undefined) return { why, depth: at };
  }
  if (parts.length > segments.length) {
    return { why: `"${parts.slice(segments.length).join("/")}" is not matched`, depth: segments.length };
  }
  return { why: undefined, depth: segments.length };
}

function refusal(segment: ParamSegment, text: string): string | undefined {
  if (segment.accept(text, 0, text.length)) return undefined;
  if (!text.endsWith(segment.suffix)) return `"${text}" does not end with "${segment.suffix}"`;
  const value = text.slice(0, text.length - segment.suffix.length);
  const isOfType = segment.type.Test(value, 0, value.length);
  const demands = keyOf(segment).slice(segment.type.Name.length + 1);
  return isOfType ? `"${value}" is rejected by ${demands}` : `"${value}" is not of type ${segment.type.Name}`;
}

function shown(segment: Template["segments"][number]): string {
  return segment.kind === "static" ? `"${segment.text}"` : `{${segment.name}}${segment.suffix}`;
}
