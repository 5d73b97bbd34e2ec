/**
 * Writes an answer: calls its source, records the parts, and renews the lease. The clients that read the answer are not
 * involved.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import { encodeSent } from "../../base/codec/sent.ts";
import { encodeStored } from "../../base/codec/stored.ts";
import { eventsIn } from "../../base/text/body_lines.ts";
import { type AnswerFunc, messageIDOf } from "./answer.ts";
import type { AnswerLease } from "./answer_lease.ts";
import type { AnswerLog, Recorded } from "./answer_log.ts";
import { AnswerRecord, type Outcome } from "./answer_record.ts";
import { type AnswerSource, type Part, PartsAt } from "./part.ts";
import { PartWriter } from "./part_writer.ts";

type Item = Part | string | PartsAt;

const stopped = Symbol("stopped");

/**
 * Yields the items of a source. Ends if the signal is aborted, even if the source is waiting.
 *
 * @param source The source. It is closed at the end.
 * @param signal The signal that is passed to the model.
 * @param hold Delays the disposal of the request's values until the source is closed.
 */
async function* sourceParts(
  source: AnswerSource,
  signal: AbortSignal,
  hold: (promise: Promise<unknown>) => void,
): AsyncGenerator<Item> {
  const items: AsyncIterable<Item> | Iterable<Item> = source instanceof Response ? readResponse(source) : source;
  const iterator = iteratorOf(items);
  const end = Promise.withResolvers<typeof stopped>();
  const stop = () => end.resolve(stopped);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let next: Promise<IteratorResult<Item>> | undefined;
  try {
    for (;;) {
      next = Promise.try(() => iterator.next());
      // The promise may reject after it is no longer awaited.
      next.catch(ignore);
      const result = await Promise.race([next, end.promise]);
      if (result === stopped || result.done === true) return;
      yield result.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    hold(Promise.allSettled([Promise.try(() => iterator.return?.()), next]));
  }
}

function iteratorOf(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterator<Item> | Iterator<Item> {
  if (typeof items === "object" && items !== null) {
    if (Symbol.asyncIterator in items) return items[Symbol.asyncIterator]();
    if (Symbol.iterator in items) return items[Symbol.iterator]();
  }
  throw new FrameworkError("FW_RETURN", "Cannot record an answer: its source is not a stream of parts");
}

/** Reads the parts of a response in the format of the AI SDK. */
async function* readResponse(response: Response): AsyncGenerator<Part> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new FrameworkError("FW_RETURN", `Cannot record an answer: the response has status "${response.status}"`);
  }
  for await (const { data } of eventsIn(response)) {
    if (data === "[DONE]") return;
    if (data !== "") yield JSON.parse(data);
  }
}

function ignore(): void {}

/** The answer to write. */
export interface Production {
  /** The ID of the conversation, and that of the answer. */
  readonly id: string;
  readonly run: string;
  readonly log: AnswerLog;
  /** The lease, or `undefined` if another answer has it. */
  readonly lease: AnswerLease | undefined;
  /** The parts that another process has recorded. */
  readonly recorded: Recorded;
  readonly maxParts: number;
  readonly maxSize: number;
  /** The time to keep trying to record a part, in milliseconds. */
  readonly patience: number;
  /** Reports the end before it is recorded. */
  ended(parts: readonly Part[], outcome: Outcome): Promise<void>;
  /** Logs an error of the source or the log. */
  failed(error: unknown): void;
  /** Delays the disposal of the request's values until a promise is settled. */
  hold(promise: Promise<unknown>): void;
}

/** Writes one answer in this process. */
export class Producer {
  readonly #production: Production;
  readonly #abort = new AbortController();
  /** The state that the log shows. It also contains entries of other processes. */
  readonly #seen: AnswerRecord;
  readonly #generation: number;
  readonly #writer: PartWriter;
  #count: number;
  #size = 0;

  constructor(production: Production) {
    const { run, recorded: { record, parts } } = production;
    this.#production = production;
    this.#seen = Object.assign(new AnswerRecord(), record);
    this.#generation = record.generation;
    this.#writer = new PartWriter(run, parts);
    this.#count = record.count;
  }

