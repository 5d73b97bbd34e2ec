/**
 * Renders elements as pages. Creating a JSX engine registers the renderer, so that programs without elements do not
 * load it.
 *
 * @module
 */

import type { Links } from "./engine.ts";

/** The renderer of elements. */
interface Elements {
  /** Reports whether a value is an element. */
  isElement(value: unknown): boolean;
  /** Renders an element as a page without a layout. */
  render(element: object, links: Links | undefined): string | Promise<string>;
}

/** The renderer of elements, or `undefined` if no JSX engine has been created. */
export let elements: Elements | undefined = undefined;

/** Sets the renderer of elements. */
export function setElements(renderer: Elements): void {
  elements = renderer;
}
