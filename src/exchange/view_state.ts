/**
 * The data that handlers collect for a template that is rendered later.
 *
 * @module
 */

import { Key } from "./values.ts";
import type { Engine } from "../engine/engine.ts";
import type { ViewNotFound } from "../engine/view_not_found.ts";

/** A fallback: another view, another layout for the same view, or a function. `C` is the type of the context. */
export type Fallback<C> =
  | string
  | { readonly Layout: string }
  | ((ctx: C, error: ViewNotFound) => void | Promise<void>);

/** A source of data that has to be loaded before a template is rendered, because templates are synchronous. */
export interface ViewSource {
  /** Loads the data for a request, or returns `undefined` if there is nothing to load. */
  loadView(ctx: never): Promise<Record<string, unknown>> | undefined;
}

/** The key of a request's source of data. */
export const viewSourceKey: Key<ViewSource> = Key<ViewSource>("view source");

/** The data, layout and engine for a template. */
export class ViewState {
  engine: Engine | undefined = undefined;
  /** The fallbacks to try before those of the party if a template does not exist. */
  fallbacks: Fallback<never>[] | undefined = undefined;
  isFallingBack = false;
  data: Record<string, unknown> | undefined = undefined;
  layout: string | undefined = undefined;
}
