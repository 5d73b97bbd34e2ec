/**
 * Runs statements and listens for notifications with a PostgreSQL client of the application.
 *
 * @module
 */

import { type ErrorCode, FrameworkError } from "../../base/errors/errors.ts";
import { waitAtMost } from "../../http/server/wait.ts";

/**
 * Listens on a channel of PostgreSQL with the client of the application.
 *
 * @param channel The channel.
 * @param wake Must be called for every notification.
 * @param lost Must be called if the connection is lost, unless the client listens again by itself.
 * @returns A function that stops listening.
 */
export type Listen = (channel: string, wake: () => void, lost: () => void) => PromiseLike<() => unknown>;

/** The time before the next attempt to listen, in milliseconds. Until then, nothing is notified. */
const retryDelay = 1000;

/**
 * Listens until it is stopped, and again after a connection was lost.
 *
 * @param listen Listens with the client of the application.
 * @param channel The channel.
 * @param wake Called for every notification.
 * @returns A function that stops.
 */
export async function keepListening(listen: Listen, channel: string, wake: () => void): Promise<() => Promise<void>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The subscription, or `undefined` if the connection was lost or listening was stopped. */
  let current: Promise<() => unknown> | undefined;
  async function end(): Promise<void> {
    const ending = current?.then((unlisten) => unlisten());
    current = undefined;
    // If the connection is lost, so is its subscription.
    await ending?.catch(() => {});
  }
  function begin(): Promise<void> {
    const lost = () => {
      if (current !== subscription) return;
      void end();
      timer = setTimeout(begin, retryDelay);
    };
    const subscription = current = Promise.resolve().then(() => listen(channel, wake, lost));
    // Notifications may have been missed before.
    return subscription.then(wake, lost);
  }
  await begin();
  return async () => {
    clearTimeout(timer);
    // A client that cannot connect must not delay a shutdown.
    await waitAtMost(end(), retryDelay);
  };
}

/**
 * Runs a statement with the client of the application: `(text, values) => client.query(text, values)`.
 *
 * @param text The statement. It contains the placeholder `$1` at most once, and no other one.
 * @param values The value of the placeholder, if there is one.
 * @returns The rows, or an object whose property `rows` contains them.
 */
export type Query = (text: string, values: string[]) => PromiseLike<unknown>;

/** A pool, client or transaction of a PostgreSQL client, or a function that runs statements with it. */
export type Connection =
  | Query
  /** A pool or client of pg, or anything with the same method. */
  | { query(text: string, values: string[]): PromiseLike<unknown> }
  /** A connection or transaction of postgres.js. */
  | { unsafe(text: string, values: string[]): PromiseLike<unknown> };

/** Runs a statement and returns the value in the first column of the first row. */
export type Run = (text: string, ...values: string[]) => Promise<unknown>;

/**
 * Returns a function that runs statements.
 *
 * @param connection The connection.
 * @param act The purpose of the connection, such as `use the connection`. An error names it.
 * @param code The code of the error.
 */
export function runnerOf(connection: unknown, act: string, code: ErrorCode): Run {
  const { query, unsafe } = Object(connection) as Record<"query" | "unsafe", unknown>;
  const run = [query, unsafe, connection].find((each): each is Query => typeof each === "function");
  if (run !== undefined) {
    return async (text, ...values) => firstValue(await run.call(connection, text, values));
  }
  const clients = 'a pool, client or transaction of "npm:pg" or "npm:postgres"';
  const remedy = `pass ${clients}, or a function (text, values) => client.query(text, values)`;
  throw new FrameworkError(code, `Cannot ${act}: ${remedy}`);
}

function firstValue(result: unknown): unknown {
  const rows: unknown = Array.isArray(result) ? result : (result as { rows?: unknown } | undefined)?.rows;
  const [row]: unknown[] = Array.isArray(rows) ? rows : [];
  return Object.values(row ?? {})[0];
}

/** Returns the code that PostgreSQL gave an error, or `undefined`. Some clients wrap the error. */
export function codeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return undefined;
}
