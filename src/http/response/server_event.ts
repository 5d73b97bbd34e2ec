/**
 * A server-sent event.
 *
 * @module
 */

import { count, type Option, text } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";

/** Options for {@linkcode NewEvent}. */
export interface EventOptions {
  /** The ID that the browser sends as `Last-Event-ID` when it reconnects. */
  readonly ID?: string;
  /**
   * The event name for `addEventListener`.
   *
   * @default {"message"}
   */
  readonly Name?: string;
  /** The time that the browser waits before reconnecting, in milliseconds. */
  readonly Retry?: number;
}

/** The rule for the time that a browser waits before reconnecting. */
export const retryOption: Option<number, undefined> = count(undefined, { from: 0 });
const table = optionTable<EventOptions>("EventOptions", "an event")({
  ID: text(""),
  Name: text(),
  Retry: retryOption,
});

/** A server-sent event, created by {@linkcode NewEvent}. */
export class ServerEvent<Data = unknown> {
  /** The event's data. Strings are sent unchanged, line by line. Other values are sent as JSON. */
  readonly Data: Data;
  /** The ID that the browser sends when it reconnects, or an empty string for none. */
  readonly ID: string;
  /** The event name, or an empty string for a `message` event. */
  readonly Name: string;
  /**
   * The time that the browser waits before reconnecting, in milliseconds. If `undefined`, the browser keeps its current
   * setting.
   */
  readonly Retry: number | undefined;

  /** Creates an event. Throws if a field would break the lines of the stream. */
  constructor(data: Data, options: EventOptions = {}) {
    this.Data = data;
    const { ID, Name = "", Retry } = readOptions(table, options);
    this.ID = checkLine("id", ID);
    this.Name = checkLine("name", Name);
    this.Retry = Retry;
  }
}

/** Sets the ID that the browser sends when it reconnects, without an event. */
export class EventID {
  readonly id: string;

  constructor(id: string) {
    this.id = checkLine("id", id);
  }
}

/**
 * Creates an event for {@linkcode Context.Events}.
 *
 * @example
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/prices", (ctx) => ctx.Events([fw.NewEvent({ cents: 150 }, { ID: "7", Name: "price" })]));
 *
 * const response = await app.fetch(new Request("http://localhost/prices"));
 * await response.text(); // → ':\n\nid: 7\nevent: price\ndata: {"cents":150}\n\n'
 * ```
 *
 * @param data A string, or a value that is sent as JSON.
 * @param options The ID, the name, and the reconnection time.
 * @returns The event.
 */
export function NewEvent<Data>(data: Data, options?: EventOptions): ServerEvent<Data> {
  return new ServerEvent(data, options);
}

function checkLine(noun: string, text: string): string {
  if (!/[\0\r\n]/.test(text)) return text;
  throw new FrameworkError(
    "FW_HEADER",
    `Cannot send an event: its ${noun} "${text}" contains a line break or a NUL character`,
  );
}
