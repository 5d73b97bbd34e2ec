/**
 * Where in a template an error happened, for pages that show it.
 *
 * @module
 */

/** A line of a template. */
export interface TemplatePlace {
  /** The path of the template. */
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
  /** The text of the template. */
  readonly source: string;
}

const places = new WeakMap<Error, TemplatePlace>();

/** Notes where an error happened, and returns the error. */
export function notePlace<E extends Error>(error: E, place: TemplatePlace): E {
  places.set(error, place);
  return error;
}

/** Returns where in a template an error happened, if it did in one. */
export function placeInTemplate(error: Error): TemplatePlace | undefined {
  return places.get(error);
}
