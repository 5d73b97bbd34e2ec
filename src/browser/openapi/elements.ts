/**
 * Creates the elements of the page. Strings from the document are always inserted as text, never as markup.
 *
 * @module
 */

/** The attributes of an element, and its event listeners as `on…`. */
type Attributes = Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>;

type Child = Node | string | undefined;

/** Returns an element of the page's markup. */
function existing<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export const routes: HTMLElement = existing("routes");
export const find: HTMLInputElement = existing("find");
export const about: HTMLElement = existing("about");
export const settings: HTMLElement = existing("settings");
/** The URL of the document. */
export const documentURL: string = routes.dataset.document ?? "";

/** Creates an element, such as `p.bad` for a paragraph of the class `bad`, with its attributes and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  what: Tag | `${Tag}.${string}`,
  ...parts: readonly (Attributes | Child)[]
): HTMLElementTagNameMap[Tag] {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag as Tag);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const part of parts) {
    if (part instanceof Node || typeof part === "string" && part !== "") element.append(part);
    else for (const [name, value] of Object.entries(part ?? {})) setAttribute(element, name, value);
  }
  return element;
}

function setAttribute(element: HTMLElement, name: string, value: Attributes[string]): void {
  if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
}

/** Creates a table. */
export function table(heads: readonly Child[], rows: readonly HTMLElement[]): HTMLTableElement {
  const cells = heads.map((head) => make("th", { scope: "col" }, head));
  return make("table", make("thead", make("tr", ...cells)), make("tbody", ...rows));
}

/** Creates a labeled input. */
export function field(label: string, input: HTMLElement, hint?: string): HTMLElement {
  return make("div.field", make("label", label, input), hint ? make("span.hint", hint) : "");
}

/** Returns the position of the chosen option. */
export function chosenIndex(event: Event): number {
  return (event.target as HTMLSelectElement).selectedIndex;
}

/** Returns the message of a caught error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
