/**
 * Walks the text of a path template and knows where it is, so that every error can name its column.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

const SPACES = /[ \t]*/y;

/** A cursor over one template. */
export class Scanner {
  /** The whole template. */
  readonly source: string;
  /** The index of the next character. */
  at = 0;

  /** Stands before the first character. */
  constructor(source: string) {
    this.source = source;
  }

  /** The next character; empty at the end. */
  peek(): string {
    return this.source.charAt(this.at);
  }

  /** Reports whether nothing is left. */
  ended(): boolean {
    return this.at >= this.source.length;
  }

  /** Steps over `text` if it comes next. */
  take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Steps over spaces. */
  skipSpaces(): void {
    this.#match(SPACES);
  }

  /** Reads letters, digits and underscores; empty when none comes next. */
  name(): string {
    // Here and not above: letters of all scripts take V8 half a millisecond to read, and most templates have no name.
    return this.#match(/[\p{L}\p{N}_]*/uy);
  }

  /** Reads up to the first of the given characters, or to the end. */
  until(stops: string): string {
    const start = this.at;
    while (!this.ended() && !stops.includes(this.peek())) this.at++;
    return this.source.slice(start, this.at);
  }

  /**
   * Creates the error that says what is wrong and where.
   *
   * @param state What is wrong.
   * @param index Where; the next character when left out.
   * @param options The cause, if there is one.
   */
  fail(state: string, index: number = this.at, options?: ErrorOptions): FrameworkError {
    return new FrameworkError(
      "FW_TEMPLATE",
      `Cannot read path template "${this.source}": ${state} at column ${index + 1}`,
      options,
    );
  }

  /** Steps over what a sticky expression finds here. */
  #match(expression: RegExp): string {
    expression.lastIndex = this.at;
    const text = expression.exec(this.source)?.[0] ?? "";
    this.at += text.length;
    return text;
  }
}
