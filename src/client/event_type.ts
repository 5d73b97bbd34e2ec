/**
 * An event as a client receives it.
 *
 * @module
 */

/** A server-sent event. */
export interface ReceivedEvent<Data = unknown> {
  /** The id; empty if it has none. */
  readonly ID: string;
  /** The name; `message` if it has none. */
  readonly Name: string;
  /** The data: what JSON holds, or a string. */
  readonly Data: Data;
}
