/**
 * Sorts path templates by specificity. If two templates match the same path, the more specific one comes first.
 *
 * @module
 */

import type { ParamSegment, Segment, Template } from "../parameter_types/template.ts";

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
export function compareParams(a: ParamSegment, b: ParamSegment): number {
  if (a.trailing !== b.trailing) return a.trailing ? 1 : -1;
  if (a.suffix.length !== b.suffix.length) return b.suffix.length - a.suffix.length;
  return a.rank - b.rank || b.checks.length - a.checks.length || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
