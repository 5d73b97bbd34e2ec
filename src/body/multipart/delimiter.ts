/**
 * The line between two parts of a multipart body: how it is found among the bytes.
 *
 * @module
 */

import { malformed } from "../body_errors.ts";

const [carriageReturn, lineFeed] = [13, 10];

const [dash, tab, space] = [45, 9, 32];
// RFC 2046 5.1.1.
const maxBoundary = 70;
const maxPadding = 128;
const encoder = new TextEncoder();

/** What follows a delimiter: `next` part, `final`, or it is `none`; `cut` when the bytes at hand do not say. */
type Kind = "next" | "final" | "none" | "cut";

/** Where a delimiter was looked for and what was found. */
export interface Find {
  readonly kind: Kind;
  /** The index of the delimiter's line break; for `none`, the end of what is surely content. */
  readonly at: number;
  /** The index where reading goes on: at the line break that ends a `next` line, or after a `final` one. */
  readonly resume: number;
}

/** The delimiter of one body. */
export class Delimiter {
  readonly #needle: Uint8Array;
  readonly #skips: Uint8Array;

  /**
   * Prepares the search.
   *
   * @param boundary The boundary that the content type declares.
   */
  constructor(boundary: string) {
    this.#needle = encoder.encode(`\r\n--${boundary}`);
    const { length } = this.#needle;
    if (boundary === "" || boundary.length > maxBoundary) {
      throw malformed("read the multipart form", `its boundary is not between 1 and ${maxBoundary} characters long`);
    }
    this.#skips = new Uint8Array(256).fill(length);
    for (let i = 0; i < length - 1; i++) this.#skips[this.#needle[i] as number] = length - 1 - i;
  }

  /**
   * Tells whether a delimiter stands right at an index.
   *
   * @param bytes The bytes.
   * @param at The index.
   * @param end The index after the last byte at hand.
   * @param skipped How many bytes of the delimiter are taken as seen: 2 at the start of a body, for the line break.
   */
  test(bytes: Uint8Array, at: number, end: number, skipped = 0): Find {
    const needle = this.#needle;
    const begin = at - skipped;
    for (let i = skipped; i < needle.length; i++) {
      if (begin + i >= end) return { kind: "cut", at, resume: at };
      if (bytes[begin + i] !== needle[i]) return { kind: "none", at, resume: at };
    }
    return this.#judge(bytes, at, begin + needle.length, end);
  }

  /**
   * Finds the first delimiter.
   *
   * The search is Boyer's, Moore's and Horspool's: it looks at one byte in forty for a browser's boundary. Where the
   * last byte fits, the others are compared from the first on, and that keeps it linear whatever the boundary: the
   * first is the only carriage return of a delimiter, so no byte that fitted is ever compared again.
   *
   * @param bytes The bytes.
   * @param start The index to start from.
   * @param end The index after the last byte at hand.
   */
  find(bytes: Uint8Array, start: number, end: number): Find {
    const needle = this.#needle;
    const skips = this.#skips;
    const last = needle.length - 1;
    for (let i = start + last; i < end; i += skips[bytes[i] as number] as number) {
      let j = 0;
      while (j <= last && bytes[i - last + j] === needle[j]) j++;
      if (j <= last) continue;
      const found = this.#judge(bytes, i - last, i + 1, end);
      if (found.kind !== "none") return found;
    }
    return { kind: "none", at: this.#tail(bytes, start, end), resume: end };
  }

  /** Where a delimiter may have begun whose rest is still to come. */
  #tail(bytes: Uint8Array, start: number, end: number): number {
    for (let i = Math.max(start, end - this.#needle.length + 1); i < end; i++) {
      if (bytes[i] === carriageReturn) return i;
    }
    return end;
  }

  /** Looks behind the boundary: a longer boundary, or the same letters inside a line, are content. */
  #judge(bytes: Uint8Array, at: number, after: number, end: number): Find {
    let i = after;
    if (bytes[i] === dash && i < end) {
      if (i + 1 >= end) return { kind: "cut", at, resume: at };
      return bytes[i + 1] === dash ? { kind: "final", at, resume: i + 2 } : { kind: "none", at, resume: at };
    }
    while (i < end && (bytes[i] === space || bytes[i] === tab) && i - after <= maxPadding) i++;
    if (i >= end) return { kind: "cut", at, resume: at };
    if (bytes[i] !== carriageReturn) return { kind: "none", at, resume: at };
    if (i + 1 >= end) return { kind: "cut", at, resume: at };
    return bytes[i + 1] === lineFeed ? { kind: "next", at, resume: i } : { kind: "none", at, resume: at };
  }
}
