/**
 * What fw asks of a template engine.
 *
 * @module
 */

import type { PathValue } from "../base/path_value.ts";

/** Given as the layout's name, it renders the view alone: `ctx.ViewLayout(fw.NoLayout)`. */
export const NoLayout = "fw.NoLayout";

/** A function that templates may call by its name. */
export type ViewFunc = (...args: never[]) => unknown;

/** The functions of a request that templates can call: URLs of routes and translations. */
export interface Links {
  /**
   * Builds the path of a route.
   *
   * @param name The name that `SetName` gave the route.
   * @param values The values of its parameters, in order; one that its parameter does not accept is an error.
   * @returns The path, escaped.
   */
  URLPath(name: string, ...values: PathValue[]): string;
  /**
   * Builds the URL of a route: the path with the scheme and host that the client uses, and the route's own subdomain.
   *
   * @param name The name that `SetName` gave the route.
   * @param values The values of its parameters, in order; before them the subdomain, where the route has any.
   * @returns The URL.
   */
  URL(name: string, ...values: PathValue[]): string;
  /**
   * Translates a key into the language of the request.
   *
   * @param key The key.
   * @param args The values for printf verbs, or one object of named values.
   * @returns The translation.
   */
  Tr(key: string, ...args: unknown[]): string;
}

/** What one rendering asks for beside the name and the data. */
export interface RenderOptions {
  /** The layout around the view, or {@linkcode NoLayout}; left out, the engine and the template decide. */
  Layout?: string | undefined;
  /**
   * The layout of the party, for views that choose none. It replaces the layout of the engine; {@linkcode NoLayout} is
   * none.
   */
  DefaultLayout?: string | undefined;
  /** The functions of the request, for `urlpath`, `url` and `tr` in templates; absent outside of a request. */
  Links?: Links | undefined;
}

/**
 * A template engine: anything with these methods can be given to `RegisterView`.
 *
 * What a name means belongs to the engine: its folder, its file extension, its layouts. Two promises are asked of it:
 * a name never reaches outside of the engine's own templates, since handlers may take it from a request, and values
 * are escaped unless a template says otherwise.
 *
 * @example An engine of one's own
 * ```ts
 * import type { Engine } from "@fw/web/view";
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
   * Reads and compiles the templates; called when the application is built, more than once if it is registered so.
   *
   * @returns Nothing, or a promise when loading takes time. A failure ends the start.
   */
  Load(): void | Promise<void>;
  /**
   * Renders a view.
   *
   * @param name The view's name, as the handler gave it.
   * @param data What the template shows; `undefined` when the handler gave nothing.
   * @param options What else this rendering asks for.
   * @returns The text. An engine that needs no promise should return none: the response is then built without waiting.
   */
  Render(name: string, data: unknown, options?: RenderOptions): string | Promise<string>;
  /**
   * Makes a function known to the templates, for engines that can.
   *
   * @param name The name in templates.
   * @param fn The function.
   * @returns Anything; the default engine returns itself.
   */
  AddFunc?(name: string, fn: ViewFunc): unknown;
  /**
   * Adds a template that is a string instead of a file, for engines that can.
   *
   * @param name The name of the template.
   * @param text The template.
   * @param functions Functions for the templates, by name.
   * @returns Anything; the default engine returns itself.
   */
  ParseTemplate?(name: string, text: string, functions?: Readonly<Record<string, ViewFunc>>): unknown;
  /**
   * Makes changed templates visible at the next rendering, for engines that can. Called before {@linkcode Load} in an
   * application with `fw.WithDevelopment`; a broken template must then fail the pages that use it, and not the start.
   *
   * @returns Anything; the default engine returns itself.
   */
  Reload?(): unknown;
}
