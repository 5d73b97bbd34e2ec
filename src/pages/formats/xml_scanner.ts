/**
 * Reads the tokens of an XML document: tags, text, comments and declarations. Document type definitions are skipped, so
 * that only the five entities of XML itself are defined.
 *
 * @module
 */

/** A start tag. */
export interface StartTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether the element has no content, as in `<br/>`. */
  readonly isEmpty: boolean;
}

const start = ":A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f" +
  "\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}";
const name = `[${start}][${start}\\d.\\xb7\\u0300-\\u036f\\u203f\\u2040-]*`;
const equals = "[ \\t\\n]*=[ \\t\\n]*";

const startTag = sticky(`<(${name})`);
const attribute = sticky(`[ \\t\\n]+(${name})(${equals}(?:"([^"<]*)"|'([^'<]*)'))?`);
const endTag = sticky(`</(${name})[ \\t\\n]*>`);
const instruction = sticky(`<\\?(?![xX][mM][lL][ \\t\\n?])${name}(?=[ \\t\\n]|\\?>)`);
const declaration = sticky(
  `<\\?xml[ \\t\\n]+version${equals}${quoted("1\\.\\d+")}(?:[ \\t\\n]+encoding${equals}${
    quoted("[A-Za-z][\\w.-]*")
  })?` +
    `(?:[ \\t\\n]*standalone${equals}${quoted("(?:yes|no)")})?[ \\t\\n]*\\?>`,
);
const external = `SYSTEM[ \\t\\n]*(?:"[^"]*"|'[^']*')|` +
  `PUBLIC[ \\t\\n]+(?:"[-\\w \\n'()+,./:=?;!*#@$%]*"|'[-\\w \\n()+,./:=?;!*#@$%]*')[ \\t\\n]*(?:"[^"]*"|'[^']*')`;
const doctype = sticky(`<!DOCTYPE[ \\t\\n]+${name}(?:[ \\t\\n]+(?:${external})?)?[ \\t\\n]*`);
const blanks = sticky("[ \\t\\n]+");
const tagEnd = sticky("[ \\t\\n]*(/?>)");
/** The end of an internal subset. The quotes in it are not read, because nothing in it is used. */
const subset = sticky("\\[[^]*?\\][ \\t\\n]*(?=>)");

const entities = new Map([["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", '"'], ["apos", "'"]]);
const notAllowed = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** The position in a document. */
export class XMLScanner {
  readonly #text: string;
  #at = 0;

  /** Creates a scanner. Line breaks are normalized first, as the standard demands. */
  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
    const at = this.#text.search(notAllowed);
    if (at >= 0) throw this.fail("Invalid character", at);
  }

  /** Skips everything before the root element. */
  skipProlog(): void {
    this.#take(declaration);
    this.skipMisc();
    if (this.#take(doctype) !== null) {
      this.#take(subset);
      if (!this.#skip(">")) throw this.fail("Unclosed doctype declaration");
    }
    this.skipMisc();
  }

  /** Skips white space, comments and processing instructions. */
  skipMisc(): void {
    while (this.#take(blanks) !== null || this.skipComment() || this.skipInstruction());
  }

  /** Skips a comment. Reports whether there is one. */
  skipComment(): boolean {
    if (!this.#skip("<!--")) return false;
    this.#until("--", "Unclosed comment");
    if (!this.#skip(">")) throw this.fail("The string `--` is not allowed inside a comment");
    return true;
  }

  /** Skips a processing instruction. Reports whether there is one. */
  skipInstruction(): boolean {
    if (this.#take(instruction) === null) return false;
    this.#until("?>", "Unterminated processing instruction");
    return true;
  }

  /** Reads a start tag with its attributes, or returns `undefined` if there is none. */
  startTag(): StartTag | undefined {
    const [, name] = this.#take(startTag) ?? [];
    if (name === undefined) return undefined;
    const attributes = new Map<string, string>();
    for (let found = this.#take(attribute); found !== null; found = this.#take(attribute)) {
      const [, key = "", assigned, double, single = ""] = found;
      if (assigned === undefined) throw this.fail("Attribute value expected");
      if (attributes.has(key)) throw this.fail(`Duplicate attribute: ${key}`);
      const raw = (double ?? single).replace(/[\n\t]/g, " ");
      const value = this.#resolve(raw, this.#at - 1 - raw.length);
      if (key === "xml:space" && value !== "default" && value !== "preserve") {
        throw this.fail('Value of the `xml:space` attribute must be "default" or "preserve"');
      }
      attributes.set(key, value);
    }
    const [, end] = this.#take(tagEnd) ?? [];
    if (end === undefined) throw this.fail(`Unclosed start tag for element \`${name}\``);
    return { name, attributes, isEmpty: end === "/>" };
  }

  /** Reads the end tag of an element. Reports whether there is one. */
  endTag(name: string): boolean {
    const at = this.#at;
    const found = this.#take(endTag);
    if (found !== null && found[1] !== name) throw this.fail(`Missing end tag for element ${name}`, at);
    return found !== null;
  }

  /** Reads a CDATA section, or text up to the next tag. Returns `undefined` if there is neither. */
  content(): string | undefined {
    if (this.#skip("<![CDATA[")) return this.#until("]]>", "Unclosed CDATA section");
    const end = this.#text.indexOf("<", this.#at);
    const text = this.#text.slice(this.#at, end < 0 ? undefined : end);
    if (text === "") return undefined;
    if (text.includes("]]>")) {
      throw this.fail("Element content may not contain the CDATA section close delimiter `]]>`");
    }
    this.#at += text.length;
    return this.#resolve(text, this.#at - text.length);
  }

  /** Reports whether the document ends here. */
  isEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Creates an error at a position. */
  fail(message: string, at: number = this.#at): SyntaxError {
    const lines = this.#text.slice(0, at).split("\n");
    return new SyntaxError(`${message} (line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`);
  }

  /** Replaces the references in a string that begins at a position. */
  #resolve(text: string, from: number): string {
    if (!text.includes("&")) return text;
    return text.replace(/&(?:#x([\dA-Fa-f]+)|#(\d+)|(\w+));|&/g, (found, hex, decimal, entity, at) => {
      if (found === "&") throw this.fail("Unterminated reference (a reference must end with `;`)", from + at);
      const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
      const sign = entity === undefined ? code <= 0x10ffff && String.fromCodePoint(code) : entities.get(entity);
      if (sign === undefined) throw this.fail(`Named entity isn't defined: ${found}`, from + at);
      if (sign === false || notAllowed.test(sign)) {
        throw this.fail("Character reference resolves to an invalid character", from + at);
      }
      return sign;
    });
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #skip(text: string): boolean {
    const isFound = this.#text.startsWith(text, this.#at);
    if (isFound) this.#at += text.length;
    return isFound;
  }

  #until(text: string, missing: string): string {
    const end = this.#text.indexOf(text, this.#at);
    if (end < 0) throw this.fail(missing);
    const found = this.#text.slice(this.#at, end);
    this.#at = end + text.length;
    return found;
  }
}

function sticky(pattern: string): RegExp {
  return new RegExp(pattern, "uy");
}

function quoted(pattern: string): string {
  return `(?:"${pattern}"|'${pattern}')`;
}
