/**
 * Defines the type of received server-sent events.
 *
 * @module
 */

/** A received server-sent event. */
export interface ReceivedEvent<Data = unknown> {
  /** The event ID, or an empty string if there is none. */
  readonly ID: string;
  /**
   * The event name.
   *
   * @default {"message"}
   */
  readonly Name: string;
  /** The event data: the parsed JSON, or a string. */
  readonly Data: Data;
}
