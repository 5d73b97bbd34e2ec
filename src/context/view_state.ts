/**
 * What handlers gather for the template that a later one renders.
 *
 * @module
 */

/** The data and the layout, as far as they are known. */
export class ViewState {
  data: Record<string, unknown> | undefined = undefined;
  layout: string | undefined = undefined;
}
