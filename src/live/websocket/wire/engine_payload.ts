/**
 * The bodies of Engine.IO polling requests. A body contains one or more messages, and bytes are encoded as base64.
 *
 * @module
 */

import type { SocketMessage } from "./socket.ts";

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

const SEPARATOR = "\x1e";
/** The first character of an encoded binary message. */
const BINARY = "b";

/** Parses a request body. Returns `undefined` if it is malformed. */
export function readPolled(body: Uint8Array<ArrayBuffer>): (string | ArrayBuffer)[] | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    return text.split(SEPARATOR).map((part) =>
      part.startsWith(BINARY) ? Uint8Array.fromBase64(part.slice(BINARY.length)).buffer : part
    );
  } catch {
    return undefined;
  }
}

/** Serializes messages as a response body. */
export function writePolled(messages: readonly SocketMessage[]): string {
  return messages.map((each) => typeof each === "string" ? each : BINARY + each.toBase64()).join(SEPARATOR);
}
