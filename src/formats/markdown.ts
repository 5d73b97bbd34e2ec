/**
 * Markdown as HTML.
 *
 * @module
 */

import { Marked, type Tokens } from "npm:marked@^18";
import { escapeHTML } from "../base/escape_html.ts";

/** Options for Markdown. */
export interface MarkdownOptions {
  /**
   * Whether HTML in the text is shown as text, and links other than to web pages, mail addresses and paths are removed.
   * Turn it off only for texts that you wrote yourself.
   *
   * @default {true}
   */
  Sanitize?: boolean;
}

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
export function toHTML(text: string, { Sanitize = true }: MarkdownOptions = {}): string {
  return (Sanitize ? sanitizing : trusted).parse(text) as string;
}

/** A URL is safe if it has no scheme or one of these; browsers ignore blanks and control characters before it. */
function isSafe(href: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(decodeEntities(href).replace(/[\0-\x20\x7f-\xa0]/g, "")) ?? [];
  return scheme === undefined || /^(?:https?|mailto|tel)$/i.test(scheme);
}

/** `java&#115;cript:` reaches the browser as `javascript:` if an attribute is written without escaping its `&`. */
function decodeEntities(text: string): string {
  return text.replace(/&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&(colon|tab|newline);/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return name.toLowerCase() === "colon" ? ":" : "";
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
