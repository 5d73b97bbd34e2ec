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

import { Delimiter, type Find } from "./delimiter.ts";
import { type BodyLimits, malformed, tooLarge } from "./limits.ts";
import { type PartHeader, readPartHeader } from "./part_header.ts";
import type { Window } from "./window.ts";

const act = "read the multipart form";
const [carriageReturn, lineFeed] = [13, 10];
// What follows the last delimiter is read so that the connection can be used again, but not for ever.
const maxEpilogue = 64 << 10;

/** Reads a multipart body part by part: `next` for the header of a part, then `chunk` until it answers `null`. */
export class MultipartReader {
  readonly #window: Window;
  readonly #delimiter: Delimiter;
  readonly #limits: BodyLimits;
  #parts = 0;
  /** The delimiter that ends the current part, once it is in view. */
  #found: Find | undefined = undefined;
  /** A delimiter may stand right here: at the start of the body without its line break, or behind a header. */
  #lead: "start" | "header" | "none" = "start";
  #ended = false;

  /**
   * Makes a reader at the start of a body.
   *
   * @param window The bytes.
   * @param boundary The boundary that the content type declares.
   * @param limits How many parts there may be, and how long their headers.
   */
  constructor(window: Window, boundary: string, limits: BodyLimits) {
    this.#window = window;
    this.#delimiter = new Delimiter(boundary);
    this.#limits = limits;
  }

  /** True if a chunk stays as it is; else it is good only until the next call. */
  get isStable(): boolean {
    return this.#window.isStable;
  }

  /**
   * Goes on to the next part; what is left of the current one is skipped.
   *
   * @returns The header of the part; `null` after the last one.
   */
  async next(): Promise<PartHeader | null> {
    if (this.#ended) return null;
    while (await this.chunk() !== null);
    const found = this.#found as Find;
    this.#window.start = found.resume;
    if (found.kind === "final") {
      this.#ended = true;
      await this.#drain();
      return null;
    }
    if (++this.#parts > this.#limits.MaxParts) {
      throw tooLarge(act, `it has more than ${this.#limits.MaxParts} parts`);
    }
    this.#found = undefined;
    return readPartHeader(await this.#header());
  }

  /**
   * Reads on in the current part.
   *
   * @returns The next bytes of it; `null` at its end.
   */
  async chunk(): Promise<Uint8Array<ArrayBuffer> | null> {
    while (this.#found === undefined) {
      const content = this.#scan();
      if (content !== null) return content;
      if (this.#found === undefined && !await this.#window.more()) throw malformed(act, "it ends early");
    }
    return null;
  }

  /** Takes the content at hand, and remembers the delimiter if one follows it. */
  #scan(): Uint8Array<ArrayBuffer> | null {
    const window = this.#window;
    if (this.#lead !== "none" && !this.#scanLead()) return null;
    const { start } = window;
    const found = this.#delimiter.find(window.buffer, start, window.end);
    if (found.kind === "next" || found.kind === "final") this.#found = found;
    window.start = found.at;
    return found.at > start ? window.buffer.subarray(start, found.at) : null;
  }

  /** Says whether the content goes on here: there is no delimiter, or only a later one. */
  #scanLead(): boolean {
    const window = this.#window;
    const found = this.#delimiter.test(window.buffer, window.start, window.end, this.#lead === "start" ? 2 : 0);
    if (found.kind === "cut") return false;
    if (found.kind === "none" && this.#lead === "header") window.start += 2;
    this.#lead = "none";
    if (found.kind === "none") return true;
    this.#found = found;
    return false;
  }

  /** Reads the lines between a delimiter and the content. */
  async #header(): Promise<Uint8Array> {
    const window = this.#window;
    const max = this.#limits.MaxPartHeaderSize;
    // The line break that ends the delimiter is the first of the two that end an empty header.
    for (let seen = 0;;) {
      const at = endOfHeader(window.buffer, window.start + seen, window.end);
      // Of bytes without an end in sight, the last three may belong to it.
      const size = (at < 0 ? window.end - 3 : at) - window.start - 2;
      if (size > max) throw tooLarge(act, `the header of a part is larger than ${max} bytes`);
      if (at >= 0) {
        const block = window.buffer.slice(window.start + 2, Math.max(at, window.start + 2));
        window.start = at + 2;
        this.#lead = "header";
        return block;
      }
      // A break may be cut: its last three bytes are looked at again.
      seen = Math.max(0, window.end - window.start - 3);
      if (!await window.more()) throw malformed(act, "it ends early");
    }
  }

  async #drain(): Promise<void> {
    const window = this.#window;
    let size = 0;
    do {
      size += window.end - window.start;
      window.start = window.end;
      if (size > maxEpilogue) throw malformed(act, "it goes on after its last part");
    } while (await window.more());
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
