/**
 * An answer, as its source and the application see it.
 *
 * @module
 */

import type { Outcome } from "./answer_record.ts";
import type { AnswerSource, Part } from "./part.ts";

/** An answer that is being written. */
export interface Answer {
  /** The ID of the conversation. */
  readonly ID: string;
  /** The ID of the message that contains the answer. It is sent to clients unless the source chooses another one. */
  readonly MessageID: string;
  /**
   * Aborted when the answer is stopped, when another process has taken it over, or when this process shuts down. Pass
   * it to the model. A client that disconnects does not abort it. If you pass it to `fetch`, keep the response in a
   * variable while you read its body. Otherwise, Deno may forget the signal.
   */
  readonly Signal: AbortSignal;
  /**
   * The last cursor that was recorded with {@linkcode At}, if this process continues an answer. `undefined` for a new
   * answer.
   */
  readonly Cursor: unknown;
  /** The parts that have been recorded before, if this process continues an answer. Empty for a new answer. */
  readonly Parts: readonly Part[];
}

/** An answer that has ended. */
export interface EndedAnswer {
  /** The ID of the conversation. */
  readonly ID: string;
  /** The owner of the conversation. */
  readonly Owner: string;
  /** The ID of the message that contains the answer. */
  readonly MessageID: string;
  /** All parts of the answer. */
  readonly Parts: readonly Part[];
  /** The outcome: `finished`, `failed` with an `error` part, or `stopped` with an `abort` part. */
  readonly Outcome: Outcome;
}

/** Calls the model and returns the parts of its answer. */
export type AnswerFunc = (answer: Answer) => AnswerSource | Promise<AnswerSource>;

/** Returns the ID of an answer's message, which its first part contains. */
export function messageIDOf(parts: readonly Part[], run: string): string {
  const id = parts[0]?.messageId;
  return typeof id === "string" ? id : run;
}
