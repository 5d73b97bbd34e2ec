/**
 * Reads the fields of received packets. Clients may send anything.
 *
 * @module
 */

import { HTTPError } from "../../errors/errors.ts";
import type { Position } from "../../live/backplane.ts";

/** The maximum length of the name of a room, event or namespace. */
export const MAX_NAME = 256;
const MAX_EPOCH = 64;

/** Reads a name. */
export function text(value: unknown): string {
  if (typeof value === "string" && value.length <= MAX_NAME) return value;
  throw new HTTPError(400, "The message is malformed");
}

/** Reads a number of messages. If omitted, it is 0. */
export function countOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new HTTPError(400, "The message is malformed");
}

/** Reads a position. Returns `undefined` if it is not valid. */
export function positionOf(epoch: unknown, offset: unknown): Position | undefined {
  if (typeof epoch !== "string" || epoch.length > MAX_EPOCH) return undefined;
  return Number.isSafeInteger(offset) && Number(offset) >= 0 ? { Epoch: epoch, Offset: Number(offset) } : undefined;
}
