/**
 * What handlers gather for the template that a later one renders.
 *
 * @module
 */

import type { Engine } from "../view/engine.ts";
import type { ViewNotFound } from "../view/view_not_found.ts";

/** A fallback: another view, another layout for the same view, or a function. `C` is the context. */
export type Fallback<C> =
  | string
  | { readonly Layout: string }
  | ((ctx: C, error: ViewNotFound) => void | Promise<void>);

/** The data, the layout and the engine, as far as they are known. */
export class ViewState {
  engine: Engine | undefined = undefined;
  /** What is tried if a template does not exist, before the fallbacks of the party. */
  fallbacks: Fallback<never>[] | undefined = undefined;
  isFallingBack = false;
  data: Record<string, unknown> | undefined = undefined;
  layout: string | undefined = undefined;
}
