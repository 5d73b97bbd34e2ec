/**
 * Builds `llms.txt`, the list of pages for language models. The site serves it, and the package of the book contains it.
 *
 * @module
 */

const book = new URL("../../examples/book/", import.meta.url);
// The examples are a separate workspace member with their own compiler options.
const [{ readBook }, { llmsText }] = await Promise.all(
  ["book.ts", "llms.ts"].map((name) => import(new URL(`site/${name}`, book).href)),
);

/** The name of the file. */
export const llmsFile = "llms.txt";

/** Builds the list. */
export function buildLlms(): string {
  return llmsText(readBook(book));
}
