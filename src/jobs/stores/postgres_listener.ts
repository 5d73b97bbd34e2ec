/**
 * Listens for notifications from PostgreSQL.
 *
 * @module
 */

/**
 * Listens on a channel of PostgreSQL with the client of the application.
 *
 * @param channel The channel.
 * @param wake Must be called for every notification.
 * @param lost Must be called if the connection is lost, unless the client listens again by itself.
 * @returns A function that stops listening.
 */
export type Listen = (channel: string, wake: () => void, lost: () => void) => PromiseLike<() => unknown>;

/** The time before the next attempt to listen, in milliseconds. Until then, the queue asks for jobs regularly. */
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
  let stop: (() => unknown) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  async function begin(): Promise<void> {
    let isLost = false;
    const lost = () => {
      if (isLost || isStopped) return;
      isLost = true;
      void ignoreFailure(stop);
      stop = undefined;
      timer = setTimeout(begin, retryDelay);
    };
    try {
      const end = await listen(channel, wake, lost);
      if (isStopped || isLost) await end();
      else stop = end;
      // Notifications may have been missed before.
      wake();
    } catch {
      lost();
    }
  }
  await begin();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await ignoreFailure(stop);
  };
}

/** Stops listening on a connection that may be lost. */
async function ignoreFailure(stop: (() => unknown) | undefined): Promise<void> {
  try {
    await stop?.();
  } catch {
    // The connection is gone, and so is its subscription.
  }
}
