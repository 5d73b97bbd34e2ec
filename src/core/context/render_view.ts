/**
 * Renders templates as responses. It is loaded with the template engines of an application.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { checkText } from "../../base/config/option_table.ts";
import { isPlainObject } from "../../base/data/plain_object.ts";
import type { CapturedStack } from "../../base/errors/caller_frames.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { type Exchange, viewSourceOf, viewStateOf } from "../exchange/exchange.ts";
import type { Fallback } from "../exchange/compiled_route.ts";
import { writeTyped } from "../../http/response/draft.ts";
import { elements, type Engine, type RenderOptions, ViewNotFound } from "../../pages/engine/engine.ts";
import { runInCall } from "./call_scope.ts";
import { RequestLinks } from "./links.ts";

/** A view to render. */
interface View {
  /** The name of a template, or a JSX element. */
  readonly content: string | object;
  readonly data: unknown;
  /**
   * The layout. If `undefined`, it is determined by the handler, the template, the party or the engine, in this order.
   */
  readonly layout: string | undefined;
  /** The function that the handler has called. The stack of the handler begins below it. */
  readonly called?: Callee | undefined;
}

type Callee = (...args: never[]) => unknown;

/** Renders a template into the response. */
export function writeView<C>(
  exchange: Exchange<C>,
  name: string,
  data: unknown,
  called: Callee,
): Promise<void> | undefined {
  checkText(name, "name", "View");
  return render(exchange, { content: name, data, layout: exchange.extras?.view?.layout, called });
}

/** Renders an element as the response. It has a layout only if the party's engine can render elements. */
export function writeElement<C>(exchange: Exchange<C>, element: object): Promise<void> | undefined {
  return render(exchange, { content: element, data: undefined, layout: exchange.extras?.view?.layout });
}

function render<C>(exchange: Exchange<C>, view: View): Promise<void> | undefined {
  const loading = viewSourceOf(exchange)?.loadView(exchange.context as never);
  return loading === undefined ? renderNow(exchange, view) : loading.then((loaded) => {
    const state = viewStateOf(exchange);
    state.data = { ...loaded, ...state.data };
    return renderNow(exchange, view);
  });
}

function renderNow<C>(exchange: Exchange<C>, view: View): Promise<void> | undefined {
  const { route: { party } } = exchange;
  const options: RenderOptions = {
    Layout: view.layout,
    DefaultLayout: party.layout,
    Links: new RequestLinks(exchange, typeof view.content === "string" ? view.content : "JSX"),
  };
  let html: string | Promise<string>;
  try {
    const run = () => renderWith(exchange, view, options);
    html = party.attached?.viewFuncs.size ? runInCall(exchange, run) : run();
  } catch (error) {
    return fallBack(exchange, view, located(error, captureCaller(view)));
  }
  if (typeof html === "string") return writePage(exchange, html);
  const caller = captureCaller(view);
  return html.then(
    (text) => writePage(exchange, text),
    (error) => fallBack(exchange, view, located(error, caller)),
  );
}

function renderWith<C>(
  exchange: Exchange<C>,
  { content, data }: View,
  options: RenderOptions,
): string | Promise<string> {
  const all = merged(exchange.extras?.view?.data, data);
  return typeof content === "string"
    ? engineOf(exchange, content).Render(content, all, options)
    : renderElement(exchange, content, all, options);
}

function writePage<C>({ draft, runtime, extras }: Exchange<C>, html: string): undefined {
  writeTyped(draft, html, runtime.htmlType);
  extras?.view?.onWritten?.(html);
}

/**
 * Captures the stack of the handler, which is no longer available when an asynchronous engine fails. It is formatted on
 * demand.
 */
function captureCaller({ called = writeView }: View): CapturedStack {
  const caller = {};
  Error.captureStackTrace(caller, called);
  return caller;
}

/** Replaces the stack frames of an engine's error with those of the handler. */
async function located(error: unknown, caller: CapturedStack): Promise<unknown> {
  if (!(error instanceof FrameworkError) || error.Code !== "FW_VIEW") return error;
  const { replaceFrames } = await loadModule(() => import("../../base/errors/caller_frames.ts"));
  replaceFrames(error, caller);
  return error;
}

/**
 * Tries the fallbacks in order if a template or a layout does not exist. Each fallback is tried once per request. Other
 * errors are rethrown.
 */
async function fallBack<C>(exchange: Exchange<C>, view: View, error: Promise<unknown>): Promise<void> {
  const state = viewStateOf(exchange);
  let failure = await error;
  if (failure instanceof ViewNotFound && !state.isFallingBack) {
    state.isFallingBack = true;
    const fallbacks = [...state.fallbacks as Fallback<C>[] | undefined ?? [], ...exchange.route.party.fallbacks];
    for (const fallback of fallbacks) {
      try {
        return await useFallback(exchange, view, fallback, failure as ViewNotFound);
      } catch (next) {
        if (!(next instanceof ViewNotFound)) throw next;
        failure = next;
      }
    }
  }
  throw failure;
}

function useFallback<C>(
  exchange: Exchange<C>,
  view: View,
  fallback: Fallback<C>,
  error: ViewNotFound,
): void | Promise<void> {
  if (typeof fallback === "function") return fallback(exchange.context, error);
  return render(
    exchange,
    typeof fallback === "string" ? { ...view, content: fallback } : { ...view, layout: fallback.Layout },
  );
}

function renderElement<C>(
  exchange: Exchange<C>,
  element: object,
  data: unknown,
  options: RenderOptions,
): string | Promise<string> {
  const engine = currentEngine(exchange);
  if (engine?.RenderElement !== undefined) return engine.RenderElement(element, data, options);
  return elements?.render(element, options.Links) ?? "";
}

function currentEngine<C>({ route: { party }, extras }: Exchange<C>): Engine | undefined {
  return extras?.view?.engine ?? party.engine;
}

function engineOf<C>(exchange: Exchange<C>, name: string): Engine {
  const engine = currentEngine(exchange);
  if (engine !== undefined) return engine;
  throw new FrameworkError("FW_VIEW", `Cannot render "${name}": no view engine is registered; call RegisterView first`);
}

/**
 * Merges the template's data with the data collected by earlier handlers. The template's data takes precedence. Data
 * that is not a plain object is not merged.
 */
function merged(gathered: Record<string, unknown> | undefined, data: unknown): unknown {
  if (gathered === undefined) return data;
  if (data === undefined) return gathered;
  return isPlainObject(data) ? { ...gathered, ...data } : data;
}
