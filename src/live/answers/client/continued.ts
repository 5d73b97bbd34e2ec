/**
 * The body of an answer, read across several connections.
 *
 * @module
 */

/** The initial and the maximum delay between two attempts to connect, in milliseconds. */
const RETRY_MS = 100;
const RETRY_MOST_MS = 2_000;

/** Requests the rest of an answer after a part. */
export type Reconnect = (lastID: string) => Promise<Response>;

/** The time limit for connecting, and the signal that ends the response. */
export interface Terms {
  readonly patience: number;
  readonly signal: AbortSignal | undefined;
}

/** Returns the whole events of an answer. If a connection ends before the answer, the next one continues it. */
export function continued(
  first: Response,
  reconnect: Reconnect,
  terms: Terms,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const events = eventsOf(first, reconnect, terms);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await events.return();
    },
  }, { highWaterMark: 0 });
}

async function* eventsOf(first: Response, reconnect: Reconnect, terms: Terms): AsyncGenerator<string, void, undefined> {
  let lastID = "";
  for (
    let response: Response | undefined = first;
    response !== undefined;
    response = await again(lastID, reconnect, terms)
  ) {
    for await (const event of wholeEvents(response)) {
      lastID = /^id: ?(.*)$/m.exec(event)?.[1] ?? lastID;
      yield `${event}\n\n`;
      if (/^data: ?\[DONE\]$/m.test(event)) return;
    }
    terms.signal?.throwIfAborted();
  }
}

/** Connects until the server responds. Returns `undefined` if there is nothing after the last part. */
async function again(lastID: string, reconnect: Reconnect, { patience, signal }: Terms): Promise<Response | undefined> {
  const end = performance.now() + patience;
  for (let pause = RETRY_MS;; pause = Math.min(2 * pause, RETRY_MOST_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal?.throwIfAborted();
    try {
      const response = await reconnect(lastID);
      if (response.status === 204) return undefined;
      if (response.ok) return response;
      await response.body?.cancel();
      // The server may be starting, but a refusal is final.
      if (response.status < 500) throw new Error(`Cannot continue the answer: the status is ${response.status}`);
    } catch (error) {
      if (!(error instanceof TypeError) || signal?.aborted === true) throw error;
    }
    if (performance.now() + pause > end) {
      throw new TypeError("Cannot continue the answer: the network is not available");
    }
  }
}

/** Yields the complete events of a response. Ends if the connection is lost, without the last, incomplete event. */
async function* wholeEvents(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const next = await reader?.read().catch(() => undefined);
      if (next === undefined || next.done) return;
      const events = (rest + next.value).split("\n\n");
      rest = events.pop() ?? "";
      yield* events;
    }
  } finally {
    await reader?.cancel().catch(() => {});
  }
}
