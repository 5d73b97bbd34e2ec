/**
 * XML parsing. Document type definitions are ignored, so custom entities are never expanded.
 *
 * @module
 */

import { parseXml, XmlElement, XmlText } from "npm:@rgrove/parse-xml@^4";
import { decodeText } from "../../base/text/charset.ts";
import { checkedValue } from "./checked_value.ts";

/** Parses an XML document whose charset is given, or declared at its start. */
export function readXML(bytes: Uint8Array, charset: string): unknown {
  return fromXML(decodeText(bytes, charset || declaredIn(bytes)));
}

/** Returns the encoding in an XML declaration, or an empty string if there is none. */
function declaredIn(bytes: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  return /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? "";
}

/**
 * Parses an XML document and returns its root element's content. Child elements become properties, and repeated
 * elements become arrays. Attributes become properties with an `@` prefix, and text next to them becomes `#text`. All
 * values are strings; use a schema to convert them.
 *
 * @param text The XML document.
 * @returns The root element's content.
 * @throws {Error} If the document is not well-formed.
 */
export function fromXML(text: string): unknown {
  const { root } = parseXml(text, { ignoreUndefinedEntities: false });
  return root === null ? "" : checkedValue(contentOf(root), "XML");
}

function contentOf(element: XmlElement): unknown {
  const content: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(element.attributes)) content[`@${name}`] = value;
  let text = "";
  for (const child of element.children) {
    if (child instanceof XmlElement) add(content, child.name, contentOf(child));
    else if (child instanceof XmlText) text += child.text;
  }
  if (Object.keys(content).length === 0) return text;
  if (text.trim() !== "") content["#text"] = text.trim();
  return content;
}

function add(content: Record<string, unknown>, name: string, value: unknown): void {
  const known = content[name];
  if (known === undefined) content[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else content[name] = [known, value];
}
