/**
 * A view engine for JSX. Pages and layouts are components, which a library such as Preact or React renders.
 *
 * Set `"jsx": "precompile"` or `"react-jsx"` and `"jsxImportSource": "npm:preact@^10"` (or another library) in
 * `compilerOptions`, and register the components by name. A layout receives the page as `children`, and every component
 * can access the request's functions with {@linkcode useRequest}.
 *
 * Pages are not streamed. If components suspend, pass a function that waits for them, such as `renderToStringAsync` of
 * `npm:preact-render-to-string`, or load the data in the handler and pass it as properties.
 *
 * @example A page in its layout
 * ```ts
 * import { type ComponentChildren, h } from "npm:preact@^10";
 * import { renderToString } from "npm:preact-render-to-string@^6";
 * import * as jsx from "@fw/web/view/jsx";
 *
 * const Main = ({ children }: { children?: ComponentChildren }) => h("main", null, children);
 * const Hello = ({ Name }: { Name: string }) => h("p", null, "Hello, ", Name);
 *
 * const engine = jsx.New({ Render: renderToString, Element: h }, { hello: Hello, main: Main }).Layout("main");
 * engine.Render("hello", { Name: "<Ann>" }); // → "<!DOCTYPE html><main><p>Hello, &lt;Ann></p></main>"
 * ```
 *
 * @example An element that a handler with dependencies, or a method of a controller, returns is a page
 * ```ts
 * import * as fw from "@fw/web";
 * import "@fw/web/mvc";
 * import { h } from "npm:preact@^10";
 * import { renderToString } from "npm:preact-render-to-string@^6";
 * import * as jsx from "@fw/web/view/jsx";
 *
 * const app = fw.New();
 * app.RegisterView(jsx.New({ Render: renderToString }));
 * app.ConfigureContainer().Get("/", () => h("p", null, "Hello"));
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "<!DOCTYPE html><p>Hello</p>"
 * ```
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { checkDriver } from "../../../base/config/check_driver.ts";
import { func, required } from "../../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../../base/config/option_table.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { nearNames } from "../../../base/text/near_names.ts";
import {
  type Engine,
  type Links,
  NoLayout,
  type RenderOptions,
  setElements,
  type ViewFunc,
  ViewNotFound,
} from "../../engine/engine.ts";

/** A page or layout component. */
// deno-lint-ignore no-explicit-any -- each component has its own properties, which the engine only passes on
export type PageComponent = (properties: any) => any;

/** The functions of a JSX library. */
export interface Renderer {
  /** Renders an element as HTML: `renderToString` of Preact or React, or a similar function. */
  // deno-lint-ignore no-explicit-any -- each library has its own type of elements
  Render: (element: any) => string | Promise<string>;
  /**
   * Creates the element of a page or a layout: `h` of Preact, or `createElement` of React. If omitted, pages and
   * layouts are called as functions, so they cannot use hooks themselves. Other components always can.
   */
  // deno-lint-ignore no-explicit-any -- each library has its own type of elements
  Element?: (component: any, properties: any, ...children: any[]) => unknown;
  /** Reports whether a value is an element. Defaults to {@linkcode IsElement}, which knows Preact and React. */
  IsElement?: (value: unknown) => boolean;
}

const table = optionTable<Renderer>("view/jsx.Renderer", "the JSX engine")({
  Render: required(func()),
  Element: func(),
  IsElement: func(IsElement),
});

const requestLinks = new AsyncLocalStorage<Links | undefined>();

/**
 * Returns the request's functions for use in components: `URLPath`, `URL` and `Tr`.
 *
 * @returns The request's functions.
 * @throws {FrameworkError} If the component is not rendered for a request.
 */
export function useRequest(): Links {
  const links = requestLinks.getStore();
  if (links !== undefined) return links;
  throw new FrameworkError("FW_VIEW", "Cannot use the request: the component is not rendered for a request");
}

/**
 * Creates an engine for JSX components. Elements that controllers return are rendered with the engine of their party.
 * In parties with an engine for another template language, they are rendered with the JSX engine created last.
 *
 * @param renderer The functions of the JSX library.
 * @param components The pages and layouts by name.
 * @returns The engine, to be passed to `RegisterView`.
 * @throws {FrameworkError} If the renderer has no `Render` function.
 */