  /** Writes the answer. The promise does not reject. */
  async run(source: AnswerFunc | undefined): Promise<void> {
    const { log, lease, run, failed } = this.#production;
    const stopRenewing = lease?.keep(run);
    let stopListening: (() => void) | undefined;
    try {
      stopListening = await log.listen((payload) => this.#hear(payload), () => void this.#look());
      // The answer may have been stopped in the meantime.
      await this.#look();
      await this.#produce(source);
    } catch (error) {
      failed(error);
    } finally {
      this.#abort.abort(abortError("The answer has ended"));
      stopListening?.();
      stopRenewing?.();
      // A process that has taken the answer over holds the lease.
      if (this.#seen.generation === this.#generation) await lease?.release();
    }
  }

  /** Lets another process continue the answer. */
  leave(): void {
    this.#abort.abort(abortError("The server is shutting down"));
  }

  async #produce(source: AnswerFunc | undefined): Promise<void> {
    const { signal } = this.#abort;
    try {
      if (source === undefined) throw new HTTPError(503, "The answer was interrupted");
      await this.#record(source);
      if (!signal.aborted) return await this.#end(this.#writer.finish(), "finished");
    } catch (error) {
      if (!signal.aborted) return await this.#fail(error);
    }
    if (this.#seen.outcome === "stopped") await this.#conclude("stopped");
  }

  async #record(source: AnswerFunc): Promise<void> {
    const { id, run, recorded: { record, parts }, hold } = this.#production;
    const { signal } = this.#abort;
    const [Cursor] = record.cursor;
    const answer = { ID: id, MessageID: messageIDOf(parts, run), Signal: signal, Cursor, Parts: parts };
    for await (const item of sourceParts(await source(answer), signal, hold)) {
      if (signal.aborted) return;
      if (item instanceof PartsAt) {
        const cursor = encodeStored(item.Cursor, { act: "record a cursor", root: "Cursor", code: "FW_RETURN" });
        await this.#write(item.Parts.flatMap((part) => this.#writer.write(part)), [cursor, "stored"]);
      } else await this.#write(this.#writer.write(item));
    }
  }

  async #write(parts: readonly Part[], cursor: readonly unknown[] = []): Promise<void> {
    if (parts.length === 0 && cursor.length === 0) return;
    const { maxParts, maxSize } = this.#production;
    for (const part of parts) {
      const act = `record a part of type "${part.type}"`;
      this.#size += encodeSent(part, { act, root: "Part", code: "FW_RETURN" }).length;
    }
    if (this.#count + parts.length > maxParts || this.#size > maxSize) {
      throw new HTTPError(413, "The answer is too long");
    }
    await this.#append(parts, cursor);
  }

  async #append(parts: readonly Part[], cursor: readonly unknown[] = []): Promise<void> {
    const { log, patience } = this.#production;
    await log.write("parts", { g: this.#generation, n: this.#count + 1, p: parts, c: cursor }, patience);
    this.#count += parts.length;
  }

  async #fail(error: unknown): Promise<void> {
    const isPublic = error instanceof HTTPError;
    if (!isPublic || error.Status === 500) this.#production.failed(error);
    await this.#end(this.#writer.fail(isPublic ? error.message : "An error occurred"), "failed");
  }

  async #end(parts: readonly Part[], outcome: Outcome): Promise<void> {
    const { log, patience } = this.#production;
    if (parts.length > 0) await this.#append(parts);
    await this.#conclude(outcome);
    await log.write("end", { g: this.#generation, o: outcome }, patience);
  }

  async #conclude(outcome: Outcome): Promise<void> {
    const { log, ended } = this.#production;
    const { record, parts } = await log.load();
    // Another process may have taken the answer over.
    if (record.generation === this.#generation) await ended(parts, outcome);
  }

  #hear(payload: string): void {
    this.#seen.apply(payload);
    this.#check();
  }

  /** Reads the log, because entries may be missing. */
  async #look(): Promise<void> {
    try {
      Object.assign(this.#seen, (await this.#production.log.load()).record);
      this.#check();
    } catch (error) {
      this.#production.failed(error);
    }
  }

  #check(): void {
    if (this.#seen.generation !== this.#generation) this.#abort.abort(abortError("Another process has taken over"));
    else if (this.#seen.outcome === "stopped") this.#abort.abort(abortError("The answer was stopped"));
  }
}

function abortError(message: string): DOMException {
  return new DOMException(message, "AbortError");
}
