/**
 * Sends an answer as server-sent events, in the format of the AI SDK's UI message streams. The SDK ignores the event
 * IDs, with which other clients continue after a part.
 *
 * @module
 */

import type { Exchange } from "../exchange/exchange.ts";
import { reportFailure } from "../exchange/report_failure.ts";
import { eventsTerms } from "../exchange/stream_terms.ts";
import { setHeader } from "../response/draft.ts";
import { NewEvent, sendEvents, type ServerEvent } from "../response/server_events.ts";
import type { AnswerLog } from "./answer_log.ts";
import { AnswerRecord } from "./answer_record.ts";

/** The last event. */
const DONE = "[DONE]";

/** A position in an answer. */
export interface AnswerPosition {
  /** The ID of the answer. */
  readonly run: string;
  /** The number of the last part that the client has received. */
  readonly number: number;
}

/** Checks repeatedly that a process is writing the answer. */
export interface Watch {
  readonly interval: number;
  look(): Promise<void>;
}

/** Parses a position, or returns `undefined` if a client has sent something else. */
export function positionOf(lastID: string): AnswerPosition | undefined {
  const match = /^([\w-]{1,64})\.(\d{1,15})$/.exec(lastID);
  return match === null ? undefined : { run: match[1] ?? "", number: Number(match[2]) };
}

/** Responds with an answer, from the part after `Last-Event-ID`, or from the first one. */
export function sendAnswer<C>(exchange: Exchange<C>, run: string, log: AnswerLog, watch: Watch): void {
  const source = (lastID: string, signal: AbortSignal) => {
    const position = positionOf(lastID);
    return watched(eventsOf(run, log, position?.run === run ? position.number : 0, signal), watch, (error) => {
      reportFailure(exchange, error, "Cannot look after an answer yet");
    });
  };
  // A client that is cut off at a shutdown must not take a part of the answer for the whole answer.
  sendEvents(exchange.draft, source, {}, { ...eventsTerms(exchange), breaksOff: true });
  setHeader(exchange.draft, "cache-control", "no-store");
  setHeader(exchange.draft, "x-vercel-ai-ui-message-stream", "v1");
}

async function* eventsOf(run: string, log: AnswerLog, after: number, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const record = new AnswerRecord();
  let number = 0;
  for await (const { payload, gap } of log.follow(signal)) {
    if (gap !== undefined) {
      yield NewEvent({ type: "error", errorText: "The answer is no longer stored" });
      break;
    }
    for (const part of record.apply(payload)) {
      if (++number > after) yield NewEvent(part, { ID: `${run}.${number}` });
    }
    if (record.outcome !== undefined) break;
  }
  if (!signal.aborted) yield NewEvent(DONE);
}

async function* watched(
  events: AsyncGenerator<ServerEvent>,
  { interval, look }: Watch,
  failed: (error: unknown) => void,
): AsyncGenerator<ServerEvent> {
  const timer = setInterval(() => look().catch(failed), interval);
  try {
    yield* events;
  } finally {
    clearInterval(timer);
  }
}
