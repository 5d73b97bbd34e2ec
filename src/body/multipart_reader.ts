/**
 * The parts of a multipart body, one after another, and never more of one in memory than a window.
 *
 * Neither reader that was at hand is right. The platform's `formData()` takes a body that ends early for an empty form,
 * drops parts, mistakes quotes, semicolons and RFC 5987 in names, and needs 9 times the body in memory; `multipasta`
 * 0.2 loses names beyond Latin-1, refuses a sound body that is cut inside its last delimiter, and takes one that ends
 * inside a header for complete.
 *
 * @module
 */

import { type BodyLimits, malformed, tooLarge, windowSize } from "./body_head.ts";
import { type PartHeader, readPartHeader } from "./file_header.ts";
import type { Source } from "./source.ts";

const act = "read the multipart form";
const [carriageReturn, lineFeed] = [13, 10];
// What follows the last delimiter is read so that the connection can be used again, but not for ever.
const maxEpilogue = 64 << 10;

/** Some bytes of a part. */
export type Chunk = Uint8Array<ArrayBuffer>;

/**
 * Reads a multipart body part by part: `next` for the header of a part, then `chunk` until it returns `null`. Both are
 * synchronous as long as the bytes are at hand.
 */
export class MultipartReader {
  readonly #window: ByteWindow;
  readonly #delimiter: Delimiter;
  readonly #limits: BodyLimits;
  #state: "content" | "header" | "epilogue" | "end" = "content";
  /** The delimiter that ends the current part, once it is in view. */
  #found: Find | undefined = undefined;
  /** A delimiter may stand right here: at the start of the body without its line break, or behind a header. */
  #lead: "start" | "header" | "none" = "start";
  #parts = 0;
  /** How many bytes of a header were searched for its end, or of the epilogue thrown away. */
  #seen = 0;

  /**
   * Creates a reader at the start of a body.
   *
   * @param window The bytes.
   * @param boundary The boundary that the content type declares.
   * @param limits How many parts there may be, and how long their headers.
   */
  constructor(window: ByteWindow, boundary: string, limits: BodyLimits) {
    this.#window = window;
    this.#delimiter = new Delimiter(boundary);
    this.#limits = limits;
  }

  /** True if a chunk stays as it is; else it is good only until the next call. */
  get isStable(): boolean {
    return this.#window.isStable;
  }

  /** True when the chunk returned last was the last of its part. */
  get isPartRead(): boolean {
    return this.#found !== undefined;
  }

  /**
   * Goes on to the next part; what is left of the current one is skipped.
   *
   * @returns The header of the part; `null` after the last one. A promise only if bytes must be waited for.
   */
  next(): PartHeader | null | Promise<PartHeader | null> {
    const part = this.#tryNext();
    return part === undefined ? this.#nextLater() : part;
  }

  /**
   * Reads on in the current part.
   *
   * @returns The next bytes of it; `null` at its end. A promise only if bytes must be waited for.
   */
  chunk(): Chunk | null | Promise<Chunk | null> {
    const chunk = this.#tryChunk();
    return chunk === undefined ? this.#chunkLater() : chunk;
  }

  async #nextLater(): Promise<PartHeader | null> {
    let part: PartHeader | null | undefined;
    while (part === undefined) {
      const hasMore = await this.#window.more();
      if (!hasMore && this.#state !== "epilogue") throw malformed(act, "it ends early");
      if (!hasMore) this.#state = "end";
      part = this.#tryNext();
    }
    return part;
  }

  async #chunkLater(): Promise<Chunk | null> {
    let chunk: Chunk | null | undefined;
    while (chunk === undefined) {
      if (!await this.#window.more()) throw malformed(act, "it ends early");
      chunk = this.#tryChunk();
    }
    return chunk;
  }

