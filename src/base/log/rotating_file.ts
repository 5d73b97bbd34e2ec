/**
 * A log file with rotation by size and age.
 *
 * @module
 */

import type { LogWriter } from "./sink.ts";

/** Options for log file rotation. */
export interface Rotation {
  /**
   * The file size at which the file is rotated before the next line, in bytes. 0 means no limit.
   *
   * @default {104857600}
   */
  MaxFile?: number;
  /**
   * The file age at which the file is rotated before the next line, in milliseconds. 0 means no limit.
   *
   * @default {0}
   */
  MaxAge?: number;
  /**
   * The number of rotated files to keep, named `.1` for the newest, `.2` and so on.
   *
   * @default {5}
   */
  MaxFiles?: number;
}

/** The interval, in milliseconds, at which to check whether another program has moved the file. */
const lookEvery = 1000;
const lineFeed = new Uint8Array([0x0a]);

/** A rotating log file. The file is created when the first line is written. */
export class RotatingFile implements LogWriter, Disposable {
  readonly #path: string;
  readonly #maxSize: number;
  readonly #maxAge: number;
  readonly #maxFiles: number;
  readonly #header: Uint8Array;
  #file: Deno.FsFile | undefined = undefined;
  #size = 0;
  #born = 0;
  #lookAt = 0;
  #endsLine = true;
  #isCut = false;

  /**
   * Creates a log file writer.
   *
   * @param path The file's path.
   * @param rotation The rotation options.
   * @param header The content at the start of each file, such as column names.
   */
  constructor(path: string, rotation: Rotation = {}, header = "") {
    this.#path = path;
    this.#header = new TextEncoder().encode(header);
    this.#maxSize = checked("MaxFile", rotation.MaxFile ?? 100 << 20) || Infinity;
    this.#maxAge = checked("MaxAge", rotation.MaxAge ?? 0) || Infinity;
    this.#maxFiles = checked("MaxFiles", rotation.MaxFiles ?? 5);
  }

  /**
   * Writes bytes, rotating the file first if it has reached its limits.
   *
   * @param bytes The bytes of whole lines.
   * @returns The number of bytes written.
   */
  writeSync(bytes: Uint8Array): number {
    const now = performance.now();
    if (this.#file === undefined || now >= this.#lookAt) this.#reopen(now);
    this.#restoreHeader();
    // Do not rotate the file in the middle of a line. On a full disk, a line may be written only partially.
    if (
      this.#endsLine && this.#size > this.#header.length &&
      (this.#size + bytes.length > this.#maxSize || this.#isOld(now))
    ) {
      this.#rotate(now);
    }
    if (this.#isCut) this.#endCutLine();
    const written = this.#write(bytes);
    this.#size += written;
    this.#endsLine = written > 0 && bytes[written - 1] === 0x0a;
    return written;
  }

  /**
   * Writes bytes and records whether a line was only partially written because the disk is full. The rest of that line
   * is lost.
   */
  #write(bytes: Uint8Array): number {
    let written = 0;
    try {
      return written = this.#file?.writeSync(bytes) ?? 0;
    } finally {
      if (written === 0 && !this.#endsLine) this.#isCut = true;
    }
  }

  /** Ends a partially written line with a line break, so that the next line is complete. */
  #endCutLine(): void {
    this.#size += this.#file?.writeSync(lineFeed) ?? 0;
    this.#isCut = false;
    this.#endsLine = true;
  }

  /** Writes the header again if another program has truncated the file, as logrotate's `copytruncate` does. */
  #restoreHeader(): void {
    if (this.#header.length === 0 || this.#size === 0 || this.#file?.statSync().size !== 0) return;
    this.#size = this.#file.writeSync(this.#header);
    this.#endsLine = true;
    this.#isCut = false;
  }

  /** Closes the file. The next line reopens it. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** Closes the file at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }

  #isOld(now: number): boolean {
    return now - this.#born >= this.#maxAge;
  }

  /** Reopens the file at its path, because another process may have rotated it. */
  #reopen(now: number): void {
    this.#lookAt = now + lookEvery;
    const there = this.#file === undefined ? undefined : statOf(this.#path);
    if (there !== undefined && this.#file !== undefined && there.ino === this.#file.statSync().ino) {
      this.#size = there.size;
      return;
    }
    this.#open(now);
  }

  #open(now: number): void {
    this.close();
    this.#file = Deno.openSync(this.#path, { create: true, append: true, mode: 0o640 });
    const info = this.#file.statSync();
    this.#size = info.size;
    const age = info.size === 0 ? 0 : Date.now() - (info.birthtime ?? info.mtime ?? new Date()).getTime();
    this.#born = now - Math.max(age, 0);
    this.#endsLine = true;
    if (this.#size === 0 && this.#header.length > 0) this.#size = this.#file.writeSync(this.#header);
  }

  #rotate(now: number): void {
    this.close();
    for (let number = this.#maxFiles; number >= 1; number--) {
      rename(number === 1 ? this.#path : `${this.#path}.${number - 1}`, `${this.#path}.${number}`);
    }
    if (this.#maxFiles === 0) Deno.removeSync(this.#path);
    this.#open(now);
  }
}

function checked(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`Cannot rotate log files: the ${name} must be a non-negative integer, not "${value}"`);
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Renames a file, replacing any existing one. Does nothing if the file does not exist. */
function rename(from: string, to: string): void {
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
