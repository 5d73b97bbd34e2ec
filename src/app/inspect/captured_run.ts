/**
 * Captures the applications that a program runs, for tools that only inspect them. Nothing listens then.
 *
 * @module
 */

/** Called with an application instead of running it. `undefined` except in such tools. */
export let takeRun: ((app: object) => Promise<never>) | undefined = undefined;

/**
 * Captures the applications that `Run` is called on from now on.
 *
 * @returns The first application. Its `Run` never resolves, because the code after it expects a server that has ended.
 */
export function captureRun(): Promise<object> {
  const { promise, resolve } = Promise.withResolvers<object>();
  takeRun = (app) => {
    resolve(app);
    return new Promise(() => {});
  };
  return promise;
}
