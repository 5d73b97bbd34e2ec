/**
 * The answers of an application.
 *
 * @module
 */

import { flag, text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { stoppingApps } from "../../core/exchange/peer/outer_call.ts";
import { reportFailure } from "../../core/exchange/report_failure.ts";
import { eventsTerms } from "../../core/exchange/stream_terms.ts";
import { setHeader } from "../../http/response/draft.ts";
import { NewEvent, type ServerEvent } from "../../http/response/server_event.ts";
import { sendEvents } from "../../http/response/server_events.ts";
import { innerHub } from "../hub/hub.ts";
import type { AnswerFunc } from "./answer.ts";
import type { AnswerLog } from "./answer_log.ts";
import { AnswerRecord } from "./answer_record.ts";
import { Conversation, type Run } from "./conversation.ts";
import { type AnswerSettings, type AnswersOptions, settingsOf } from "./options.ts";
import { Producers } from "./producers.ts";

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
function sendAnswer<C>(exchange: Exchange<C>, run: string, log: AnswerLog, watch: Watch): void {
  const source = (lastID: string, signal: AbortSignal) => {
    const position = positionOf(lastID);
    return watched(eventsOf(run, log, position?.run === run ? position.number : 0, signal), watch, (error) => {
      reportFailure(exchange, error, "Cannot look after an answer yet");
    });
  };
  // A client that is cut off at a shutdown must not take a part of the answer for the whole answer.
  sendEvents(exchange.draft, source, {}, () => ({ ...eventsTerms(exchange), breaksOff: true }));
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

/** The maximum length of a conversation's ID and of a key. */
const LONGEST = 256;
/** The pause between two attempts to start an answer after the previous one has ended, in milliseconds. */
const AGAIN_MS = 10;

/** Options for {@linkcode Answers.Start}. */
export interface StartOptions {
  /**
   * Identifies the question, such as the ID of the user's last message. If a client repeats a call with the same key,
   * it receives the same answer, and the model is not called again.
   */
  readonly Key?: string;
}

/** Options for {@linkcode Answers.Resume}. */
export interface ResumeOptions {
  /**
   * Whether to send an answer that has already ended, as long as it is still stored. By default, the response for such
   * an answer is a 204, as `useChat` expects, unless the client resumes after one of its parts.
   *
   * @default {false}
   */
  readonly Ended?: boolean;
}

const startTable = optionTable<StartOptions>("answers.StartOptions", "Start")({ Key: text("") });
const resumeTable = optionTable<ResumeOptions>("answers.ResumeOptions", "Resume")({ Ended: flag(false) });

/**
 * Answers that survive. The process that calls the model records all parts of its answer, and any process can send them
 * to any number of clients.
 */
export class Answers {
  readonly #settings: AnswerSettings;
  readonly #producers: Producers;

  /**
   * Created by {@linkcode New}.
   *
   * @param options The hub, the owner of conversations, and the limits.
   */
  constructor(options: AnswersOptions = {}) {
    this.#settings = settingsOf(options);
    this.#producers = new Producers(this.#settings);
  }

  /**
   * Starts an answer and responds with its parts. The answer continues if the client disconnects. A conversation has at
   * most one answer at a time: until it has ended, another call gets 409, unless it has the same key.
   *
   * @param ctx The request context.
   * @param id The ID of the conversation, such as the chat ID of `useChat`.
   * @param source Calls the model and returns the parts.
   * @param options The key of the question.
   * @throws {HTTPError} With status 400, 401, 409 or 503.
   */
  async Start(ctx: Context, id: string, source: AnswerFunc, options: StartOptions = {}): Promise<void> {
    const { Key: key } = readOptions(startTable, options);
    if (key.length > LONGEST) throw new HTTPError(400, "The key of the question is too long");
    const exchange = exchangeOf(ctx);
    const conversation = await this.#conversation(ctx, id);
    const run: Run = { id: crypto.randomUUID(), key };
    const other = await this.#reached(this.#claim(conversation, run));
    if (other === undefined) {
      await this.#reached(this.#producers.begin(exchange, conversation, run, source));
      return this.#send(exchange, conversation, run, source);
    }
    await this.#reached(this.#producers.ensure(exchange, conversation, other, source));
    this.#send(exchange, conversation, other, source);
  }

  /**
   * Responds with the current answer of a conversation. A client that sends the position of a part as `Last-Event-ID`
   * continues after that part, and other clients receive all parts. If there is no answer, or if it has ended, responds
   * with 204.
   *
   * @param ctx The request context.
   * @param id The ID of the conversation.
   * @param source Continues the model's stream after {@linkcode Answer.Cursor}. It is called if the process that was
   * writing the answer has ended. If omitted, or if no cursor was recorded, such an answer ends with an `error` part.
   * @param options Whether to send an answer that has already ended.
   * @throws {HTTPError} With status 400, 401 or 503.
   */
  async Resume(ctx: Context, id: string, source?: AnswerFunc, options: ResumeOptions = {}): Promise<void> {
    const { Ended } = readOptions(resumeTable, options);
    const exchange = exchangeOf(ctx);
    const conversation = await this.#conversation(ctx, id);
    const run = await this.#reached(conversation.current());
    if (run === undefined) return ctx.StatusCode(204);
    const { record } = await this.#reached(conversation.logOf(run).load());
    if (record.outcome === undefined) await this.#reached(this.#producers.ensure(exchange, conversation, run, source));
    else if (!Ended) {
      const position = positionOf(ctx.GetHeader("last-event-id"));
      if (position?.run !== run.id || position.number >= record.count) return ctx.StatusCode(204);
    }
    this.#send(exchange, conversation, run, source);
  }

  /**
   * Stops the current answer of a conversation, in whichever process it is written, and responds with 204. The model's
   * request is aborted through {@linkcode Answer.Signal}. Clients receive an `abort` part.
   *
   * @param ctx The request context.
   * @param id The ID of the conversation.
   * @throws {HTTPError} With status 400, 401 or 503.
   */
  async Stop(ctx: Context, id: string): Promise<void> {
    const conversation = await this.#conversation(ctx, id);
    await this.#reached(this.#producers.stop(exchangeOf(ctx), conversation));
    ctx.StatusCode(204);
  }

  /**
   * Aborts the answers that this process is writing, so that other processes can continue them. Call it before the hub
   * is closed. A graceful shutdown does the same at its end.
   *
   * @returns A promise that resolves when nothing is written anymore.
   */
  async Close(): Promise<void> {
    await this.#producers.close();
  }

  /** Aborts the answers at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.Close();
  }

  async #conversation(ctx: Context, id: string): Promise<Conversation> {
    const owner = await this.#settings.Owner(ctx);
    if (typeof owner !== "string" || owner === "") throw new HTTPError(401);
    if (typeof id !== "string" || id === "" || id.length > LONGEST || !id.isWellFormed()) {
      throw new HTTPError(400, "The ID of the conversation is invalid");
    }
    return new Conversation(this.#settings, owner, id);
  }

  /** Takes the lease for an answer. Returns the answer to send instead if the question is the same. */
  async #claim(conversation: Conversation, run: Run): Promise<Run | undefined> {
    for (;;) {
      const holder = await conversation.lease.claim(run.id);
      const current = await conversation.current();
      if (current !== undefined && current.key !== "" && current.key === run.key) {
        if (holder === null) await conversation.lease.release();
        return current;
      }
      if (holder === null) return undefined;
      // The process that has recorded the end is about to release the lease. If it cannot, the lease expires.
      const isEnding = current?.id === holder &&
        (await conversation.logOf(current).load()).record.outcome !== undefined;
      if (!isEnding) throw new HTTPError(409, "The conversation already has an answer in progress");
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  #send<C>(exchange: Exchange<C>, conversation: Conversation, run: Run, source: AnswerFunc | undefined): void {
    for (const app of stoppingApps(exchange.target)) app.drains.add(this.#producers.drain);
    sendAnswer(exchange, run.id, conversation.logOf(run), {
      interval: this.#settings.Lease,
      look: () => this.#producers.ensure(exchange, conversation, run, source),
    });
  }

  /** Awaits a call to the backplane. If the backplane is not available, the request fails with 503. */
  async #reached<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof HTTPError) throw error;
      innerHub(this.#settings.Hub).report("Cannot reach the backplane:", error);
      throw new HTTPError(503, "The answer cannot be recorded", { cause: error, Code: "FW_LIVE" });
    }
  }
}
