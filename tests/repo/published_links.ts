/**
 * Rewrites the links in published documents, because the published package does not include the repository.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { bookFolder, contentsFile, placeOf } from "../book/pages.ts";

/**
 * The repository URL, such as `https://github.com/OWNER/NAME`. Set by `deno task release`. While it is empty, published
 * documentation mentions examples and other files without linking to them.
 */
export const repositoryURL: string = "";

/** The name of the package with the pages of the book. */
export const bookPackage = "@fw/book";
/** The URLs of both packages on JSR. */
const [pages, book] = [config.name, bookPackage].map((name) => `https://jsr.io/${name}/doc`);

/**
 * Rewrites the links in a document so that they lead to JSR, or to the repository if its URL is known.
 *
 * @param text The Markdown text.
 * @param file The file that contains the text, relative to the repository.
 * @param repository The repository URL, or an empty string.
 * @returns The text. Links without a target have become plain text.
 */
export function withLinks(text: string, file: string, repository: string = repositoryURL): string {
  return text.replace(
    // Code in the text of a link can contain brackets.
    /\[((?:`[^`]*`|[^\]`])+)\]\((?=[.#])([^)#\s]*)(#[^)\s]*)?\)/g,
    (whole, label: string, path: string, anchor = "") => {
      // Documents are published as a whole, so links within them are kept.
      if (path === "") return whole;
      const target = new URL(path, `file:///${file}`).pathname.slice(1);
      if (target === contentsFile) return `[${label}](${book}${anchor})`;
      const { kind, name } = placeOf(target);
      if (kind !== "" && name !== "" && target === `${bookFolder}/${kind}/${target.split("/").at(-1)}`) {
        return `[${label}](${book}/${name}${anchor})`;
      }
      const entry = Object.entries(config.exports).find(([, source]) => source === `./${target}`)?.[0];
      if (entry !== undefined) return `[${label}](${pages}${entry.slice(1)})`;
      return repository === "" ? label : `[${label}](${repository}/blob/v${config.version}/${target}${anchor})`;
    },
  );
}
