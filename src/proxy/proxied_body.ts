/**
 * The body of a proxied response.
 *
 * @module
 */

/** The conditions under which a body is passed on. */
export interface BodyTerms {
  /** The maximum number of bytes. */
  readonly limit: number;
  /** The maximum time between two parts, in milliseconds, or 0. */
  readonly idle: number;
  /** Ends the body as if it were complete. */
  readonly leaving: AbortSignal | undefined;
  /** Called if the body ends early. */
  failed(error: Error): void;
}

type Chunk = Uint8Array<ArrayBuffer>;

/** Passes on a body. Reading ahead would keep the data of slow clients in memory, so nothing is buffered. */
export function proxiedBody(body: ReadableStream<Chunk>, terms: BodyTerms): ReadableStream<Chunk> {
  const reader = body.getReader();
  const { limit, idle, leaving, failed } = terms;
  let count = 0;
  let isOver = false;
  return new ReadableStream<Chunk>({
    start(controller) {
      leaving?.addEventListener("abort", () => {
        if (isOver) return;
        isOver = true;
        controller.close();
        reader.cancel().catch(() => {});
      }, { once: true });
    },
    async pull(controller) {
      try {
        const { done, value } = await inTime(reader.read(), idle);
        if (isOver) return;
        if (!done) count += value.length;
        if (count > limit) throw new RangeError(`The response of the upstream server exceeds ${limit} bytes`);
        if (!done) return controller.enqueue(value);
        isOver = true;
        controller.close();
      } catch (thrown) {
        if (isOver) return;
        isOver = true;
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        failed(error);
        controller.error(error);
        reader.cancel().catch(() => {});
      }
    },
    cancel(reason) {
      isOver = true;
      // The signal of the request may have ended the body already.
      return reader.cancel(reason).catch(() => {});
    },
  }, { highWaterMark: 0 });
}

async function inTime<T>(reading: Promise<T>, idle: number): Promise<T> {
  if (idle <= 0) return await reading;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new DOMException(`The upstream server sent nothing for ${idle} ms`, "TimeoutError")),
    idle,
  );
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
