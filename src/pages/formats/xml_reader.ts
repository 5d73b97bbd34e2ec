/**
 * XML parsing. Document type definitions are ignored, so custom entities are never expanded.
 *
 * @module
 */

import { decodeText } from "../../base/text/charset.ts";
import { checkedValue } from "./checked_value.ts";
import { type StartTag, XMLScanner } from "./xml_scanner.ts";

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
  const scanner = new XMLScanner(text);
  scanner.skipProlog();
  const root = scanner.startTag();
  if (root === undefined) throw scanner.fail("Root element is missing or invalid");
  const content = readElement(scanner, root);
  scanner.skipMisc();
  if (!scanner.isEnd()) throw scanner.fail("Extra content at the end of the document");
  return checkedValue(content, "XML");
}

/**
 * The maximum number of open elements, so that a document cannot use much more memory than it is long. Values that are
 * nested less deeply than this may still be rejected.
 */
const mostOpen = 5_000;

/** An element whose end has not been read. */
interface OpenElement {
  readonly name: string;
  readonly parent: OpenElement | undefined;
  readonly depth: number;
  readonly content: Record<string, unknown>;
  text: string;
}

/** Reads an element. Nested elements are not read by recursion, because a document could exhaust the stack. */
function readElement(scanner: XMLScanner, root: StartTag): unknown {
  let tag: StartTag | undefined = root;
  let element = opened(root, undefined);
  while (true) {
    if (tag?.isEmpty ?? scanner.endTag(element.name)) {
      const { name, parent } = element;
      if (parent === undefined) return contentOf(element);
      add(parent.content, name, contentOf(element));
      element = parent;
    } else if (tag === undefined) readContent(scanner, element);
    tag = scanner.startTag();
    if (tag !== undefined) element = opened(tag, element);
  }
}

function opened({ name, attributes }: StartTag, parent: OpenElement | undefined): OpenElement {
  const depth = parent === undefined ? 0 : parent.depth + 1;
  if (depth > mostOpen) throw new RangeError(`Elements are nested more than ${mostOpen} levels deep`);
  const content: Record<string, unknown> = Object.create(null);
  for (const [key, value] of attributes) content[`@${key}`] = value;
  return { name, parent, depth, content, text: "" };
}

function readContent(scanner: XMLScanner, element: OpenElement): void {
  const text = scanner.content();
  if (text !== undefined) element.text += text;
  else if (!scanner.skipComment() && !scanner.skipInstruction()) {
    throw scanner.fail(`Missing end tag for element ${element.name}`);
  }
}

function contentOf({ content, text }: OpenElement): unknown {
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
