/**
 * Uploaded files on disk that implement `File` and `Blob`, including slices.
 *
 * @module
 */

import type { FileStore } from "./spill_store.ts";

const chunkSize = 64 << 10;

/** The location of a file's bytes in the store. */
interface Section {
  readonly store: FileStore;
  readonly start: number;
  readonly size: number;
}

/**
 * Creates an uploaded file whose bytes are on disk. It can be read until its request ends.
 *
 * @param section The location of the bytes.
 * @param name The file name.
 * @param options The file's type.
 * @returns The file. Its slices are read from disk too.
 */
export function spilledFile(section: Section, name: string, options: FilePropertyBag): File {
  return readFrom(section, new File([], name, options));
}

/** Overrides all members of an empty file or blob that depend on its content. */
function readFrom<T extends Blob>(section: Section, blob: T): T {
  return Object.defineProperties(blob, {
    size: { value: section.size },
    stream: { value: () => sectionStream(section) },
    bytes: { value: () => Promise.try(() => readSection(section)) },
    arrayBuffer: { value: () => Promise.try(() => readSection(section).buffer) },
    text: { value: () => Promise.try(() => new TextDecoder().decode(readSection(section))) },
    slice: {
      value: (start?: number, end?: number, type = "") =>
        readFrom(cutSection(section, start, end), new Blob([], { type })),
    },
  });
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
