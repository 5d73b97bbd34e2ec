/**
 * Parses the JSON of received messages like that of request bodies: without loss, and with the same depth limit.
 *
 * @module
 */

import { isTooDeep, maxDepth } from "../../body/source/read_whole.ts";
import { HTTPError } from "../../errors/errors.ts";
import { parseLossless } from "../../text/lossless_json.ts";

/**
 * Parses a message, which is a packet, an array of packets, or another value. Integers that a number cannot represent
 * exactly become bigints.
 *
 * @param text The message.
 * @returns The value. Items of a packet that are nested too deeply are replaced with an error, so that only this packet
 * is refused.
 * @throws {SyntaxError} If the message is not JSON.
 */
export function parseMessage(text: string): unknown {
  // A deep value is parsed without a reviver, which would overflow the stack.
  const value: unknown = JSON.parse(text);
  if (!isTooDeep(text, value)) return longInteger.test(text) ? parseLossless(text) : value;
  if (!Array.isArray(value)) return tooDeep();
  return Array.isArray(value[0]) ? value.map((packet) => shallow(packet, text)) : shallow(value, text);
}

/** A number can represent all integers with fewer digits exactly. */
const longInteger = /[1-9]\d{15}/;

function shallow(packet: unknown, text: string): unknown {
  return Array.isArray(packet) ? packet.map((item) => isTooDeep(text, item) ? tooDeep() : item) : packet;
}

function tooDeep(): HTTPError {
  return new HTTPError(400, `The values of the message are nested more than ${maxDepth} levels deep`);
}

/** Throws the error of data that is nested too deeply. */
export function assertReadable(data: unknown): void {
  if (data instanceof HTTPError) throw data;
}
