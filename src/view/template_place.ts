/**
 * The location of an error in a template, for pages that show it.
 *
 * @module
 */

/** A line of a template. */
export interface TemplatePlace {
  /** The template's path. */
  readonly file: string;
  /** The line number, starting at 1. */
  readonly line: number;
  /** The template's source. */
  readonly source: string;
}

const places = new WeakMap<Error, TemplatePlace>();

/** Records the location of an error and returns the error. */
export function notePlace<E extends Error>(error: E, place: TemplatePlace): E {
  places.set(error, place);
  return error;
}

/** Returns the location of an error in a template, if it occurred in one. */
export function placeInTemplate(error: Error): TemplatePlace | undefined {
  return places.get(error);
}
