/**
 * A source for decompressed bodies.
 *
 * @module
 */

import { BodyClock } from "./body_clock.ts";
import { malformed } from "./body_errors.ts";
import { Source } from "./source.ts";
import { unpack } from "./unpack.ts";

/** The timeout settings for decompressed bodies. The limits already apply to the compressed bytes. */
const patient = { MinRate: 0, Grace: 0, Total: 0 };

/**
 * Creates a source of decompressed bytes, with the same size limit as the compressed source.
 *
 * @param packed The compressed source.
 * @param coding The content coding.
 * @returns The source.
 */
export function unpackedSource(packed: Source, coding: string): Source {
  const bytes = unpack(packed, coding);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    // Calling the generator's return() would wait for the read in flight.
    cancel: () => packed.cancel(),
  }, { highWaterMark: 0 });
  return new Source({ body, bodyUsed: false }, {
    limit: packed.limit,
    clock: new BodyClock(patient),
    failure: (cause) => malformed("read the request body", `it cannot be decompressed as "${coding}"`, cause),
  });
}
