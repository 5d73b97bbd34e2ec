/**
 * The answers that this process is writing.
 *
 * @module
 */

import type { Exchange } from "../../core/exchange/exchange.ts";
import { reportFailure } from "../../core/exchange/report_failure.ts";
import { whenSessionEnds } from "../../core/exchange/stream_terms.ts";
import { hold } from "../../http/response/draft.ts";
import { type AnswerFunc, messageIDOf } from "./answer.ts";
import type { Recorded } from "./answer_log.ts";
import { AnswerRecord, type Outcome } from "./answer_record.ts";
import type { Conversation, Run } from "./conversation.ts";
import type { AnswerSettings } from "./options.ts";
import type { Part } from "./part.ts";
import { Producer } from "./producer.ts";

/** The share of a shutdown's time in which answers may end. The rest is for requests in flight. */
const DRAIN_SHARE = 0.8;

/** Starts, continues and stops answers. */
export class Producers {
  /** Lets answers end at a shutdown, and then leaves them to other processes. */
  readonly drain: (until: number) => Promise<void>;
  readonly #settings: AnswerSettings;
  readonly #running = new Map<string, { readonly producer: Producer; readonly done: Promise<void> }>();
  readonly #taking = new Set<string>();

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
    this.drain = (until) => this.#drain(until);
  }

  /** Starts an answer. The caller has claimed the lease. */
  async begin<C>(exchange: Exchange<C>, conversation: Conversation, run: Run, source: AnswerFunc): Promise<void> {
    let before: Run | undefined;
    try {
      before = await conversation.current();
      await conversation.begin(run);
    } catch (error) {
      await conversation.lease.release();
      throw error;
    }
    this.#run(exchange, conversation, run, { record: new AnswerRecord(), parts: [] }, source);
    // The process that was writing the previous answer may have ended before the answer.
    if (before !== undefined) await this.ensure(exchange, conversation, before, undefined);
  }

  /** Continues an answer if the process that was writing it has ended. */
  async ensure<C>(
    exchange: Exchange<C>,
    conversation: Conversation,
    run: Run,
    source: AnswerFunc | undefined,
  ): Promise<void> {
    if (this.#running.has(run.id) || this.#taking.has(run.id)) return;
    this.#taking.add(run.id);
    try {
      const holder = await conversation.lease.claim(run.id);
      if (holder === run.id) return;
      // The lease may also belong to a process that is about to start the next answer.
      if (holder !== null && (await conversation.current())?.id === run.id) return;
      const recorded = await this.#take(conversation, run);
      if (recorded !== undefined) {
        // The model may have been called even if no cursor was recorded, so that it is not called again.
        const canContinue = holder === null && recorded.record.cursor.length > 0;
        this.#run(exchange, conversation, run, recorded, canContinue ? source : undefined, holder === null);
      } else if (holder === null) await conversation.lease.release();
    } finally {
      this.#taking.delete(run.id);
    }
  }

  /** Stops the current answer of a conversation. The process that writes it reads the log. */
  async stop<C>(exchange: Exchange<C>, conversation: Conversation): Promise<void> {
    const run = await conversation.current();
    if (run === undefined) return;
    const log = conversation.logOf(run);
    if ((await log.load()).record.outcome !== undefined) return;
    await log.write("stop", {});
    // If no process is writing the answer, no other process can report its end.
    if (await conversation.lease.claim(run.id) !== null) return;
    const { record, parts } = await log.load();
    if (record.outcome === "stopped") await this.#ended(exchange, conversation, run, parts, "stopped");
    await conversation.lease.release();
  }

  async close(): Promise<void> {
    for (const { producer } of this.#running.values()) producer.leave();
    await this.#settled();
  }

  /**
   * Starts a generation of an answer. The first process that starts it wins, even if another one has the lease as well.
   *
   * @returns The recorded parts, or `undefined` if the answer has ended or another process was faster.
   */
  async #take(conversation: Conversation, run: Run): Promise<Recorded | undefined> {
    const log = conversation.logOf(run);
    const { record: { generation, outcome } } = await log.load();
    if (outcome !== undefined) return undefined;
    const by = crypto.randomUUID();
    await log.write("take", { g: generation + 1, by });
    const recorded = await log.load();
    return recorded.record.holder === by && recorded.record.outcome === undefined ? recorded : undefined;
  }

  #run<C>(
    exchange: Exchange<C>,
    conversation: Conversation,
    run: Run,
    recorded: Recorded,
    source: AnswerFunc | undefined,
    hasLease = true,
  ): void {
    const { Lease: patience, MaxParts: maxParts, MaxAnswer: maxSize } = this.#settings;
    const producer = new Producer({
      id: conversation.id,
      run: run.id,
      log: conversation.logOf(run),
      lease: hasLease ? conversation.lease : undefined,
      recorded,
      maxParts,
      maxSize,
      patience,
      ended: (parts, outcome) => this.#ended(exchange, conversation, run, parts, outcome),
      failed: (error) => reportFailure(exchange, error, "Cannot finish an answer"),
      hold: (promise) => hold(exchange.draft, promise),
    });
    // An answer is written on behalf of the user who has asked.
    const forget = whenSessionEnds(exchange, (reason) => {
      if (reason === "renamed") return;
      this.stop(exchange, conversation).catch((error) => reportFailure(exchange, error, "Cannot stop an answer"));
    });
    const done = producer.run(source).finally(() => {
      forget();
      this.#running.delete(run.id);
    });
    this.#running.set(run.id, { producer, done });
    hold(exchange.draft, done);
  }

  async #ended<C>(
    exchange: Exchange<C>,
    { id, owner }: Conversation,
    run: Run,
    parts: readonly Part[],
    outcome: Outcome,
  ): Promise<void> {
    const answer = { ID: id, Owner: owner, MessageID: messageIDOf(parts, run.id), Parts: parts, Outcome: outcome };
    try {
      await this.#settings.OnEnd?.(answer);
    } catch (error) {
      reportFailure(exchange, error, "Cannot report the end of an answer");
    }
  }

  async #drain(until: number): Promise<void> {
    const share = DRAIN_SHARE * (until - performance.now());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, Math.max(0, share)));
    await Promise.race([this.#settled(), late]);
    clearTimeout(timer);
    await this.close();
  }

  async #settled(): Promise<void> {
    await Promise.all(Array.from(this.#running.values(), ({ done }) => done));
  }
}
