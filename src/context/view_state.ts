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

/** Keeps a value for the template. */
export function addViewData(state: ViewState, key: string, value: unknown): void {
  state.data ??= Object.create(null) as Record<string, unknown>;
  state.data[key] = value;
}
