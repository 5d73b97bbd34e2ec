/**
 * A view engine for JSX. Pages and layouts are components that are rendered with Preact.
 *
 * Set `"jsx": "precompile"` or `"react-jsx"` and `"jsxImportSource": "npm:preact@^10"` in `compilerOptions`, and
 * register the components by name. A layout receives the page as `children`, and every component can access the
 * request's functions with {@linkcode useRequest}.
 *
 * Components must not suspend. Load the data in the handler and pass it as properties.
 * Pages are not streamed, because Preact's stream renderer drops the errors of suspended components after the status
 * code has been sent, and continues to render after the client has disconnected.
 *
 * @example A page in its layout
 * ```ts
 * import { type ComponentChildren, h } from "npm:preact@^10";
 * import { JSX } from "@fw/web/view/jsx";
 *
 * const Main = ({ children }: { children?: ComponentChildren }) => h("main", null, children);
 * const Hello = ({ Name }: { Name: string }) => h("p", null, "Hello, ", Name);
 *
 * const engine = JSX({ hello: Hello, main: Main }).Layout("main");
 * engine.Render("hello", { Name: "<Ann>" }); // → "<!DOCTYPE html><main><p>Hello, &lt;Ann></p></main>"
 * ```
 *
 * @example An element that a handler with dependencies, or a method of a controller, returns is a page
 * ```ts
 * import * as fw from "@fw/web";
 * import "@fw/web/mvc";
 * import { h } from "npm:preact@^10";
 * import "@fw/web/view/jsx";
 *
 * const app = fw.New();
 * app.ConfigureContainer().Get("/", () => h("p", null, "Hello"));
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "<!DOCTYPE html><p>Hello</p>"
 * ```
 *
 * @module
 */

import { renderToString } from "npm:preact-render-to-string@^6";
import { createContext, h, isValidElement, type VNode } from "npm:preact@^10";
import { useContext } from "npm:preact@^10/hooks";
import { FrameworkError } from "../../errors/errors.ts";
import { nearNames } from "../../text/near_names.ts";
import { setElements } from "../../engine/elements.ts";
import { type Engine, type Links, NoLayout, type RenderOptions, type ViewFunc } from "../../engine/engine.ts";
import { ViewNotFound } from "../../engine/view_not_found.ts";

/** A page or layout component. */
// deno-lint-ignore no-explicit-any -- each component has its own properties, which the engine only passes on
export type PageComponent = (properties: any) => any;

/** A Preact element, as created by JSX. */
export interface PageElement {
  /** The component, or the element name. */
  readonly type: unknown;
  /** The element's properties. */
  readonly props: object;
}

const requestLinks = createContext<Links | undefined>(undefined);

/**
 * Returns the request's functions for use in components: `URLPath`, `URL` and `Tr`.
 *
 * @returns The request's functions.
 * @throws {FrameworkError} If the component is not rendered for a request.
 */
export function useRequest(): Links {
  const links = useContext(requestLinks);
  if (links !== undefined) return links;
  throw new FrameworkError("FW_VIEW", "Cannot use the request: the component is not rendered for a request");
}

/**
 * Creates an engine for JSX components.
 *
 * @param components The pages and layouts by name.
 * @returns The engine, to be passed to `RegisterView`.
 */
export function JSX(components: Readonly<Record<string, PageComponent>>): JSXEngine {
  return new JSXEngine(components);
}

/**
 * Renders an element as an HTML page.
 *
 * @param element The element to render.
 * @param links The request's functions. Omit them outside a request.
 * @returns The HTML, including the doctype.
 * @throws {FrameworkError} If a component suspends.
 */
export function RenderPage(element: PageElement, links?: Links): string {
  try {
    return `<!DOCTYPE html>${renderToString(h(requestLinks.Provider, { value: links }, element as VNode))}`;
  } catch (cause) {
    if (!isSuspension(cause)) throw cause;
    const message = "Cannot render a page: a component suspends; load its data before the page is rendered";
    throw new FrameworkError("FW_VIEW", message, { cause });
  }
}

/**
 * Reports whether an error of `renderToString` was caused by a suspended component. Only the error message shows this.
 */
function isSuspension(error: unknown): boolean {
  return error instanceof Error && error.message.includes("renderToStringAsync");
}

/**
 * Reports whether a value is a Preact element.
 *
 * @param value The value to check.
 * @returns `true` if the value is a Preact element.
 */
export function IsElement(value: unknown): value is PageElement {
  // Preact treats every object without a constructor as an element, including objects without a prototype.
  return isValidElement(value) && Object.hasOwn(value, "constructor") && "props" in value;
}

setElements({ isElement: IsElement, render: (element, links) => RenderPage(element as PageElement, links) });

/** An engine for JSX components, created by {@linkcode JSX}. */
export class JSXEngine implements Engine {
  readonly #components: Map<string, PageComponent>;
  #layout = "";

  /**
   * Creates an engine. Called by {@linkcode JSX}.
   *
   * @ignore
   */
  constructor(components: Readonly<Record<string, PageComponent>>) {
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
   * @returns The rendered HTML.
   */
  Render(name: string, data: unknown, options: RenderOptions = {}): string {
    const properties = (data ?? {}) as Record<string, unknown>;
    return this.RenderElement(h(this.#find(name, "template"), properties), properties, options);
  }

  /**
   * Renders an element in the layout.
   *
   * @param element The element to render.
   * @param data The properties for the layout.
   * @param options The layout and the request's functions.
   * @returns The rendered HTML.
   */
  RenderElement(element: object, data: unknown, options: RenderOptions = {}): string {
    const layout = options.Layout || (options.DefaultLayout ?? this.#layout);
    const page = element as VNode;
    if (layout === "" || layout === NoLayout) return RenderPage(page, options.Links);
    return RenderPage(h(this.#find(layout, "layout"), data as Record<string, unknown>, page), options.Links);
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
