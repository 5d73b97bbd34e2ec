/**
 * Templates as responses. The code that renders them is loaded with the template engines of an application.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { either, func, methods, type Option, record, text } from "../../base/config/option_kinds.ts";
import { checkArgument, checkText } from "../../base/config/option_table.ts";
import { isShut } from "../../http/response/draft.ts";
import type { Engine } from "../../pages/engine/engine.ts";
import type { Fallback } from "../exchange/compiled_route.ts";
import { type Exchange, viewStateOf } from "../exchange/exchange.ts";

const views = new LazyModule(() => import("./render_view.ts"));

/** The rule for template engines. */
export const engineRule: Option<Engine, undefined> = methods<Engine>("Load", "Render");

const fallbackRule = either(undefined, text(), func(), record());

/** Checks the kinds of fallback views. */
export function checkFallbacks(fallbacks: readonly unknown[]): void {
  for (const each of fallbacks) checkArgument(each, fallbackRule, "fallbacks", "FallbackView");
}

/** Loads the code that renders templates, so that a view whose engine is synchronous is rendered at once. */
export async function loadRendering(): Promise<void> {
  await views.get();
}

/** Renders a template into the response. */
export function writeView<C>(exchange: Exchange<C>, name: string, data: unknown): Promise<void> | undefined {
  const { loaded } = views;
  if (loaded !== undefined) return loaded.writeView(exchange, name, data, writeView);
  return Promise.resolve(views.get()).then((rendering) => rendering.writeView(exchange, name, data, writeView));
}

/** Renders an element as the response. It has a layout only if the party's engine can render elements. */
export function writeElement<C>(exchange: Exchange<C>, element: object): Promise<void> | undefined {
  const { loaded } = views;
  if (loaded !== undefined) return loaded.writeElement(exchange, element);
  return Promise.resolve(views.get()).then(({ writeElement }) => writeElement(exchange, element));
}

/** Stores a value for the template. */
export function addViewData<C>(exchange: Exchange<C>, key: string, value: unknown): void {
  checkText(key, "key", "ViewData");
  if (isShut(exchange.draft)) return;
  const state = viewStateOf(exchange);
  state.data ??= Object.create(null) as Record<string, unknown>;
  state.data[key] = value;
}

/** Sets the layout for the template. */
export function setLayout<C>(exchange: Exchange<C>, name: string): void {
  checkText(name, "name", "ViewLayout");
  if (!isShut(exchange.draft)) viewStateOf(exchange).layout = name;
}

/** Sets the engine for the rest of the request. */
export function setEngine<C>(exchange: Exchange<C>, engine: Engine): void {
  checkArgument(engine, engineRule, "engine", "ViewEngine");
  if (!isShut(exchange.draft)) viewStateOf(exchange).engine = engine;
}

/** Adds fallbacks for templates that do not exist. */
export function addFallbacks<C>(exchange: Exchange<C>, fallbacks: readonly Fallback<C>[]): void {
  checkFallbacks(fallbacks);
  if (isShut(exchange.draft)) return;
  (viewStateOf(exchange).fallbacks ??= []).push(...fallbacks as Fallback<never>[]);
}