  /** Goes on to the next part with the bytes at hand; `undefined` when these are too few. */
  #tryNext(): PartHeader | null | undefined {
    if (this.#state === "content") {
      for (let chunk = this.#tryChunk(); chunk !== null; chunk = this.#tryChunk()) {
        if (chunk === undefined) return undefined;
      }
      this.#leavePart();
    }
    if (this.#state === "epilogue") this.#skipEpilogue();
    if (this.#state !== "header") return this.#state === "end" ? null : undefined;
    const block = this.#tryHeader();
    return block === undefined ? undefined : readPartHeader(block);
  }

  /** Takes the content at hand, and remembers the delimiter that follows it; `undefined` when there is neither. */
  #tryChunk(): Chunk | null | undefined {
    if (this.#found !== undefined) return null;
    if (this.#lead !== "none" && !this.#passLead()) return this.#found === undefined ? undefined : null;
    const window = this.#window;
    const { start } = window;
    const found = this.#delimiter.find(window.buffer, start, window.end);
    const isDelimiter = found.kind === "next" || found.kind === "final";
    if (isDelimiter) this.#found = found;
    window.start = found.at;
    if (found.at > start) return window.buffer.subarray(start, found.at);
    return isDelimiter ? null : undefined;
  }

  /** Tells whether there is content here, and not a delimiter, nor bytes that may become one. */
  #passLead(): boolean {
    const window = this.#window;
    const found = this.#delimiter.test(window.buffer, window.start, window.end, this.#lead === "start" ? 2 : 0);
    if (found.kind === "cut") return false;
    if (found.kind === "none" && this.#lead === "header") window.start += 2;
    this.#lead = "none";
    if (found.kind !== "none") this.#found = found;
    return found.kind === "none";
  }

  #leavePart(): void {
    const found = this.#found as Find;
    this.#window.start = found.resume;
    this.#found = undefined;
    this.#seen = 0;
    this.#state = found.kind === "final" ? "epilogue" : "header";
    if (found.kind === "next" && ++this.#parts > this.#limits.maxFields) {
      throw tooLarge(act, `it has more than ${this.#limits.maxFields} parts`);
    }
  }

  /** Takes the lines between a delimiter and the content. */
  #tryHeader(): Uint8Array | undefined {
    const window = this.#window;
    const { start, end } = window;
    const max = this.#limits.maxPartHeaderSize;
    // The line break that ends the delimiter is the first of the two that end an empty header.
    const at = endOfHeader(window.buffer, start + this.#seen, end);
    // Of bytes without an end in sight, the last three may belong to it: they do not count, and are looked at again.
    this.#seen = Math.max(0, end - start - 3);
    if ((at < 0 ? this.#seen : at - start) - 2 > max) {
      throw tooLarge(act, `the header of a part is larger than ${max} bytes`);
    }
    if (at < 0) return undefined;
    window.start = at + 2;
    this.#lead = "header";
    this.#state = "content";
    return window.buffer.subarray(start + 2, Math.max(at, start + 2));
  }

  #skipEpilogue(): void {
    const window = this.#window;
    this.#seen += window.end - window.start;
    window.start = window.end;
    if (this.#seen > maxEpilogue) throw malformed(act, "it goes on after its last part");
    if (window.isWhole) this.#state = "end";
  }
}

function endOfHeader(bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i + 3 < end; i++) {
    if (
      bytes[i + 3] === lineFeed && bytes[i + 2] === carriageReturn && bytes[i + 1] === lineFeed &&
      bytes[i] === carriageReturn
    ) return i;
  }
  return -1;
}

const none = new Uint8Array(0);

/** The part of a body that a parser looks at: `buffer[start..end)`. */
export class ByteWindow {
  buffer: Uint8Array<ArrayBuffer>;
  start = 0;
  end: number;
  readonly #source: Source | undefined;

  /**
   * Creates a window over a body.
   *
   * @param body All of its bytes, or where they come from.
   */
  constructor(body: Uint8Array<ArrayBuffer> | Source) {
    const isWhole = body instanceof Uint8Array;
    this.buffer = isWhole ? body : none;
    this.end = this.buffer.length;
    this.#source = isWhole ? undefined : body;
  }

  /** True if there is nothing to wait for: all bytes were there from the start. */
  get isWhole(): boolean {
    return this.#source === undefined;
  }

  /** True if bytes once seen stay where they are; else a view of them is good only until the next `more`. */
  get isStable(): boolean {
    return this.#source === undefined || !this.#source.open();
  }

  /**
   * Waits for more bytes and puts them behind those that are left.
   *
   * @returns False at the end of the body; what was left is gone then.
   */
  async more(): Promise<boolean> {
    const source = this.#source;
    const hasMore = source !== undefined && await (source.open() ? this.#fill(source) : this.#append(source));
    if (!hasMore) this.start = this.end = 0;
    return hasMore;
  }

  /** Reads into the one buffer of this window, behind what is left in it. */
  async #fill(source: Source): Promise<boolean> {
    const held = this.end - this.start;
    if (this.buffer.length === 0) {
      this.buffer = new Uint8Array(windowSize);
    } else if (held > this.buffer.length / 2) {
      const wider = new Uint8Array(2 * this.buffer.length);
      wider.set(this.buffer.subarray(this.start, this.end));
      this.buffer = wider;
    } else {
      this.buffer.copyWithin(0, this.start, this.end);
    }
    this.start = 0;
    const chunk = await source.read(this.buffer.subarray(held));
    if (chunk === null) return false;
    this.buffer = new Uint8Array(chunk.buffer);
    this.end = held + chunk.length;
    return true;
  }

  /** Takes the next chunk as it is; it is copied only when something is left before it. */
  async #append(source: Source): Promise<boolean> {
    const chunk = await source.read(none);
    if (chunk === null) return false;
    const held = this.end - this.start;
    if (held === 0) {
      this.buffer = chunk;
    } else {
      const joined = new Uint8Array(held + chunk.length);
      joined.set(this.buffer.subarray(this.start, this.end));
      joined.set(chunk, held);
      this.buffer = joined;
    }
    this.start = 0;
    this.end = this.buffer.length;
    return true;
  }
}

const [dash, tab, space] = [45, 9, 32];
// RFC 2046 5.1.1.
const maxBoundary = 70;
const maxPadding = 128;
const encoder = new TextEncoder();

/** What follows a delimiter: `next` part, `final`, or it is `none`; `cut` when the bytes at hand do not say. */
type Kind = "next" | "final" | "none" | "cut";

/** Where a delimiter was looked for and what was found. */
interface Find {
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
   * The search is Boyer's, Moore's and Horspool's: it looks at one byte in forty for a browser's boundary. Where the last
   * byte fits, the others are compared from the first on, and that keeps it linear whatever the boundary: the first is
   * the only carriage return of a delimiter, so no byte that fitted is ever compared again.
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
