/**
 * Markdown rendering.
 *
 * @module
 */

import { Marked, type Tokens } from "npm:marked@^18";
import { flag } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { escapeHTML } from "../../base/text/escape_html.ts";

/** Options for rendering Markdown. */
export interface MarkdownOptions {
  /**
   * Whether to escape HTML in the source and to remove links other than web pages, email addresses and paths. Turn this
   * off only for content that you trust.
   *
   * @default {true}
   */
  Sanitize?: boolean;
}

const table = optionTable<MarkdownOptions>("MarkdownOptions", "Markdown")({ Sanitize: flag(true) });

const trusted = new Marked({ async: false });
const sanitizing = new Marked({
  async: false,
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return escapeHTML(text);
    },
    link(token) {
      const content = this.parser.parseInline(token.tokens);
      if (!isSafe(token.href)) return content;
      const title = token.title ? ` title="${escapeHTML(token.title)}"` : "";
      return `<a href="${escapeHTML(token.href)}"${title} rel="nofollow noopener">${content}</a>`;
    },
    image({ href, title, text }) {
      if (!isSafe(href)) return escapeHTML(text);
      const shown = title ? ` title="${escapeHTML(title)}"` : "";
      return `<img src="${escapeHTML(href)}" alt="${escapeHTML(text)}"${shown}>`;
    },
  },
});

/** Renders Markdown (CommonMark with tables and strikethrough) as HTML. */
export function toHTML(text: string, options: MarkdownOptions = {}): string {
  const { Sanitize } = readOptions(table, options);
  return (Sanitize ? sanitizing : trusted).parse(text) as string;
}

/**
 * Reports whether a URL has no scheme or a safe one. Browsers ignore whitespace and control characters before the
 * scheme.
 */
function isSafe(href: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(decodeEntities(href).replace(/[\0-\x20\x7f-\xa0]/g, "")) ?? [];
  return scheme === undefined || /^(?:https?|mailto|tel)$/i.test(scheme);
}

/**
 * Decodes HTML entities. If an attribute contains an unescaped `&`, a browser reads `java&#115;cript:` as
 * `javascript:`.
 */
function decodeEntities(text: string): string {
  return text.replace(/&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&(colon|tab|newline);/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return name.toLowerCase() === "colon" ? ":" : "";
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
