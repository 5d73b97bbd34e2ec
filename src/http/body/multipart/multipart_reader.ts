/**
 * Reads the parts of a multipart body one by one, holding at most one window in memory.
 *
 * Neither of the available parsers is correct. The platform's `formData()` treats a truncated body as an empty form,
 * drops parts, misreads quotes, semicolons and RFC 5987 names, and needs 9 times the body's size in memory.
 * `multipasta` 0.2 loses non-Latin-1 names, rejects a valid body that is split inside its last delimiter, and accepts a
 * body that ends inside a header.
 *
 * @module
 */

import { malformed, tooLarge } from "../source/body_errors.ts";
import type { BodyLimits } from "../source/body_limits.ts";
import type { ByteWindow } from "./byte_window.ts";
import { Delimiter, type Find } from "./delimiter.ts";
import { type PartHeader, readPartHeader } from "./part_header.ts";

const act = "read the multipart form";
const [carriageReturn, lineFeed] = [13, 10];
// The data after the last delimiter is read up to this limit, so that the connection can be reused.
const maxEpilogue = 64 << 10;

/** A chunk of a part. */
export type Chunk = Uint8Array<ArrayBuffer>;

/**
 * Reads a multipart body part by part. Call `next` for the header of a part, then `chunk` until it returns `null`. Both
 * are synchronous as long as bytes are available.
 */
export class MultipartReader {
  readonly #window: ByteWindow;
  readonly #delimiter: Delimiter;
  readonly #limits: BodyLimits;
  #state: "content" | "header" | "epilogue" | "end" = "content";
  /** The delimiter that ends the current part, or `undefined` if it has not been found yet. */
  #found: Find | undefined = undefined;
  /**
   * The places where a delimiter may come without a preceding line break: at the start of the body or directly after a
   * header.
   */
  #lead: "start" | "header" | "none" = "start";
  #parts = 0;
  /** The number of header bytes searched so far, or the number of epilogue bytes discarded. */
  #seen = 0;

  /**
   * Creates a reader at the start of a body.
   *
   * @param window The bytes.
   * @param boundary The boundary declared in the content type.
   * @param limits The maximum number of parts and the maximum header size.
   */
  constructor(window: ByteWindow, boundary: string, limits: BodyLimits) {
    this.#window = window;
    this.#delimiter = new Delimiter(boundary);
    this.#limits = limits;
  }

  /** Reports whether a chunk remains valid. If not, it is valid only until the next call. */
  get isStable(): boolean {
    return this.#window.isStable;
  }

  /** Reports whether the last returned chunk was the last one of its part. */
  get isPartRead(): boolean {
    return this.#found !== undefined;
  }

  /**
   * Advances to the next part, skipping the rest of the current one.
   *
   * @returns The part's header, or `null` after the last part. Returns a promise only if more bytes are needed.
   */
  next(): PartHeader | null | Promise<PartHeader | null> {
    const part = this.#tryNext();
    return part === undefined ? this.#nextLater() : part;
  }

  /**
   * Reads from the current part.
   *
   * @returns The next bytes, or `null` at the end of the part. Returns a promise only if more bytes are needed.
   */
  chunk(): Chunk | null | Promise<Chunk | null> {
    const chunk = this.#tryChunk();
    return chunk === undefined ? this.#chunkLater() : chunk;
  }

  async #nextLater(): Promise<PartHeader | null> {
    let part: PartHeader | null | undefined;
    while (part === undefined) {
      const hasMore = await this.#window.more();
      if (!hasMore && this.#state !== "epilogue") throw malformed(act, "it ends unexpectedly");
      if (!hasMore) this.#state = "end";
      part = this.#tryNext();
    }
    return part;
  }

  async #chunkLater(): Promise<Chunk | null> {
    let chunk: Chunk | null | undefined;
    while (chunk === undefined) {
      if (!await this.#window.more()) throw malformed(act, "it ends unexpectedly");
      chunk = this.#tryChunk();
    }
    return chunk;
  }

  /** Advances to the next part using the available bytes. Returns `undefined` if more bytes are needed. */
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

  /** Returns the available content and records the delimiter after it. Returns `undefined` if there is neither. */
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

  /** Reports whether there is content at the current position rather than a complete or partial delimiter. */
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

  /** Reads the lines between a delimiter and the content. */
  #tryHeader(): Uint8Array | undefined {
    const window = this.#window;
    const { start, end } = window;
    const max = this.#limits.maxPartHeaderSize;
    // In an empty header, the line break that ends the delimiter is the first of the two line breaks that end the
    // header.
    const at = endOfHeader(window.buffer, start + this.#seen, end);
    // If the end is not found, the last three bytes may belong to it. They are not counted yet and will be examined
    // again.
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
    if (this.#seen > maxEpilogue) throw malformed(act, "it continues after its last part");
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
