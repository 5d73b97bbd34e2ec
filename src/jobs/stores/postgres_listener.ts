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

/** Listens until it is stopped, and again after a connection was lost. */
export class Listener {
  readonly #listen: Listen;
  readonly #channel: string;
  readonly #wake: () => void;
  #stop: (() => unknown) | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #isStopped = false;

  constructor(listen: Listen, channel: string, wake: () => void) {
    this.#listen = listen;
    this.#channel = channel;
    this.#wake = wake;
  }

  /** Starts to listen. If that fails, tries again later. Returns a function that stops. */
  async start(): Promise<() => Promise<void>> {
    await this.#begin();
    return () => this.#end();
  }

  async #begin(): Promise<void> {
    let isLost = false;
    const lost = () => {
      if (isLost) return;
      isLost = true;
      this.#later();
    };
    try {
      const stop = await this.#listen(this.#channel, () => this.#wake(), lost);
      if (this.#isStopped || isLost) await stop();
      else this.#stop = stop;
      // Notifications may have been missed before.
      this.#wake();
    } catch {
      lost();
    }
  }

  #later(): void {
    const stop = this.#stop;
    this.#stop = undefined;
    if (this.#isStopped) return;
    void ignoreFailure(stop);
    this.#timer = setTimeout(() => this.#begin(), retryDelay);
  }

  async #end(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await ignoreFailure(this.#stop);
  }
}

/** Stops listening on a connection that may be lost. */
async function ignoreFailure(stop: (() => unknown) | undefined): Promise<void> {
  try {
    await stop?.();
  } catch {
    // The connection is gone, and so is its subscription.
  }
}
