/**
 * A log file that begins anew when it has grown too large or too old.
 *
 * @module
 */

import type { LogWriter } from "./sink.ts";

/** When a log file begins anew, and how many old ones are kept. */
export interface Rotation {
  /** The size from which on the next line goes to a new file, in bytes; 100 MiB unless given, 0 for no limit. */
  MaxSize?: number;
  /** The age from which on the next line goes to a new file, in milliseconds; 0, no limit, unless given. */
  MaxAge?: number;
  /** How many old files are kept, named `.1` for the youngest, `.2` and so on; 5 unless given. */
  MaxFiles?: number;
}

/** How often the file is looked at, in milliseconds: another program may have moved it. */
const lookEvery = 1000;
const lineFeed = new Uint8Array([0x0a]);

/** The file; created with its first line. */
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
   * Names the file.
   *
   * @param path Its path.
   * @param rotation When it begins anew.
   * @param header What every file begins with, such as the names of columns.
   */
  constructor(path: string, rotation: Rotation = {}, header = "") {
    this.#path = path;
    this.#header = new TextEncoder().encode(header);
    this.#maxSize = checked("MaxSize", rotation.MaxSize ?? 100 << 20) || Infinity;
    this.#maxAge = checked("MaxAge", rotation.MaxAge ?? 0) || Infinity;
    this.#maxFiles = checked("MaxFiles", rotation.MaxFiles ?? 5);
  }

  /**
   * Writes bytes, into a new file where the old one is full.
   *
   * @param bytes Whole lines.
   * @returns How many bytes were written.
   */
  writeSync(bytes: Uint8Array): number {
    const now = performance.now();
    if (this.#file === undefined || now >= this.#lookAt) this.#reopen(now);
    this.#restoreHeader();
    // Not within a line, of which a full disk may have taken only a part.
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

  /** Writes, and notes if a full disk has taken only a part of a line: the rest of it is lost. */
  #write(bytes: Uint8Array): number {
    let written = 0;
    try {
      return written = this.#file?.writeSync(bytes) ?? 0;
    } finally {
      if (written === 0 && !this.#endsLine) this.#isCut = true;
    }
  }

  /** Ends the line of which the disk took only a part, so that the next one is whole. */
  #endCutLine(): void {
    this.#size += this.#file?.writeSync(lineFeed) ?? 0;
    this.#isCut = false;
    this.#endsLine = true;
  }

  /** Begins a file anew that another program has emptied, as logrotate's `copytruncate` does. */
  #restoreHeader(): void {
    if (this.#header.length === 0 || this.#size === 0 || this.#file?.statSync().size !== 0) return;
    this.#size = this.#file.writeSync(this.#header);
    this.#endsLine = true;
    this.#isCut = false;
  }

  /** Closes the file; a later line opens it again. */
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

  /** Opens the file that has the name now: another process may have begun it anew. */
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
  throw new RangeError(`Cannot rotate a log file by a ${name} of "${value}": it is not a whole number from 0 up`);
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Moves a file over another; nothing happens where it does not exist. */
function rename(from: string, to: string): void {
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
