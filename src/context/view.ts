/**
 * Responses rendered from templates.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { isShut, writeTyped } from "../response/draft.ts";
import type { RenderOptions } from "../view/engine.ts";
import { type Exchange, viewStateOf } from "./exchange.ts";
import { RequestLinks } from "./links.ts";

/** Renders a template into the response. */
export function writeView<C>(exchange: Exchange<C>, name: string, data: unknown): Promise<void> | undefined {
  const { draft, runtime, route: { party: { engine } }, view } = exchange;
  if (engine === undefined) {
    throw new FrameworkError("FW_VIEW", `Cannot render "${name}": no view engine is registered`);
  }
  const options: RenderOptions = { Layout: view?.layout, Links: new RequestLinks(exchange) };
  const html = engine.Render(name, merged(view?.data, data), options);
  if (typeof html === "string") return void writeTyped(draft, html, runtime.htmlType);
  return html.then((text) => writeTyped(draft, text, runtime.htmlType));
}

/** Keeps a value for the template. */
export function addViewData<C>(exchange: Exchange<C>, key: string, value: unknown): void {
  if (isShut(exchange.draft)) return;
  const state = viewStateOf(exchange);
  state.data ??= Object.create(null) as Record<string, unknown>;
  state.data[key] = value;
}

/** Chooses the layout of the template. */
export function setLayout<C>(exchange: Exchange<C>, name: string): void {
  if (!isShut(exchange.draft)) viewStateOf(exchange).layout = name;
}

/** The template's own data over what earlier handlers gathered; data that is not a plain record stands alone. */
function merged(gathered: Record<string, unknown> | undefined, data: unknown): unknown {
  if (gathered === undefined) return data;
  if (data === undefined) return gathered;
  return isRecord(data) ? { ...gathered, ...data } : data;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
