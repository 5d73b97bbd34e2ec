/**
 * The ending of a request: its states, the transitions between them, and the code that may write to the response.
 *
 * A request ends exactly once. The handlers, a timeout or a shutdown decide the response, whichever comes first. From
 * then on, `finish.ts` does the work of each state and follows the table.
 *
 * A handler that was abandoned by a timeout cannot be given a detached draft: the middleware around it, the error
 * handlers and the end tasks hold the same context in their closures, and a draft of its own would need another one.
 * Only their asynchronous context tells them apart, so it decides who may write.
 *
 * @module
 */

import type { Draft, WriteGate } from "../../../http/response/draft.ts";
import type { EndingGate } from "../exchange.ts";
import { asyncScopes, type Branch, existingScopes } from "./async_scope.ts";

/** The states of a request. */
export type State = "open" | "page" | "check" | "bare" | "tasks" | "seal" | "mend" | "resend" | "sent" | "over";

/** The transitions from a state. */
interface Transitions {
  readonly done: State;
  /** The state after a failure. If omitted, the failure is an internal error. */
  readonly failed?: State;
}

/** The transitions from each state. */
export const transitions: Readonly<Record<State, Transitions>> = {
  // The handlers are running, and all code may write, except for branches that have timed out.
  open: { done: "tasks", failed: "page" },
  // The error handlers write the body of an error that has none. From here on, only the owner may write.
  page: { done: "check", failed: "check" },
  // fw writes the body if the error handlers did not, or if the client cannot use theirs.
  check: { done: "tasks", failed: "bare" },
  // fw could not write the body and writes the status text.
  bare: { done: "tasks" },
  // The end tasks run, such as those of sessions and recorders. If one fails, its error replaces the response.
  tasks: { done: "seal", failed: "page" },
  // The draft becomes the response.
  seal: { done: "sent", failed: "mend" },
  // The draft could not be sent, for example because a returned body has been read already. fw replaces the body.
  mend: { done: "resend" },
  // The new draft becomes the response.
  resend: { done: "sent" },
  // Nothing may write anymore. The tasks that wait for the response run when it has been sent.
  sent: { done: "over" },
  // All tasks have run, and tasks that are registered now run immediately.
  over: { done: "over" },
};

/** A task to run at the end of a request. */
export type Task = () => unknown;

/** The ending of a request. It is created on first use, because most requests end without any tasks or errors. */
export class Ending implements EndingGate {
  state: State;
  /** The tasks to run when the handlers have finished, in order of registration. */
  before: Task[] | undefined = undefined;
  /** The tasks to run when all tasks in `before` are done, in reverse order of registration. */
  send: Task[] | undefined = undefined;
  /** The tasks to run when the response has been sent, in reverse order of registration. */
  after: Task[] | undefined = undefined;
  /** The tasks that dispose of values. They run when all tasks in `after` and everything that uses the values ended. */
  last: Task[] | undefined = undefined;
  /** Whether a task in `before` or `send` has failed. */
  hasFailed = false;
  /**
   * The status of an error before its handlers have run, and the `Accept` header of its request. The latter is
   * `undefined` if the connection has been upgraded, so that no page is sent.
   */
  error: { readonly status: number; readonly accept: string | undefined } | undefined = undefined;
  /** Whether fw is doing the work of a state. No other code runs during that time. */
  isAtWork = false;
  /** The branch of error handlers and end tasks. */
  owner: Branch | undefined = undefined;
  /** The branches that have timed out. */
  closed: Branch[] | undefined = undefined;

  constructor(state: State) {
    this.state = state;
  }

  get isOpen(): boolean {
    return this.state === "open";
  }

  /** Reports whether the running code may write. */
  admits(): boolean {
    if (this.state === "sent" || this.state === "over") return false;
    if (this.isAtWork) return true;
    for (let branch = currentBranch(); branch !== undefined; branch = branch.parent) {
      if (branch === this.owner) return true;
      if (this.closed?.includes(branch)) return false;
    }
    return this.isOpen;
  }
}

/** A request that ends. */
export interface Ended extends WriteGate {
  readonly draft: Draft;
  ending: EndingGate | undefined;
}

/** Returns the ending of a request, or `undefined` if it has not been created. */
export function existingEnding({ ending }: Ended): Ending | undefined {
  // The request is below this folder and only knows the interface, which nothing else implements.
  return ending as Ending | undefined;
}

/** Returns the ending of a request. A request that has none although its draft has a gate is over. */
export function endingOf(ended: Ended): Ending {
  return existingEnding(ended) ?? (ended.ending = new Ending(ended.draft.gate === undefined ? "open" : "over"));
}

/** Returns the branch that the running code belongs to. */
export function currentBranch(): Branch | undefined {
  return existingScopes()?.branches.getStore();
}

/** Prevents a branch that has timed out from writing to a response. All other branches may still write. */
export function closeTo(ended: Ended, branch: Branch): void {
  (endingOf(ended).closed ??= []).push(branch);
  ended.draft.gate = ended;
}

/**
 * Runs a user's function that finishes a response, such as an error handler or an end task, and lets it write even
 * after an `await`.
 */
export function runAsOwner<T>(ended: Ended, run: () => T | Promise<T>): T | Promise<T> {
  const owner = endingOf(ended).owner ??= { parent: undefined };
  const module = asyncScopes();
  return module instanceof Promise
    ? module.then((own) => own.branches.run(owner, run))
    : module.branches.run(owner, run);
}

/** Runs a synchronous fw function that writes to a response after it has been decided. */
export function writeAsOwner<T>(ended: Ended, write: () => T): T {
  const ending = existingEnding(ended);
  if (ending === undefined) return write();
  const before = ending.isAtWork;
  ending.isAtWork = true;
  try {
    return write();
  } finally {
    ending.isAtWork = before;
  }
}
