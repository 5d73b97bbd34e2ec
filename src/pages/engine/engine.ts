/**
 * The interface of template engines, their elements and their error for missing views.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import type { PathValue } from "../../base/text/path_value.ts";

/** The error for a template or layout that does not exist. It is the only view error that fallback views handle. */
export class ViewNotFound extends FrameworkError {
  /** The name that was not found. */
  readonly Name: string;
  /** Whether the layout was not found, rather than the view itself. */
  readonly IsLayout: boolean;

  /**
   * Creates the error.
   *
   * @param message The error message.
   * @param name The name that was not found.
   * @param isLayout Whether the name is that of a layout.
   */
  constructor(message: string, name: string, isLayout: boolean) {
    super("FW_VIEW", message);
    this.Name = name;
    this.IsLayout = isLayout;
  }
}

/** A layout name that renders the view without a layout: `ctx.ViewLayout(fw.NoLayout)`. */
export const NoLayout = "fw.NoLayout";

/** A function that templates can call by name. */
export type ViewFunc = (...args: never[]) => unknown;

/** Functions of a request that templates can call, for route URLs and translations. */
export interface Links {
  /**
   * Builds the path of a route.
   *
   * @param name The route's name, as set with `SetName`.
   * @param values The parameter values, in order. Throws if a parameter does not accept its value.
   * @returns The escaped path.
   */
  URLPath(name: string, ...values: PathValue[]): string;
  /**
   * Builds the URL of a route, with the scheme and host of the request and the route's subdomain.
   *
   * @param name The route's name, as set with `SetName`.
   * @param values The parameter values, in order. If the route has a wildcard subdomain, it comes first.
   * @returns The absolute URL.
   */
  URL(name: string, ...values: PathValue[]): string;
  /**
   * Translates a key into the request's language.
   *
   * @param key The key to translate.
   * @param args The values for printf verbs, or one object with named values.
   * @returns The translation.
   */
  Tr(key: string, ...args: unknown[]): string;
}

/** Options for rendering a view. */
export interface RenderOptions {
  /** The layout for the view, or {@linkcode NoLayout}. If omitted, the template or the engine determines the layout. */
  Layout?: string | undefined;
  /**
   * The party's layout, for views that do not set one. It replaces the engine's layout. {@linkcode NoLayout} means no
   * layout.
   */
  DefaultLayout?: string | undefined;
  /** The request's implementation of `urlpath`, `url` and `tr` for templates. Omitted outside a request. */
  Links?: Links | undefined;
}

/**
 * A template engine. Any object with these methods can be passed to `RegisterView`.
 *
 * The engine decides what a name refers to, including its folder, file extension and layouts. It must meet two
 * requirements. A name must never lead outside the engine's own templates, because handlers may take it from a request.
 * Values must be escaped unless a template requests otherwise.
 *
 * @example A custom engine
 * ```ts
 * import type { Engine } from "@fw/web";
 *
 * const templates = new Map([["hello", "Hello, NAME"]]);
 * const engine: Engine = {
 *   Load() {},
 *   Render(name, data) {
 *     return (templates.get(name) ?? "").replaceAll("NAME", String(data));
 *   },
 * };
 * engine.Render("hello", "Ann"); // → "Hello, Ann"
 * ```
 */
export interface Engine {
  /**
   * Loads and compiles the templates. Called when the application is built, and once for each time the engine is
   * registered.
   *
   * @returns Nothing, or a promise if loading is asynchronous. A failure stops the start-up.
   */
  Load(): void | Promise<void>;
  /**
   * Renders a view.
   *
   * @param name The view's name, as passed by the handler.
   * @param data The data for the template, or `undefined` if the handler passed none.
   * @param options The options for this rendering.
   * @returns The rendered text. An engine should return a promise only if it needs one, because responses without a
   * promise are faster.
   */
  Render(name: string, data: unknown, options?: RenderOptions): string | Promise<string>;
  /**
   * Renders an element, such as one that a controller returns, in its layout. Optional for engines.
   *
   * @param element The element.
   * @param data The data for the layout, or `undefined` if handlers stored none.
   * @param options The options for this rendering.
   * @returns The rendered text, or a promise for it.
   */
  RenderElement?(element: object, data: unknown, options?: RenderOptions): string | Promise<string>;
  /**
   * Adds a function that templates can call. Optional for engines.
   *
   * @param name The function's name in templates.
   * @param fn The function to add.
   * @returns Any value. The default engine returns itself.
   */
  AddFunc?(name: string, fn: ViewFunc): unknown;
  /**
   * Reports whether the engine has a function. Optional for engines. Without it, the templates of mails and of mounted
   * applications cannot call the view functions of extensions, because they could replace others.
   *
   * @param name The function's name in templates.
   * @returns Whether the engine has a function with this name.
   */
  HasFunc?(name: string): boolean;
  /**
   * Adds a template from a string instead of a file. Optional for engines.
   *
   * @param name The template's name.
   * @param text The template's source.
   * @param functions Functions for the templates, by name.
   * @returns Any value. The default engine returns itself.
   */
  ParseTemplate?(name: string, text: string, functions?: Readonly<Record<string, ViewFunc>>): unknown;
  /**
   * Makes the engine check for changed templates at the next rendering. Optional for engines. Called before {@linkcode
   * Load} in an application with `fw.WithDevelopment`. After that, an invalid template must only fail the pages that
   * use it and not the start-up.
   *
   * @returns Any value. The default engine returns itself.
   */
  Reload?(): unknown;
}

/** The renderer of elements. */
interface Elements {
  /** Reports whether a value is an element. */
  isElement(value: unknown): boolean;
  /** Renders an element as a page without a layout. */
  render(element: object, links: Links | undefined): string | Promise<string>;
}

/** The renderer of elements, or `undefined` if no JSX engine has been created. */
export let elements: Elements | undefined = undefined;

/** Sets the renderer of elements. */
export function setElements(renderer: Elements): void {
  elements = renderer;
}
