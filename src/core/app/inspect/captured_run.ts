/**
 * Captures the applications that a program runs. Tools use this to inspect an application without starting a server.
 *
 * @module
 */

/** Called with an application instead of running it. Set only by such tools. */
export let takeRun: ((app: object) => Promise<never>) | undefined = undefined;

/**
 * Captures the next application that is started with `Run`.
 *
 * @returns The first application. Its `Run` method never resolves, because the code after it expects the server to have
 * ended.
 */
export function captureRun(): Promise<object> {
  const { promise, resolve } = Promise.withResolvers<object>();
  takeRun = (app) => {
    resolve(app);
    return new Promise(() => {});
  };
  return promise;
}
