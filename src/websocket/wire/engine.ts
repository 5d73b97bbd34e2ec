/**
 * The message types of Engine.IO, which are the first character of a message.
 *
 * @module
 */

/** The message types of Engine.IO. */
export const Engine = {
  Open: "0",
  Close: "1",
  Ping: "2",
  Pong: "3",
  Message: "4",
  Upgrade: "5",
  Noop: "6",
} as const;
