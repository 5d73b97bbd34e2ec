/**
 * Waiting and trying again.
 *
 * @module
 */

import type { RetryOptions } from "./options.ts";

/** Methods that may take effect twice without harm. */
const idempotent = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE)$/;

/** How requests of a method are sent again. */
export function retryTerms(given: number | RetryOptions | undefined, method: string): Required<RetryOptions> {
  const { Times = 0, Delay = 200, Statuses = [408, 429, 502, 503, 504], AnyMethod = false } = typeof given === "number"
    ? { Times: given }
    : given ?? {};
  return { Times: AnyMethod || idempotent.test(method) ? Times : 0, Delay, Statuses, AnyMethod };
}

/** Reports whether a response asks for another try. */
export function isRetried(response: Response, { Statuses }: Required<RetryOptions>): boolean {
  return Statuses.includes(response.status);
}

/** The time to wait, in milliseconds: what the server asks for, or twice as long each time, spread by a half. */
export function retryDelay(response: Response | undefined, { Delay }: Required<RetryOptions>, tried: number): number {
  const asked = response?.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked) - Date.now()) / 1000;
  return seconds >= 0 ? seconds * 1000 : Delay * 2 ** tried * (1 - Math.random() / 2);
}

/** Waits; an abort ends it with the reason of the signal. */
export async function waitFor(milliseconds: number, signal: AbortSignal | null): Promise<void> {
  let timer;
  const waiting = () => new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
  try {
    await (signal === null ? waiting() : unlessAborted(signal, waiting));
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a task; an abort rejects at once with the reason of the signal, whatever the task does. */
export function unlessAborted<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    task().then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
