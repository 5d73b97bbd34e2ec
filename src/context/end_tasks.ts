/**
 * What is to be done at the end of a request: when its handlers have finished, and when its response has left.
 *
 * @module
 */

import { isThenable } from "../base/thenable.ts";

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
 * Runs a task when everything else of the response is settled, session cookies included, and before it leaves. Tasks
 * run last given first, as a response passes middleware from the inside out.
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

/** Runs a task of a program when the response has left; it may still read the headers of the request. */
export function onClose(ending: Ending & { readonly request: Request }, task: Task): void {
  // Deno keeps them beyond the response only where they were handed out before it.
  void ending.request.headers;
  afterResponse(ending, task);
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
