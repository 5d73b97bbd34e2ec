/**
 * XML documents as values. Document type definitions are ignored, so entities of a client's own are never expanded.
 *
 * @module
 */

import { parseXml, XmlElement, XmlText } from "npm:@rgrove/parse-xml@^4";

/**
 * Reads the root element of a document: child elements become properties, repeated ones arrays, attributes properties
 * that begin with `@`, and the text beside them `#text`. All values are strings; a schema converts them.
 *
 * @param text The document.
 * @returns The content of the root element.
 * @throws {Error} If the document is not well-formed.
 */
export function fromXML(text: string): unknown {
  // Every `<` opens an element at most; the parser and this file recurse once per level.
  const { root } = parseXml(text, { ignoreUndefinedEntities: false });
  return root === null ? "" : contentOf(root);
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
