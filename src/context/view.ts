/**
 * Pages made from templates.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import type { Engine, RenderOptions } from "../view/engine.ts";
import type { Context } from "./context.ts";

/** What handlers have gathered for the page. */
export class ViewState {
  data: Record<string, unknown> | undefined = undefined;
  layout: string | undefined = undefined;
}

/** A page to render. */
export interface Page {
  readonly name: string;
  readonly data: unknown;
  readonly state: ViewState | undefined;
}

/** Keeps a value for the page. */
export function addViewData(state: ViewState, key: string, value: unknown): void {
  state.data ??= Object.create(null) as Record<string, unknown>;
  state.data[key] = value;
}

/** Renders a page into the answer. */
export function renderView(ctx: Context, engine: Engine | undefined, page: Page): Promise<void> | undefined {
  if (engine === undefined) {
    throw new FrameworkError("FW_VIEW", `Cannot render "${page.name}": no view engine is registered`);
  }
  const options: RenderOptions = page.state?.layout === undefined ? {} : { Layout: page.state.layout };
  const html = engine.Render(page.name, merged(page), options);
  if (typeof html === "string") return void ctx.HTML(html);
  return html.then((text) => ctx.HTML(text));
}

/** The page's own data over what earlier handlers gathered; data that is no plain record stands alone. */
function merged(page: Page): unknown {
  const gathered = page.state?.data;
  if (gathered === undefined) return page.data;
  if (page.data === undefined) return gathered;
  return isRecord(page.data) ? { ...gathered, ...page.data } : page.data;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
