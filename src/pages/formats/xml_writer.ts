/**
 * XML serialization.
 *
 * @module
 */

import { filled, text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";

/** Options for an XML document. */
export interface XMLOptions {
  /** The indentation for each level, such as two spaces. If omitted, the document has no line breaks. */
  Indent?: string;
  /** The prefix of every line, if the document is indented. */
  Prefix?: string;
  /** The name of the root element. Defaults to the name of the value's class. */
  Root?: string;
}

const table = optionTable<XMLOptions>("XMLOptions", "XML")({ Indent: text(), Prefix: text(), Root: filled() });

/**
 * Serializes a value as XML. Each property becomes an element, each array item repeats its element, and the root
 * element is named after the value's class. As in parsed documents, a property `@name` becomes an attribute, and
 * `#text` is the text of an element with attributes.
 *
 * @param value The value to serialize. Its `toJSON` methods are called.
 * @param options The document's layout.
 * @returns The XML document.
 */
export function toXML(value: unknown, options: XMLOptions = {}): string {
  readOptions(table, options);
  const name = typeof value === "object" && value !== null ? value.constructor?.name : undefined;
  const root = options.Root ?? (name === undefined || name === "" ? "Object" : name);
  const lines: string[] = [];
  const writer = new Writer(lines, options);
  if (Array.isArray(value)) writer.list(options.Root ?? "List", "Item", value);
  else writer.element(root, value ?? null, 0);
  const separator = options.Indent === undefined ? "" : "\n";
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines.join(separator)}`;
}

class Writer {
  readonly #lines: string[];
  readonly #indent: string;
  readonly #prefix: string;

  constructor(lines: string[], { Indent = "", Prefix = "" }: XMLOptions) {
    this.#lines = lines;
    this.#indent = Indent;
    this.#prefix = Prefix;
  }

  list(name: string, item: string, values: readonly unknown[]): void {
    const tag = nameOf(name);
    this.#line(0, `<${tag}>`);
    this.element(item, values, 1);
    this.#line(0, `</${tag}>`);
  }

  element(name: string, value: unknown, depth: number): void {
    const plain = plainOf(value);
    if (plain === undefined || typeof plain === "function" || typeof plain === "symbol") return;
    if (Array.isArray(plain)) {
      for (const item of plain) this.element(name, item ?? null, depth);
      return;
    }
    const tag = nameOf(name);
    if (plain === null) return this.#line(depth, `<${tag}/>`);
    if (typeof plain !== "object") return this.#line(depth, `<${tag}>${escapeXML(String(plain))}</${tag}>`);
    const { attributes, text, children } = partsOf(plain);
    if (children.length === 0 && text !== undefined) {
      return this.#line(depth, `<${tag}${attributes}>${escapeXML(text)}</${tag}>`);
    }
    this.#line(depth, `<${tag}${attributes}>`);
    if (text !== undefined) this.#line(depth + 1, escapeXML(text));
    for (const [key, field] of children) this.element(key, field, depth + 1);
    this.#line(depth, `</${tag}>`);
  }

  #line(depth: number, text: string): void {
    this.#lines.push(this.#prefix + this.#indent.repeat(depth) + text);
  }
}

/** Returns a valid element or attribute name. */
function nameOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^[^\p{L}_]/u, "_$&") || "_";
}

/** The attributes, the text and the child elements of an object. */
interface Parts {
  readonly attributes: string;
  readonly text: string | undefined;
  readonly children: readonly [name: string, value: unknown][];
}

function partsOf(object: object): Parts {
  let attributes = "";
  let text: string | undefined;
  const children: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    if (isScalar(value) && name === "#text") text = String(value);
    else if (isScalar(value) && name.startsWith("@") && name !== "@") {
      attributes += ` ${nameOf(name.slice(1))}="${escapeAttribute(String(value))}"`;
    } else children.push([name, value]);
  }
  return { attributes, text, children };
}

/** Escapes an attribute value. Parsers would read a line break or a tab as a space. */
function escapeAttribute(text: string): string {
  return escapeXML(text).replace(/[\t\n]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ||
    typeof value === "bigint";
}

/** Returns the value that JSON would serialize: the result of `toJSON`, the entries of a map or the items of a set. */
function plainOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON();
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof Set ? [...value] : value;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

/** Escapes a string. Characters that XML does not allow even in escaped form become the replacement character. */
function escapeXML(text: string): string {
  return text.toWellFormed().replace(/[&<>"]|[^\t\n -\ufffd]/g, (sign) => entities[sign] ?? "\ufffd");
}
