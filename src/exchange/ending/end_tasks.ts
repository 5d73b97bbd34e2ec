/**
 * Tasks to run at the end of a request, either when its handlers have finished or when its response has been sent.
 *
 * @module
 */

import { inContext } from "../../async/async_context.ts";
import { isThenable } from "../../async/thenable.ts";
import { type Draft, hold, isShut } from "../../response/draft.ts";
import { runAsOwner, writeAsOwner, type Written } from "./writers.ts";

/** A task to run at the end of a request. */
type Task = () => void | Promise<void>;

/** The end tasks of a request. */
export class EndTasks {
  before: Task[] = [];
  /** The tasks to run when all tasks in `before` are done, in reverse order of registration. */
  send: Task[] = [];
  after: Task[] = [];
  /** The tasks that dispose of values. They run when all tasks in `after` and everything that uses the values ended. */
  last: Task[] = [];
  /** Whether all tasks in `after` and `last` have run. */
  isOver = false;
}

/** A request that has end tasks, created on first use. */
export interface Ending extends Written {
  readonly draft: Draft;
  tasks: EndTasks | undefined;
}

/**
 * Registers a task to run when the handlers have finished, before the response is sent. The task may change the
 * response, and its failure fails the request. After an `await`, the task must write with `writeAsOwner`.
 */
export function beforeResponse(ending: Ending, task: Task): void {
  if (!isShut(ending.draft)) (ending.tasks ??= new EndTasks()).before.push(task);
}

/**
 * Registers a task to run just before the response is sent, when everything else has been set, including session
 * cookies. Tasks run in reverse order of registration, like middleware on the way out.
 */
export function beforeSending(ending: Ending, task: Task): void {
  if (!isShut(ending.draft)) (ending.tasks ??= new EndTasks()).send.push(task);
}

/** Registers a task like {@linkcode beforeSending} that may also write to the response after an `await`. */
export function onSend(ending: Ending, task: Task): void {
  beforeSending(ending, () => runAsOwner(ending, task));
}

/**
 * Registers a task to run when the response has been sent or has failed. Tasks run in reverse order of registration, in
 * the asynchronous context in which they were registered, and their errors are only logged. If the request is already
 * over, for example in a handler that continues after its timeout, the task runs immediately.
 */
export function afterResponse(ending: Ending & FailureLog, task: Task): void {
  if (isOver(ending)) return void Promise.try(task).catch((error) => ending.reportEndFailure(error));
  (ending.tasks ??= new EndTasks()).after.push(inContext(task));
}

/**
 * Registers a task that disposes of a value when nothing uses it anymore: the response has been sent, its source is
 * closed, and handlers that were abandoned by a timeout have ended. Otherwise, it is like {@linkcode afterResponse}.
 */
export function afterUse(ending: Ending & FailureLog, task: Task): void {
  if (isOver(ending)) return void Promise.try(task).catch((error) => ending.reportEndFailure(error));
  (ending.tasks ??= new EndTasks()).last.push(inContext(task));
}

/**
 * Delays the tasks registered with {@linkcode afterUse} until a promise is settled. Used for handlers that continue
 * after their response was decided.
 */
export function holdValues(ending: Ending, promise: Promise<unknown>): void {
  ending.tasks ??= new EndTasks();
  hold(ending.draft, promise);
}

/** A request that logs tasks which fail after the response was sent. */
export interface FailureLog {
  reportEndFailure(error: unknown): void;
}

function isOver({ draft, tasks, writers }: Ending): boolean {
  const isSent = draft.gate !== undefined && writers === undefined;
  return isSent && (tasks === undefined || tasks.isOver);
}

/** Registers a user's task to run when the response has been sent. The task may still read the request headers. */
export function onClose(ending: Ending & FailureLog & { readonly request: Request }, task: Task): void {
  // Deno only keeps the headers after the response if they have been read before.
  void ending.request.headers;
  afterResponse(ending, task);
}

/**
 * Runs the tasks that may still change the response, in order of registration. Each task runs even if others fail, and
 * a task may add further tasks.
 *
 * @param ending The request.
 * @param failed Called with each failure. Returns a promise if it has to write an error page.
 * @returns A promise only if any task is asynchronous. It does not reject.
 */
export function runBefore(ending: Ending, failed: Failed): Promise<void> | undefined {
  const { tasks } = ending;
  if (tasks === undefined) return undefined;
  for (let task = nextTask(tasks); task !== undefined; task = nextTask(tasks)) {
    const waiting = attempt(ending, task, failed);
    if (waiting !== undefined) return runRest(ending, tasks, waiting, failed);
  }
  return undefined;
}

/** Handles a task that failed. */
type Failed = (error: unknown) => Promise<void> | undefined;

async function runRest(ending: Ending, tasks: EndTasks, waiting: Promise<void>, failed: Failed): Promise<void> {
  await waiting;
  for (let task = nextTask(tasks); task !== undefined; task = nextTask(tasks)) await attempt(ending, task, failed);
}

function attempt(ending: Ending, task: Task, failed: Failed): Promise<void> | undefined {
  try {
    const waiting = writeAsOwner(ending, task);
    return isThenable(waiting) ? waiting.then(undefined, failed) : undefined;
  } catch (error) {
    return failed(error);
  }
}

function nextTask(tasks: EndTasks): Task | undefined {
  return tasks.before.shift() ?? tasks.send.pop();
}

/**
 * Runs the tasks registered with `afterResponse`, in reverse order of registration. Each task runs even if others fail.
 */
export function runAfter({ after }: EndTasks, report: (error: unknown) => void): Promise<void> {
  return runAll(after, report);
}

/** Runs the tasks registered with `afterUse`, in reverse order of registration, as soon as nothing holds the values. */
export async function runLast(tasks: EndTasks, draft: Draft, report: (error: unknown) => void): Promise<void> {
  // A handler that continues after its timeout may open another stream.
  for (let count = 0; count < (draft.holds?.length ?? 0);) {
    count = draft.holds?.length ?? 0;
    await Promise.all(draft.holds ?? []);
  }
  // Tasks may have been registered in the meantime.
  await runAll(tasks.after, report);
  await runAll(tasks.last, report);
  tasks.isOver = true;
}

async function runAll(tasks: Task[], report: (error: unknown) => void): Promise<void> {
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    try {
      await task();
    } catch (error) {
      report(error);
    }
  }
}
