/**
 * What is to be done at the end of a request: when its handlers have finished, and when its response has left.
 *
 * @module
 */

import { isThenable } from "../../base/thenable.ts";
import { type Draft, isShut } from "../../response/draft.ts";
import { writeAsOwner, type Written } from "./writers.ts";

/** Something to do at the end of a request. */
type Task = () => void | Promise<void>;

/** The tasks of one request. */
export class EndTasks {
  before: Task[] = [];
  /** Run when all of `before` are done, last given first: what was registered nearer to the handler sees it first. */
  send: Task[] = [];
  after: Task[] = [];
  /** Whether all of `after` have run. */
  isOver = false;
}

/** What has tasks for its end, created on first use: a request. */
export interface Ending extends Written {
  readonly draft: Draft;
  tasks: EndTasks | undefined;
}

/**
 * Runs a task when the handlers have finished and before the response leaves; it may still change the response. A
 * failure there is a failure of the request. What the task writes after an `await` it writes by `writeAsOwner`.
 */
export function beforeResponse(ending: Ending, task: Task): void {
  if (!isShut(ending.draft)) (ending.tasks ??= new EndTasks()).before.push(task);
}

/**
 * Runs a task when everything else of the response is settled, session cookies included, and before it leaves. Tasks
 * run last given first, as a response passes middleware from the inside out.
 */
export function beforeSending(ending: Ending, task: Task): void {
  if (!isShut(ending.draft)) (ending.tasks ??= new EndTasks()).send.push(task);
}

/**
 * Runs a task when the response has left, or could not: however the request ended. Tasks run last given first, and a
 * failure is only logged. A handler that is late may have something to release too: its task runs at once.
 */
export function afterResponse(ending: Ending & FailureLog, task: Task): void {
  if (!isOver(ending)) (ending.tasks ??= new EndTasks()).after.push(task);
  else Promise.try(task).catch((error) => ending.reportEndFailure(error));
}

/** What is told of tasks that fail after the response: the request. */
export interface FailureLog {
  reportEndFailure(error: unknown): void;
}

function isOver({ draft, tasks, writers }: Ending): boolean {
  const isSent = draft.gate !== undefined && writers === undefined;
  return isSent && (tasks === undefined || tasks.isOver);
}

/** Runs a task of a program when the response has left; it may still read the headers of the request. */
export function onClose(ending: Ending & FailureLog & { readonly request: Request }, task: Task): void {
  // Deno keeps them beyond the response only where they were handed out before it.
  void ending.request.headers;
  afterResponse(ending, task);
}

/**
 * Runs the tasks that may still change the response, in the order they were given, each whatever the others do; a task
 * may add further ones.
 *
 * @param ending The request.
 * @param failed Told of each failure; returns a promise if it has to write an error page for it.
 * @returns A promise only if one of them is asynchronous. It does not reject.
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

/** What is done about a task that failed. */
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

/** Runs the tasks for after the response, last given first, each whatever the others did. */
export async function runAfter(tasks: EndTasks, report: (error: unknown) => void): Promise<void> {
  for (let task = tasks.after.pop(); task !== undefined; task = tasks.after.pop()) {
    try {
      await task();
    } catch (error) {
      report(error);
    }
  }
  tasks.isOver = true;
}
