/**
 * Splits a stream of JSON values. It is loaded with the first stream.
 *
 * @module
 */

import { HTTPError } from "../../base/errors/errors.ts";
import { maxDepth } from "../../http/body/source/read_whole.ts";

const quote = 0x22;
const backslash = 0x5c;
const recordSeparator = 0x1e;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Splits input into JSON values without parsing them. Every character is examined once, regardless of how the text is
 * split into chunks.
 */
export class JSONSplitter {
  readonly #isArray: boolean;
  readonly #max: number;
  /** The part of the current value that arrived in earlier chunks. */
  #parts: string[] = [];
  #length = 0;
  #isInside = false;
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /**
   * The position in the array: before `[`, before the first item, before another item, after an item, or after `]`.
   */
  #place: "before" | "first" | "item" | "after" | "end";

  constructor(options: { readonly isArray: boolean; readonly max: number }) {
    this.#isArray = options.isArray;
    this.#max = options.max;
    this.#place = options.isArray ? "before" : "item";
  }

  /** Adds text and yields the values that are now complete. Throws after the values that precede a mistake. */
  *push(text: string): Generator<string, void> {
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isInside && this.#depth === 0 && !this.#isString && endsScalar(code, this.#isArray)) {
        yield this.#take(text.slice(start, at));
      }
      if (!this.#isInside) {
        if (this.#isBetween(code)) continue;
        this.#isInside = true;
        start = at;
      }
      if (this.#endsWith(code)) yield this.#take(text.slice(start, at + 1));
    }
    if (this.#isInside) this.#keep(text.slice(start));
  }

  /** Returns the last value at the end of the text, if any. */
  end(): string | undefined {
    const isCut = this.#depth > 0 || this.#isString || (this.#isArray && this.#place !== "end");
    if (isCut) throw malformed("it ends unexpectedly");
    return this.#isInside ? this.#take("") : undefined;
  }

  /** Tracks strings and brackets, and reports whether a character is the last one of the value. */
  #endsWith(code: number): boolean {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === backslash) this.#isEscaped = true;
      else if (code === quote) this.#isString = false;
      return !this.#isString && this.#depth === 0;
    }
    if (code === quote) this.#isString = true;
    else if (opening.has(code)) this.#deepen();
    else if (closing.has(code)) return --this.#depth <= 0;
    return false;
  }

  /** Enters an array or object. The value is rejected before it is parsed, so that a long one is not held in memory. */
  #deepen(): void {
    if (++this.#depth > maxDepth) throw malformed(`a value is nested more than ${maxDepth} levels deep`);
  }

  /** Skips whitespace, and the brackets and commas around the items of an array. */
  #isBetween(code: number): boolean {
    if (isBlank(code)) return true;
    if (!this.#isArray) return false;
    const sign = String.fromCharCode(code);
    if (this.#place === "before" && sign === "[") this.#place = "first";
    else if (sign === "]" && (this.#place === "first" || this.#place === "after")) this.#place = "end";
    else if (this.#place === "after" && sign === ",") this.#place = "item";
    else if (this.#place === "first" || this.#place === "item") return false;
    else throw malformed(`"${sign}" is unexpected`);
    return true;
  }

  #take(rest: string): string {
    this.#keep(rest);
    const value = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    this.#isInside = false;
    this.#depth = 0;
    if (this.#isArray) this.#place = "after";
    return value;
  }

  #keep(part: string): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#max) return;
    const message = `Cannot read the JSON stream: a value is longer than ${this.#max} characters`;
    throw new HTTPError(413, message, { Code: "FW_LIMIT" });
  }
}

/** Reports whether a character ends a number or a literal. */
function endsScalar(code: number, isArray: boolean): boolean {
  return isBlank(code) || code === quote || opening.has(code) || (isArray && (code === 0x2c || closing.has(code)));
}

/** Reports whether a character may be between values. In `application/json-seq`, each value has a record separator. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === recordSeparator;
}

/** Creates the error for a stream that cannot be read. */
export function malformed(reason: string, cause?: unknown): HTTPError {
  return new HTTPError(400, `Cannot read the JSON stream: ${reason}`, { Code: "FW_BODY", cause });
}
