/**
 * The parts of an answer, as the AI SDK defines them for its UI message streams.
 *
 * @module
 */

/**
 * A part of an answer, such as `{ type: "text-delta", id: "1", delta: "Hello" }`. All chunks of the AI SDK's UI message
 * streams are parts: text, reasoning, tool calls and their results, sources, files, errors, steps, and custom data
 * (`data-…`).
 */
export interface Part {
  /** The kind of part, such as `text-delta` or `source-url`. */
  readonly type: string;
  /** The fields of this kind. They must be serializable as JSON. */
  readonly [field: string]: unknown;
}

/** Parts with the cursor of the model's own stream after them, created by {@linkcode At}. */
export class PartsAt {
  /** The cursor after the parts. */
  readonly Cursor: unknown;
  /** The parts, which are recorded together with the cursor. */
  readonly Parts: readonly (Part | string)[];

  /**
   * Created by {@linkcode At}.
   *
   * @param cursor The cursor.
   * @param parts The parts.
   */
  constructor(cursor: unknown, parts: readonly (Part | string)[]) {
    this.Cursor = cursor;
    this.Parts = parts;
  }
}

/**
 * Records parts together with the cursor of the model's own stream. If the process ends before the answer does, another
 * process receives the last cursor as {@linkcode Answer.Cursor} and continues the model's stream after it. The cursor
 * of a call without parts is recorded before the next part is requested, for example before the model is called.
 *
 * @example Record the position of every event
 * ```ts
 * import * as answers from "@fw/web/answers";
 *
 * const events = [{ position: 1, text: "Hello" }, { position: 2, text: " Ada" }];
 * function* reply() {
 *   for (const { position, text } of events) yield answers.At({ response: "resp_1", position }, text);
 * }
 * [...reply()].at(-1)?.Cursor; // → { response: "resp_1", position: 2 }
 * ```
 *
 * @param cursor The cursor: the model's response ID and position, or anything else that is serializable as JSON.
 * @param parts The parts before the cursor. Strings are text.
 * @returns The parts and the cursor, to be yielded by an answer's source.
 */
export function At(cursor: unknown, ...parts: readonly (Part | string)[]): PartsAt {
  return new PartsAt(cursor, parts);
}

/**
 * The source of an answer: a stream or another iterable of parts, such as `result.toUIMessageStream()` of the AI SDK,
 * or a response with such a stream. Strings are text.
 */
export type AnswerSource =
  | AsyncIterable<Part | string | PartsAt>
  | Iterable<Part | string | PartsAt>
  | Response;
