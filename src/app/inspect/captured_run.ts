/**
 * Takes the applications that a program runs, for tools that only look at them: nothing listens then.
 *
 * @module
 */

/** What is done with an application in place of running it; `undefined` in every program but such a tool. */
export let takeRun: ((app: object) => Promise<never>) | undefined = undefined;

/**
 * Takes from now on what `Run` is called on.
 *
 * @returns The first application. Its `Run` never resolves, since what follows it in the program expects a server that
 * has ended.
 */
export function captureRun(): Promise<object> {
  const { promise, resolve } = Promise.withResolvers<object>();
  takeRun = (app) => {
    resolve(app);
    return new Promise(() => {});
  };
  return promise;
}
