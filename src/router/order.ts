/**
 * Orders path templates: of two that accept one path, the more specific comes first.
 *
 * @module
 */

import type { ParamSegment, Segment, Template } from "../macro/template.ts";

/**
 * Orders templates from specific to general: segment by segment static, narrow, wide, rest of the path.
 *
 * @returns A negative number when `a` comes first.
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
 * Orders two parameters of one place: one segment before the rest of the path, narrow before wide, more conditions
 * before fewer. Where both are equal their text decides, so that the order of registration never does.
 */
export function compareParams(a: ParamSegment, b: ParamSegment): number {
  if (a.trailing !== b.trailing) return a.trailing ? 1 : -1;
  return a.rank - b.rank || b.checks.length - a.checks.length || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
