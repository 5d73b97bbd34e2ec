/**
 * Server-sent events for tests.
 *
 * @module
 */

import { type EventFields, eventsIn } from "../../base/text/body_lines.ts";
import { inPatience } from "./patience.ts";

/** A received server-sent event. */
export interface TestEvent {
  /** The ID of the last event that has one, or an empty string if there is none. */
  readonly ID: string;
  /**
   * The event name.
   *
   * @default {"message"}
   */
  readonly Name: string;
  /** The data, as a string. */
  readonly Data: string;
  /** Parses the data as JSON. */
  JSON(): unknown;
}

/**
 * Opens an event stream.
 *
 * @param response The response.
 * @param what The request's method and path, for error messages.
 */
export async function openEvents(response: Response, what: string): Promise<TestEvents> {
  const { status, headers, body } = response;
  const type = headers.get("content-type") ?? "";
  if (status === 200 && body !== null && /^text\/event-stream\b/i.test(type)) {
    return new TestEvents({ body, headers, what });
  }
  // The body of another type may be endless, too.
  const reason = status === 200 ? `the content type is "${type}"` : `status ${status}, ${await response.text()}`;
  if (status === 200) await body?.cancel();
  throw new Error(`Cannot read the events of ${what}: ${reason}`);
}

/** An open event stream, created by {@linkcode Call.Events}. Close it at the end of the test. */
export class TestEvents {
  /** The response headers. */
  readonly Headers: Headers;
  readonly #what: string;
  readonly #events: AsyncGenerator<EventFields>;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  /** The event that was not received in time. */
  #coming: Promise<IteratorResult<EventFields>> | undefined = undefined;

  /**
   * Created by {@linkcode Call.Events}.
   *
   * @ignore
   */
  constructor({ body, headers, what }: {
    readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
    readonly headers: Headers;
    readonly what: string;
  }) {
    this.Headers = headers;
    this.#what = what;
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
    this.#events = eventsIn(new Response(readable));
    // An async generator cannot be ended while it waits for the next event, but the stream below it can.
    this.#ended = body.pipeTo(writable, { signal: this.#closing.signal }).catch(ignore);
  }

  /**
   * Waits for the next event.
   *
   * @returns The event.
   * @throws {Error} If the stream ends, or if no event arrives within 5 seconds.
   */
  async Next(): Promise<TestEvent> {
    this.#closing.signal.throwIfAborted();
    const what = `an event of ${this.#what}`;
    const { done, value } = await inPatience(this.#coming ??= this.#events.next(), what);
    this.#coming = undefined;
    if (done) throw new Error(`Expected ${what}, but the stream has ended`);
    const { id, name, data } = value;
    return { ID: id, Name: name, Data: data, JSON: () => JSON.parse(data) };
  }

  /**
   * Closes the stream, as a client that disconnects.
   *
   * @returns A promise that resolves when the stream is closed.
   */
  async Close(): Promise<void> {
    this.#closing.abort(new Error(`Cannot read the events of ${this.#what}: the test has closed the stream`));
    this.#coming?.catch(ignore);
    await this.#ended;
  }

  /** Closes the stream at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.Close();
  }
}

function ignore(): void {}
