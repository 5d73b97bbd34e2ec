/**
 * Converts HTML to plain text, for mails without a text view.
 *
 * @module
 */

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Decodes the entities that templates write, and numeric ones. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name] ?? entity : entity;
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
    return code > 0x10ffff ? entity : String.fromCodePoint(code).toWellFormed();
  });
}

/** Returns the text of a page's title, or an empty string. */
export function titleOf(html: string): string {
  const [, title = ""] = /<title\b[^>]*>([^<]*)<\/title>/i.exec(html) ?? [];
  return decodeEntities(title).replace(/\s+/g, " ").trim();
}

/**
 * Converts HTML to plain text. Links are followed by their address.
 *
 * @param html The HTML part of a mail.
 */
export function textOf(html: string): string {
  const text = html.replace(/<(head|style|script|title)\b[^>]*>[^]*?<\/\1>/gi, "").replace(/<!--[^]*?-->/g, "")
    .replace(/\s+/g, " ")
    .replace(
      /<a\b[^>]*\bhref="([^"]*)"[^>]*>(.*?)<\/a>/gi,
      (_, to, label) => label.trim() === to ? to : `${label} (${to})`,
    )
    .replace(/<br\b[^>]*> ?/gi, "\n").replace(/<li\b[^>]*> ?/gi, "\n- ").replace(/<\/(?:td|th)>/gi, " ")
    .replace(/ ?<\/?(?:tr|ul|ol)\b[^>]*> ?/gi, "\n").replace(
      / ?<\/?(?:p|div|h[1-6]|table|section|blockquote|hr)\b[^>]*> ?/gi,
      "\n\n",
    )
    .replace(/<[^>]*>/g, "");
  return `${
    decodeEntities(text).replace(/[ \t]+\n/g, "\n").replace(/\n[ \t]+/g, "\n").replace(/\n{3,}/g, "\n\n").trim()
  }\n`;
}
