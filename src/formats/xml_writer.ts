/**
 * XML serialization.
 *
 * @module
 */

/** Options for an XML document. */
export interface XMLOptions {
  /** The indentation per level, such as two spaces. If omitted, the document has no line breaks. */
  Indent?: string;
  /** The prefix of every line, if the document is indented. */
  Prefix?: string;
}

/**
 * Serializes a value as XML. Each property becomes an element, each array item repeats its element, and the root
 * element is named after the value's class.
 *
 * @param value The value to serialize. Its `toJSON` methods are called.
 * @param options The document's layout.
 * @returns The XML document.
 */
export function toXML(value: unknown, options: XMLOptions = {}): string {
  const name = typeof value === "object" && value !== null ? value.constructor?.name : undefined;
  const root = name === undefined || name === "Object" || name === "" ? "Object" : name;
  const lines: string[] = [];
  const writer = new Writer(lines, options);
  if (Array.isArray(value)) writer.list("List", "Item", value);
  else writer.element(root, value, 0);
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
    this.#line(0, `<${name}>`);
    this.element(item, values, 1);
    this.#line(0, `</${name}>`);
  }

  element(name: string, value: unknown, depth: number): void {
    const plain = plainOf(value);
    if (plain === undefined || typeof plain === "function" || typeof plain === "symbol") return;
    if (Array.isArray(plain)) {
      for (const item of plain) this.element(name, item ?? null, depth);
      return;
    }
    const tag = name.replace(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^[^\p{L}_]/u, "_$&") || "_";
    if (plain === null) return this.#line(depth, `<${tag}/>`);
    if (typeof plain !== "object") return this.#line(depth, `<${tag}>${escapeXML(String(plain))}</${tag}>`);
    this.#line(depth, `<${tag}>`);
    for (const [key, field] of Object.entries(plain)) this.element(key, field, depth + 1);
    this.#line(depth, `</${tag}>`);
  }

  #line(depth: number, text: string): void {
    this.#lines.push(this.#prefix + this.#indent.repeat(depth) + text);
  }
}

/** Returns the value that JSON would serialize: the result of `toJSON`, the entries of a map or the items of a set. */
function plainOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON();
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof Set ? [...value] : value;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes a string. Characters that XML does not allow even in escaped form become the replacement character. */
function escapeXML(text: string): string {
  return text.toWellFormed().replace(/[&<>"]|[^\t\n\r -\ufffd]/g, (sign) => entities[sign] ?? "\ufffd");
}
