/**
 * How a request ends: what is to be done when its handlers have finished, what when its response has left, and what when its
 * client leaves before.
 *
 * @module
 */

import { isThenable } from "../base/promises.ts";

/** Something to do at the end of a request. */
type Task = () => void | Promise<void>;

/** The tasks of one request. */
export class EndTasks {
  before: Task[] = [];
  /** Run when all of `before` are done, last given first: what was registered nearer to the handler sees it first. */
  send: Task[] = [];
  after: Task[] = [];
}

/** What has tasks for its end, created on first use: a request. */
export interface Ending {
  tasks: EndTasks | undefined;
}

/**
 * Runs a task when the handlers have finished and before the response leaves; it may still change the response. A
 * failure there is a failure of the request.
 */
export function beforeResponse(ending: Ending, task: Task): void {
  (ending.tasks ??= new EndTasks()).before.push(task);
}

/**
 * Runs a task when everything else of the response is settled, session cookies included, and before it leaves. Tasks run
 * last given first, as a response passes middleware from the inside out.
 */
export function beforeSending(ending: Ending, task: Task): void {
  (ending.tasks ??= new EndTasks()).send.push(task);
}

/**
 * Runs a task when the response has left, or could not: however the request ended. Tasks run last given first, and a
 * failure is only logged.
 */
export function afterResponse(ending: Ending, task: Task): void {
  (ending.tasks ??= new EndTasks()).after.push(task);
}

/**
 * Runs the tasks that may still change the response, in the order they were given; a task may add further ones.
 *
 * @returns A promise only if one of them is asynchronous.
 */
export function runBefore(tasks: EndTasks): Promise<void> | undefined {
  for (let task = nextTask(tasks); task !== undefined; task = nextTask(tasks)) {
    const waiting = task();
    if (isThenable(waiting)) return runRest(tasks, waiting);
  }
  return undefined;
}

async function runRest(tasks: EndTasks, waiting: Promise<void>): Promise<void> {
  await waiting;
  for (let task = nextTask(tasks); task !== undefined; task = nextTask(tasks)) await task();
}

function nextTask(tasks: EndTasks): Task | undefined {
  return tasks.before.shift() ?? tasks.send.pop();
}

/** Runs the tasks for after the response, last given first, each whatever the others did. */
export async function runAfter(tasks: EndTasks, report: (error: unknown) => void): Promise<void> {
  for (let task = tasks.after.pop(); task !== undefined; task = tasks.after.pop()) {
    try {
      await task();
    } catch (error) {
      report(error);
    }
  }
}

// Notices a client that leaves before it has the whole response.
//
// Deno aborts `request.signal` at the end of every request, also of one that went well, and settles `completed` alike in
// both cases. So an abort counts only until the response is handed over, and from then on the stream of its body does:
// a client that leaves cancels it. Of a response that is not a stream nothing can be told once it is handed over.

/** Watches one request. Reading `request.signal` costs 22 µs, so it exists only where it is asked for. */
export class ClientWatch {
  readonly #controller = new AbortController();
  readonly #incoming: AbortSignal;
  readonly #leave: () => void;
  #isGone = false;

  constructor(request: Request) {
    this.#leave = () => {
      this.#isGone = true;
      this.#controller.abort(new DOMException("The client has gone", "AbortError"));
    };
    this.#incoming = request.signal;
    this.#incoming.addEventListener("abort", this.#leave, { once: true });
    if (this.#incoming.aborted) this.#leave();
  }

  /** Aborted when the client has gone, or when the handlers have used up their time. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs a task when the client has gone. */
  whenGone(task: () => void): void {
    this.signal.addEventListener("abort", () => this.#isGone && task(), { once: true });
  }

  /** Tells the handlers that their time is used up. */
  expire(): void {
    this.#controller.abort(new DOMException("The handlers take too long", "TimeoutError"));
  }

  /** Follows the response on its way: from now on only its stream tells. */
  follow(response: Response, isStreamed: boolean): Response {
    this.#incoming.removeEventListener("abort", this.#leave);
    if (!isStreamed || response.body === null || response.status === 101) return response;
    const reader = response.body.getReader();
    const leave = this.#leave;
    const watched = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel(reason) {
        leave();
        return reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
    return new Response(watched, response);
  }
}
