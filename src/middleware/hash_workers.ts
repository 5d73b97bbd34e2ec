/**
 * Threads that compute password hashes. Loaded with the first hash.
 *
 * @module
 */

import { Worker } from "node:worker_threads";

/** A call of a function of `hash-wasm`. */
export interface HashJob {
  readonly name: "argon2id" | "argon2Verify" | "bcryptVerify";
  readonly options: Readonly<Record<string, unknown>>;
}

/** The result of a job, or the reason why it failed. */
type Outcome = { readonly value: unknown } | { readonly error: string };

/** A job that waits for a thread, or runs in one. */
interface Waiting {
  readonly job: HashJob;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * The program of a thread. As a data URL, it needs no read permission and is part of compiled programs. Its package is
 * also imported by `hash_queue.ts`, so that it is downloaded together with fw.
 */
const program = `
import { parentPort } from "node:worker_threads";
import * as hashes from "npm:hash-wasm@^4";
parentPort.on("message", async ({ name, options }) => {
  try {
    parentPort.postMessage({ value: await hashes[name](options) });
  } catch (error) {
    parentPort.postMessage({ error: error.message });
  }
});
`;

/** Reports that no thread can be started, for example because the package is missing. */
export class NoThread extends Error {}

/** A thread that runs one job at a time. It keeps the process alive only during a job. */
class Thread {
  readonly #worker = new Worker(
    new URL(`data:application/javascript,${encodeURIComponent(program)}`),
    // By default, the thread would ask for all environment variables.
    { env: {} },
  );
  #current: Waiting | undefined = undefined;
  isBroken = false;

  /** Starts a thread. Calls a function whenever it is idle. */
  constructor(idle: () => void) {
    this.#worker.unref();
    this.#worker.on("message", (outcome: Outcome) => {
      const current = this.#end();
      if ("value" in outcome) current?.resolve(outcome.value);
      else current?.reject(new Error(outcome.error));
      idle();
    });
    const fail = (cause?: unknown) => {
      this.isBroken = true;
      this.#end()?.reject(new NoThread("Cannot hash a password: its thread has ended", { cause }));
      idle();
    };
    this.#worker.on("error", fail);
    this.#worker.on("exit", () => fail());
  }

  get isIdle(): boolean {
    return this.#current === undefined;
  }

  run(waiting: Waiting): void {
    this.#current = waiting;
    this.#worker.ref();
    this.#worker.postMessage(waiting.job);
  }

  #end(): Waiting | undefined {
    const current = this.#current;
    this.#current = undefined;
    this.#worker.unref();
    return current;
  }
}

/** The threads of the process. They are started when they are needed. */
export class HashThreads {
  readonly #most: number;
  readonly #queue: Waiting[] = [];
  #threads: Thread[] = [];

  /** Creates a pool with a maximum number of threads. One processor is left for the event loop. */
  constructor(most: number = Math.max(1, Math.min(4, navigator.hardwareConcurrency - 1))) {
    this.#most = most;
  }

  /** Runs a job in the next idle thread. Rejects with {@linkcode NoThread} if there is none. */
  run(job: HashJob): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    this.#threads = this.#threads.filter(({ isBroken }) => !isBroken);
    const [first] = this.#queue;
    if (first === undefined) return;
    const idle = this.#threads.find(({ isIdle }) => isIdle);
    if (idle === undefined && this.#threads.length >= this.#most) return;
    this.#queue.shift();
    try {
      (idle ?? this.#start()).run(first);
    } catch (cause) {
      first.reject(new NoThread("Cannot hash a password: its thread cannot be started", { cause }));
    }
  }

  #start(): Thread {
    const thread = new Thread(() => this.#next());
    this.#threads.push(thread);
    return thread;
  }
}
