/**
 * Elements as pages. The entry that creates elements tells how they are rendered when it is imported, so that programs
 * without them do not load it.
 *
 * @module
 */

import type { Links } from "./engine.ts";

/** What renders elements. */
interface Elements {
  /** Reports whether a value is an element. */
  isElement(value: unknown): boolean;
  /** Renders an element as a page. */
  render(element: object, links: Links): string;
}

/** What renders elements, once it is loaded. */
export let elements: Elements | undefined = undefined;

/** Says how elements are rendered. */
export function setElements(renderer: Elements): void {
  elements = renderer;
}
