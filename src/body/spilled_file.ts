/**
 * Files and slices of files that lie on disk and read like any other.
 *
 * @module
 */

import type { FileStore } from "./spill_store.ts";

const chunkSize = 64 << 10;

/** Where the bytes of a file lie in the store. */
export interface Section {
  readonly store: FileStore;
  readonly start: number;
  readonly size: number;
}

/** An uploaded file on disk. It can be read until its request ends. */
export class SpilledFile extends File {
  readonly #section: Section;

  /**
   * Makes a file of a section of the store.
   *
   * @param section Where the bytes lie.
   * @param name The name of the file.
   * @param options Its type.
   */
  constructor(section: Section, name: string, options: FilePropertyBag) {
    super([], name, options);
    this.#section = section;
  }

  /** How many bytes the file has. */
  override get size(): number {
    return this.#section.size;
  }

  /** Reads the file piece by piece. */
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return sectionStream(this.#section);
  }

  /** Reads the whole file. */
  override arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.try(() => readSection(this.#section).buffer);
  }

  /** Reads the whole file. */
  override bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return Promise.try(() => readSection(this.#section));
  }

  /** Reads the whole file as UTF-8. */
  override text(): Promise<string> {
    return Promise.try(() => new TextDecoder().decode(readSection(this.#section)));
  }

  /**
   * Takes a part of the file, without reading it.
   *
   * @param start The index of the first byte; from the end if negative.
   * @param end The index after the last byte; from the end if negative.
   * @param type The content type of the part.
   */
  override slice(start?: number, end?: number, type?: string): Blob {
    return new SpilledBlob(cutSection(this.#section, start, end), { type: type ?? "" });
  }
}

class SpilledBlob extends Blob {
  readonly #section: Section;

  constructor(section: Section, options: BlobPropertyBag) {
    super([], options);
    this.#section = section;
  }

  override get size(): number {
    return this.#section.size;
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return sectionStream(this.#section);
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.try(() => readSection(this.#section).buffer);
  }

  override bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return Promise.try(() => readSection(this.#section));
  }

  override text(): Promise<string> {
    return Promise.try(() => new TextDecoder().decode(readSection(this.#section)));
  }

  override slice(start?: number, end?: number, type?: string): Blob {
    return new SpilledBlob(cutSection(this.#section, start, end), { type: type ?? "" });
  }
}

function readSection(section: Section): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(section.size);
  if (section.size > 0) section.store.read(section.start, bytes);
  return bytes;
}

function sectionStream(section: Section): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller): void {
      const size = Math.min(chunkSize, section.size - at);
      if (size <= 0) return controller.close();
      const { store, start } = section;
      controller.enqueue(readSection({ store, start: start + at, size }));
      at += size;
    },
  }, { highWaterMark: 0 });
}

function cutSection(section: Section, start = 0, end = section.size): Section {
  const from = clamp(start, section.size);
  return { store: section.store, start: section.start + from, size: Math.max(0, clamp(end, section.size) - from) };
}

function clamp(index: number, size: number): number {
  const whole = Math.trunc(index) || 0;
  return whole < 0 ? Math.max(size + whole, 0) : Math.min(whole, size);
}
