/**
 * Finds the delimiter between the parts of a multipart body.
 *
 * @module
 */

import { malformed } from "../source/body_errors.ts";

const [carriageReturn, lineFeed] = [13, 10];

const [dash, tab, space] = [45, 9, 32];
// The maximum boundary length (RFC 2046, section 5.1.1).
const maxBoundary = 70;
const maxPadding = 128;
const encoder = new TextEncoder();

/**
 * The kind of delimiter: `next` if another part follows, `final` at the end, or `none`. It is `cut` if there are not
 * enough bytes to decide.
 */
type Kind = "next" | "final" | "none" | "cut";

/** The result of a delimiter search. */
export interface Find {
  readonly kind: Kind;
  /** The index of the delimiter's line break. For `none`, the end of the bytes that are known to be content. */
  readonly at: number;
  /** The index at which to continue. This is the line break after a `next` delimiter, or the end of a `final` one. */
  readonly resume: number;
}

/** The delimiter of a body. */
export class Delimiter {
  readonly #needle: Uint8Array;
  readonly #skips: Uint8Array;

  /**
   * Prepares the search.
   *
   * @param boundary The boundary declared in the content type.
   */
  constructor(boundary: string) {
    this.#needle = encoder.encode(`\r\n--${boundary}`);
    const { length } = this.#needle;
    if (boundary === "" || boundary.length > maxBoundary) {
      throw malformed("read the multipart form", `its boundary must be between 1 and ${maxBoundary} characters long`);
    }
    this.#skips = new Uint8Array(256).fill(length);
    for (let i = 0; i < length - 1; i++) this.#skips[this.#needle[i] as number] = length - 1 - i;
  }

  /**
   * Checks for a delimiter at an index.
   *
   * @param bytes The bytes.
   * @param at The index to check.
   * @param end The index after the last available byte.
   * @param skipped The number of delimiter bytes to treat as matched. At the start of a body it is 2, for the missing
   * line break.
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
   * With a browser's boundary, the Boyer-Moore-Horspool search examines one byte in forty. If the last byte matches,
   * the others are compared starting with the first. This keeps the search linear for any boundary, because the first
   * byte is the delimiter's only carriage return and no matching byte is compared twice.
   *
   * @param bytes The bytes.
   * @param start The start index.
   * @param end The index after the last available byte.
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

  /** Returns the index at which an incomplete delimiter may start. */
  #tail(bytes: Uint8Array, start: number, end: number): number {
    for (let i = Math.max(start, end - this.#needle.length + 1); i < end; i++) {
      if (bytes[i] === carriageReturn) return i;
    }
    return end;
  }

  /**
   * Examines the bytes after the boundary. They are content if the boundary continues with other characters or is not
   * on its own line.
   */
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
