/**
 * A page for tests of the tools that read pages.
 *
 * @module
 */

import type { Page } from "./pages.ts";

/** Returns a how-to page with the given text. */
export function teaPage(text: string): Page {
  return {
    file: "examples/book/howto/tea.md",
    kind: "howto",
    name: "tea",
    title: "Tea",
    part: "",
    group: "",
    about: "",
    text,
  };
}