export function New(renderer: Renderer, components: Readonly<Record<string, PageComponent>> = {}): JSXEngine {
  const line = '`import { renderToString } from "npm:preact-render-to-string@^6"`, as in `{ Render: renderToString }`';
  checkDriver(renderer, { owner: "the JSX engine", noun: "renderer", methods: ["Render"], line });
  const { IsElement: isElement } = readOptions(table, renderer);
  const engine = new JSXEngine(renderer, components);
  setElements({
    isElement,
    render: (element, links) => engine.RenderElement(element, undefined, { Layout: NoLayout, Links: links }),
  });
  return engine;
}

/**
 * Reports whether a value is an element of Preact or React.
 *
 * @param value The value to check.
 * @returns `true` if the value is an element.
 */
export function IsElement(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("type" in value) || !("props" in value)) return false;
  if ("$$typeof" in value) return typeof value.$$typeof === "symbol";
  // Elements of Preact have no constructor, which JSON cannot express.
  return Object.hasOwn(value, "constructor") && value.constructor === undefined;
}

/** An engine for JSX components, created by {@linkcode New}. */
export class JSXEngine implements Engine {
  readonly #renderer: Renderer;
  readonly #components: Map<string, PageComponent>;
  #layout = "";

  /**
   * Creates an engine. Called by {@linkcode New}.
   *
   * @ignore
   */
  constructor(renderer: Renderer, components: Readonly<Record<string, PageComponent>>) {
    this.#renderer = renderer;
    this.#components = new Map(Object.entries(components));
  }

  /**
   * Sets the default layout for all views.
   *
   * @param name The layout's name.
   * @returns The engine itself.
   */
  Layout(name: string): this {
    this.#layout = name;
    return this;
  }

  /**
   * Adds a page or a layout.
   *
   * @param name The component's name.
   * @param component The component to add.
   * @returns The engine itself.
   */
  AddFunc(name: string, component: ViewFunc): this {
    this.#components.set(name, component as PageComponent);
    return this;
  }

  /**
   * Reports whether the engine has a page or a layout.
   *
   * @param name The component's name.
   * @returns Whether the component was added.
   */
  HasFunc(name: string): boolean {
    return this.#components.has(name);
  }

  /** Checks that the layout exists. */
  Load(): void {
    if (this.#layout !== "" && this.#layout !== NoLayout) this.#find(this.#layout, "layout");
  }

  /**
   * Renders a page in its layout.
   *
   * @param name The page's name.
   * @param data The properties for the page and the layout.
   * @param options The layout and the request's functions.
   * @returns The rendered HTML, or a promise if the library renders asynchronously.
   */
  Render(name: string, data: unknown, options: RenderOptions = {}): string | Promise<string> {
    const page = this.#find(name, "template");
    return this.#render(() => this.#element(page, data ?? {}), data ?? {}, options);
  }

  /**
   * Renders an element in the layout.
   *
   * @param element The element to render.
   * @param data The properties for the layout.
   * @param options The layout and the request's functions.
   * @returns The rendered HTML, or a promise if the library renders asynchronously.
   */
  RenderElement(element: object, data: unknown, options: RenderOptions = {}): string | Promise<string> {
    return this.#render(() => element, data, options);
  }

  #render(page: () => unknown, data: unknown, options: RenderOptions): string | Promise<string> {
    const name = options.Layout || (options.DefaultLayout ?? this.#layout);
    const layout = name === "" || name === NoLayout ? undefined : this.#find(name, "layout");
    return requestLinks.run(options.Links, () => {
      const element = layout === undefined ? page() : this.#element(layout, data, page());
      const html = this.#renderer.Render(element);
      return typeof html === "string" ? withDoctype(html) : html.then(withDoctype);
    });
  }

  #element(component: PageComponent, data: unknown, ...children: unknown[]): unknown {
    const { Element: create } = this.#renderer;
    if (create !== undefined) return create(component, data, ...children);
    return component(children.length === 0 ? data : { ...data as object, children: children[0] });
  }

  #find(name: string, kind: "template" | "layout"): PageComponent {
    const found = this.#components.get(name);
    if (found !== undefined) return found;
    const near = nearNames(name, this.#components.keys()).map((each) => `"${each}"`).join(", ");
    const state = near === "" ? "there is no component with this name" : `similar names are ${near}`;
    throw new ViewNotFound(
      `Cannot find ${kind} ${JSON.stringify(name.slice(0, 100))}: ${state}`,
      name,
      kind === "layout",
    );
  }
}

function withDoctype(html: string): string {
  return `<!DOCTYPE html>${html}`;
}
