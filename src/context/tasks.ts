/**
 * What is to be done when the handlers are through, and what when the answer has left.
 *
 * @module
 */

import { isThenable } from "./chain.ts";

/** Something to do at the end of a request. */
export type Task = () => void | Promise<void>;

/** The tasks of one request. */
export class Tasks {
  before: Task[] = [];
  after: Task[] = [];
}

/**
 * Runs the tasks that may still change the answer, in the order they were given.
 *
 * @returns A promise only if one of them is asynchronous.
 */
export function runBefore(tasks: Tasks): Promise<void> | undefined {
  // Taken out one by one: a task that fails is not run again for the error page, and neither are those behind it.
  const { before } = tasks;
  tasks.before = [];
  for (let at = 0; at < before.length; at++) {
    const waiting = before[at]?.();
    if (isThenable(waiting)) return runRest(before, at + 1, waiting);
  }
  return undefined;
}

async function runRest(before: readonly Task[], from: number, waiting: Promise<void>): Promise<void> {
  await waiting;
  for (const task of before.slice(from)) await task();
}

/** Runs the tasks for after the answer, last given first, each whatever the others did. */
export async function runAfter(tasks: Tasks, report: (error: unknown) => void): Promise<void> {
  for (let task = tasks.after.pop(); task !== undefined; task = tasks.after.pop()) {
    try {
      await task();
    } catch (error) {
      report(error);
    }
  }
}
