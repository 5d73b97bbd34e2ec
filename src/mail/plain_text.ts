/**
 * Converts the HTML part of a mail to its text part.
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
  const [, title = ""] = /<title\b[^<>]*>([^<]*)<\/title>/i.exec(html) ?? [];
  return decodeEntities(title).replace(/\s+/g, " ").trim();
}

/** The text of tags, by name. Closing tags start with a slash. All others have none. */
const breaks: ReadonlyMap<string, string> = new Map([
  ...["p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "section", "blockquote", "hr"].flatMap((name) =>
    [[name, "\n\n"], [`/${name}`, "\n\n"]] as const
  ),
  ...["ul", "ol", "tr"].flatMap((name) => [[name, "\n"], [`/${name}`, "\n"]] as const),
  ...[["br", "\n"], ["li", "\n- "], ["/td", " "], ["/th", " "]] as const,
]);
/** The elements whose content is not shown. */
const hidden: ReadonlySet<string> = new Set(["head", "style", "script", "title"]);

/**
 * Converts HTML to plain text. Links are followed by their address. Each character is read once, because a mail may
 * contain long text of users.
 *
 * @param html The HTML part of a mail.
 */
export function textOf(html: string): string {
  const lower = html.toLowerCase();
  let text = "";
  let link = "";
  let label = 0;
  for (let at = 0; at < html.length;) {
    const start = html.indexOf("<", at);
    const isComment = html.startsWith("<!--", start);
    const end = start < 0 ? -1 : html.indexOf(isComment ? "-->" : ">", start);
    text += html.slice(at, end < 0 ? html.length : start).replace(/\s+/g, " ");
    if (end < 0) break;
    at = end + (isComment ? 3 : 1);
    const tag = html.slice(start + 1, end);
    const [name = ""] = /^\/?[a-z][a-z\d]*/.exec(tag.toLowerCase()) ?? [];
    if (hidden.has(name)) {
      const close = lower.indexOf(`</${name}`, at);
      at = close < 0 ? html.length : close;
    } else if (name === "a") {
      [, link = ""] = /\shref="([^"]*)"/i.exec(tag) ?? [];
      label = text.length;
    } else if (name === "/a" && link !== "") {
      if (text.slice(label).trim() !== link) text += ` (${link})`;
      link = "";
    }
    text += breaks.get(name) ?? "";
  }
  const lines = decodeEntities(text).split("\n").map((line) => line.replace(/ {2,}/g, " ").trim());
  return `${lines.filter((line, at) => line !== "" || lines[at - 1] !== "").join("\n").trim()}\n`;
}
