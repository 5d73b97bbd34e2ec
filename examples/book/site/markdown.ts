/**
 * Renders a page's Markdown as HTML.
 *
 * @module
 */

import { Marked } from "npm:marked@^18";
import { escapeHTML, highlight } from "./highlight.ts";
import { anchorOf, plainText } from "./search.ts";

/** A rendered page. */
export interface Rendered {
  readonly html: string;
  /** The headings of the second level. */
  readonly headings: readonly { readonly anchor: string; readonly text: string }[];
}

/**
 * Renders Markdown. HTML in the source is escaped, except for comments, which are left out.
 *
 * @param text The Markdown.
 * @param linkOf Returns the address of a link, or an empty string if only its text should be shown.
 * @returns The HTML, without the first heading and without the line of search words.
 */
export function render(text: string, linkOf: (href: string) => string): Rendered {
  const headings: { anchor: string; text: string }[] = [];
  const anchors = new Set<string>();
  const marked = new Marked({
    async: false,
    renderer: {
      html({ text }) {
        return text.startsWith("<!--") ? "" : escapeHTML(text);
      },
      heading({ depth, tokens, text }) {
        if (depth === 1) return "";
        const anchor = anchorOf(text, anchors);
        if (depth === 2) headings.push({ anchor, text: plainText(text) });
        const content = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const address = linkOf(href);
        return address === "" ? content : `<a href="${escapeHTML(address)}">${content}</a>`;
      },
      image({ text }) {
        return escapeHTML(text);
      },
      code({ text, lang = "" }) {
        return codeBlock(text, lang.split(/\s/)[0] ?? "");
      },
      table(token) {
        const row = (cells: typeof token.header, tag: string) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
        const rows = token.rows.map((cells) => row(cells, "td")).join("\n");
        return `<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead>${
          row(token.header, "th")
        }</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(text.replace(/^Words: .*(?:\n.+)*\n*$/m, "")) as string;
  return { html, headings };
}

/** Renders a code block. If its first line is a comment with a file name, the name becomes its caption. */
function codeBlock(text: string, language: string): string {
  const [, file = ""] = /^(?:\/\/|#|<!--) ([\w./-]+\.\w+|Dockerfile|Caddyfile)(?: -->)?\n/.exec(text) ?? [];
  const shown = file === "" ? text : text.slice(text.indexOf("\n") + 1);
  const caption = file === "" ? "" : `<figcaption>${escapeHTML(file)}</figcaption>`;
  return `<figure class="code">${caption}<pre tabindex="0"><code>${
    highlight(shown, language)
  }\n</code></pre></figure>\n`;
}
