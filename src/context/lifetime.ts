/**
 * How other parts of fw get a word in at the end of a request.
 *
 * @module
 */

import { type Context, tasksOf } from "./context.ts";
import type { Task } from "./tasks.ts";

/**
 * Runs a task when the handlers are through and before the answer leaves; it may still change the answer. A failure
 * there is a failure of the request.
 */
export function beforeAnswer(ctx: Context, task: Task): void {
  tasksOf(ctx).before.push(task);
}

/**
 * Runs a task when the answer has left, or could not: however the request ended. Tasks run last given first, and a
 * failure is only logged.
 */
export function afterAnswer(ctx: Context, task: Task): void {
  tasksOf(ctx).after.push(task);
}
