/**
 * Reads the source of an answer until it ends or is aborted.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import type { AnswerSource, Part, PartsAt } from "./part.ts";

type Item = Part | string | PartsAt;

const stopped = Symbol("stopped");

/**
 * Yields the items of a source. Ends if the signal is aborted, even if the source is waiting.
 *
 * @param source The source. It is closed at the end.
 * @param signal The signal that is passed to the model.
 * @param hold Delays the disposal of the request's values until the source is closed.
 */
export async function* sourceParts(
  source: AnswerSource,
  signal: AbortSignal,
  hold: (promise: Promise<unknown>) => void,
): AsyncGenerator<Item> {
  const items: AsyncIterable<Item> | Iterable<Item> = source instanceof Response ? readResponse(source) : source;
  const iterator = iteratorOf(items);
  const end = Promise.withResolvers<typeof stopped>();
  const stop = () => end.resolve(stopped);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let next: Promise<IteratorResult<Item>> | undefined;
  try {
    for (;;) {
      next = Promise.try(() => iterator.next());
      // The promise may reject after it is no longer awaited.
      next.catch(ignore);
      const result = await Promise.race([next, end.promise]);
      if (result === stopped || result.done === true) return;
      yield result.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    hold(Promise.allSettled([Promise.try(() => iterator.return?.()), next]));
  }
}

function iteratorOf(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterator<Item> | Iterator<Item> {
  if (typeof items === "object" && items !== null) {
    if (Symbol.asyncIterator in items) return items[Symbol.asyncIterator]();
    if (Symbol.iterator in items) return items[Symbol.iterator]();
  }
  throw new FrameworkError("FW_RETURN", "Cannot record an answer: its source is not a stream of parts");
}

/** Reads the parts of a response in the format of the AI SDK. */
async function* readResponse(response: Response): AsyncGenerator<Part> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new FrameworkError("FW_RETURN", `Cannot record an answer: the response has status "${response.status}"`);
  }
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).replaceAll("\r\n", "\n").split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = dataOf(event);
      if (data === "[DONE]") return;
      if (data !== "") yield JSON.parse(data);
    }
  }
}

/** Returns the data of a server-sent event. */
function dataOf(event: string): string {
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice(line.startsWith("data: ") ? 6 : 5)).join("\n");
}

function ignore(): void {}
