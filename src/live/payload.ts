/**
 * The payload of live messages: the event name as JSON, a comma, and the data as JSON.
 *
 * @module
 */

import { toJSON } from "../text/json.ts";

/** Serializes an event. Codecs can insert the result into a JSON array without parsing it. */
export function payloadOf(event: string, data: unknown): string {
  return `${JSON.stringify(event)},${data === undefined ? "null" : toJSON(data)}`;
}

/** Parses the payload of an event. */
export function readPayload(payload: string): readonly [event: string, data: unknown] {
  return JSON.parse(`[${payload}]`);
}
