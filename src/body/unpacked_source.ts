/**
 * A source of what a compressed body unpacks to.
 *
 * @module
 */

import { BodyClock } from "./body_clock.ts";
import { malformed } from "./body_errors.ts";
import { Source } from "./source.ts";

/** What is packed has been waited for already. */
const patient = { MinRate: 0, Grace: 0, Total: 0 };

/**
 * Creates a source of unpacked bytes; as many of them may be read as of the packed ones.
 *
 * @param packed The body as it comes.
 * @param coding What it is packed with.
 * @returns The source.
 */
export function unpackedSource(packed: Source, coding: string): Source {
  const bytes = unpackedBytes(packed, coding);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    // Not by the generator's return(), which would wait for the read that is under way.
    cancel: () => packed.cancel(),
  }, { highWaterMark: 0 });
  return new Source({ body, bodyUsed: false }, {
    limit: packed.limit,
    clock: new BodyClock(patient),
    failure: (cause) => malformed("read the request body", `it cannot be unpacked as "${coding}"`, cause),
  });
}

/** Loads what unpacks when it is needed: few requests are compressed. */
async function* unpackedBytes(packed: Source, coding: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { unpack } = await import("./unpack.ts");
  yield* unpack(packed, coding);
}
