/**
 * Builds `llms.txt`, the list of pages for language models. The site serves it, and the package of the book contains it.
 *
 * @module
 */

import { book, read } from "../book/site.ts";

// The examples are a separate workspace member with their own compiler options.
const { llmsText } = await import(new URL("site/llms.ts", book).href);

/** The name of the file. */
export const llmsFile = "llms.txt";

/** Builds the list. */
export function buildLlms(): string {
  return llmsText(read());
}
