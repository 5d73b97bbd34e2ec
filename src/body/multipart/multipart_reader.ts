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

import { malformed, tooLarge } from "../body_errors.ts";
import type { BodyLimits } from "../body_limits.ts";
import type { ByteWindow } from "./byte_window.ts";
import { Delimiter, type Find } from "./delimiter.ts";
import { type PartHeader, readPartHeader } from "./part_header.ts";

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
