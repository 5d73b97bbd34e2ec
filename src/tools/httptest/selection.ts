/**
 * The elements of a page that a selector matches.
 *
 * @module
 */

import { childrenOf, type Element, parseHTML, textOf } from "./html_tree.ts";
import { compileSelector } from "./selector.ts";

/**
 * The elements of an HTML response that a selector matches, in order. Returned by {@linkcode TestResponse.Select}.
 *
 * Selectors are a subset of those of CSS: names, `#id`, `.class`, attributes (`[name]`, `[name=value]` and the
 * operators `~=`, `|=`, `^=`, `$=` and `*=`), `:first-child`, `:last-child`, `:nth-child(2)`, `:checked`, the
 * combinators of CSS, and lists. Others throw a `TypeError`.
 */
export class Selection {
  readonly #selector: string;
  readonly #elements: readonly Element[];

  /**
   * Created by {@linkcode TestResponse.Select}.
   *
   * @ignore
   */
  constructor(selector: string, elements: readonly Element[]) {
    this.#selector = selector;
    this.#elements = elements;
  }

  /**
   * Returns the number of elements.
   *
   * @returns The number of elements.
   */
  Count(): number {
    return this.#elements.length;
  }

  /**
   * Returns one of the elements.
   *
   * @param index The index. Negative numbers count from the end.
   * @returns A selection of the element. It is empty if there is no such element.
   */
  At(index: number): Selection {
    const element = this.#elements.at(index);
    return new Selection(`${this.#selector} at ${index}`, element === undefined ? [] : [element]);
  }

  /**
   * Selects elements inside these elements.
   *
   * @param selector The selector.
   * @returns The selection.
   */
  Select(selector: string): Selection {
    const matches = compileSelector(selector);
    const found = new Set(this.#elements.flatMap(descendantsOf).filter(matches));
    return new Selection(this.#selector === "" ? selector : `${this.#selector} ${selector}`, [...found]);
  }

  /**
   * Returns the text of the first element, without white space around it. Other white space is collapsed.
   *
   * @returns The text.
   * @throws {Error} If no element matches.
   */
  Text(): string {
    return plainText(this.#first("text"));
  }

  /**
   * Returns the text of each element.
   *
   * @returns The strings, as {@linkcode Selection.Text} returns them.
   */
  Texts(): string[] {
    return this.#elements.map(plainText);
  }

  /**
   * Returns an attribute of the first element.
   *
   * @param name The name of the attribute.
   * @returns The value, or an empty string if the element does not have the attribute.
   * @throws {Error} If no element matches.
   */
  Attr(name: string): string {
    return this.#first(`attribute "${name}"`).attributes.get(name.toLowerCase()) ?? "";
  }

  /**
   * Returns the value of the first element, as a browser would send it with a form.
   *
   * @returns The value of an input, a button or an option, the text of a text area, or the value of the selected option
   * of a `select` element.
   * @throws {Error} If no element matches.
   */
  Value(): string {
    return valueOf(this.#first("value"));
  }

  #first(what: string): Element {
    const [first] = this.#elements;
    if (first === undefined) throw new Error(`Cannot read the ${what} of "${this.#selector}": no element matches`);
    return first;
  }
}

/** Selects the elements of a page. */
export function selectIn(html: string, selector: string): Selection {
  return new Selection("", [parseHTML(html)]).Select(selector);
}

function descendantsOf(element: Element): Element[] {
  return childrenOf(element).flatMap((child) => [child, ...descendantsOf(child)]);
}

function plainText(element: Element): string {
  return textOf(element).replace(/\s+/g, " ").trim();
}

function valueOf(element: Element): string {
  const value = element.attributes.get("value");
  // The first line break of a text area is not part of its value.
  if (element.tag === "textarea") return textOf(element).replace(/^\r?\n/, "");
  if (element.tag === "option") return value ?? plainText(element);
  if (element.tag === "select") {
    const options = descendantsOf(element).filter(({ tag }) => tag === "option");
    const chosen = options.find(({ attributes }) => attributes.has("selected")) ?? options[0];
    return chosen === undefined ? "" : valueOf(chosen);
  }
  const isBox = ["checkbox", "radio"].includes(element.attributes.get("type")?.toLowerCase() ?? "");
  return value ?? (isBox ? "on" : "");
}
