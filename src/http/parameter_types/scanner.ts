/**
 * A scanner for path templates that tracks its position, so that every error can include a column.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";

const SPACES = /[ \t]*/y;

/** A cursor over a template. */
export class Scanner {
  /** The whole template. */
  readonly source: string;
  /** The index of the next character. */
  at = 0;

  /** Creates a scanner positioned before the first character. */
  constructor(source: string) {
    this.source = source;
  }

  /** Returns the next character, or an empty string at the end. */
  peek(): string {
    return this.source.charAt(this.at);
  }

  /** Reports whether the end is reached. */
  ended(): boolean {
    return this.at >= this.source.length;
  }

  /** Skips `text` if it comes next, and reports whether it did. */
  take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Skips spaces. */
  skipSpaces(): void {
    this.#match(SPACES);
  }

  /** Reads letters, digits and underscores. Returns an empty string if none comes next. */
  name(): string {
    // The expression is not a constant, because V8 takes half a millisecond to compile Unicode letter classes and most
    // templates do not contain a name.
    return this.#match(/[\p{L}\p{N}_]*/uy);
  }

  /** Reads up to the first of the given characters or the end. */
  until(stops: string): string {
    const { source, at: start } = this;
    let end = start;
    while (end < source.length && !stops.includes(source.charAt(end))) end++;
    this.at = end;
    return source.slice(start, end);
  }

  /**
   * Creates an error that includes the template and the column.
   *
   * @param state The problem, for the error message.
   * @param index The position of the problem. Defaults to the next character.
   * @param options The cause of the error, if any.
   */
  fail(state: string, index: number = this.at, options?: ErrorOptions): FrameworkError {
    return new FrameworkError(
      "FW_TEMPLATE",
      `Cannot parse path template "${this.source}": ${state} at column ${index + 1}`,
      options,
    );
  }

  /** Reads the match of a sticky expression at the current position. */
  #match(expression: RegExp): string {
    expression.lastIndex = this.at;
    const text = expression.exec(this.source)?.[0] ?? "";
    this.at += text.length;
    return text;
  }
}
