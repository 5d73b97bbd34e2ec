/**
 * The JSON that fw sends to programs that may not be fw: webhooks, rooms and topics, WebSocket events and replies, and
 * tool results. It is plain JSON, without tags. Values without a complete JSON form are refused instead of changed.
 *
 * @module
 */

import { isThenable } from "../async/thenable.ts";
import { bytesOf, isBytes } from "../data/bytes.ts";
import { isCollection, plainCollection } from "../text/json.ts";
import type { Entrance } from "./refusal.ts";
import { hasToJSON, type Notation, Walk } from "./walk.ts";

/** Converts bytes for a notation. */
type WriteBytes = (bytes: Uint8Array<ArrayBuffer>) => unknown;

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };

const refusing: Notation = notationOf(undefined);
const base64: Notation = notationOf((bytes) => bytes.toBase64());

/**
 * Serializes a value as plain JSON. `undefined` becomes `null`, and bytes are refused.
 *
 * @param value The value.
 * @param entrance The place where the value enters, for the error message.
 * @throws {FrameworkError} If JSON cannot express a part of the value.
 */
export function encodeSent(value: unknown, entrance: Entrance): string {
  return encode(value, refusing, entrance);
}

/** Serializes a value as plain JSON, with bytes as Base64 strings. */
export function encodeWithBase64(value: unknown, entrance: Entrance): string {
  return encode(value, base64, entrance);
}

/**
 * Serializes a value as plain JSON. Bytes become attachments, with the placeholders of Socket.IO in their place.
 */
export function encodeWithAttachments(
  value: unknown,
  entrance: Entrance,
  attachments: Uint8Array<ArrayBuffer>[],
): string {
  const notation = notationOf((bytes) => ({ _placeholder: true, num: attachments.push(bytes) - 1 }));
  const text = encode(value, notation, entrance);
  // A receiver would take an object of the application for a placeholder.
  if (attachments.length > 0) encode(value, withoutLookalikes, entrance);
  return text;
}

const withoutLookalikes: Notation = {
  ...base64,
  inspect(value, walk) {
    if ("_placeholder" in value && value._placeholder === true) {
      walk.refuse(value, "looks like a placeholder for bytes, which the data also contains");
    }
  },
};

function encode(value: unknown, notation: Notation, entrance: Entrance): string {
  if (typeof value === "string") return JSON.stringify(value);
  return value === undefined ? "null" : JSON.stringify(new Walk(notation, entrance).value(value));
}

function isName(key: unknown): boolean {
  return typeof key === "string" || typeof key === "number";
}

function notationOf(writeBytes: WriteBytes | undefined): Notation {
  return {
    number: (value, walk) => Object.is(value, -0) ? rawJSON("-0") : walk.refuse(value),
    bigint: (value) => rawJSON(String(value)),
    missing: (walk) => walk.refuse(undefined),
    instance(value, walk) {
      if (isBytes(value)) return writeBytes?.(bytesOf(value)) ?? walk.refuse(value);
      if (value instanceof Date && Number.isNaN(value.getTime())) walk.refuse(value);
      if (value instanceof Map && !value.keys().every(isName)) {
        walk.refuse(value, "is a Map whose keys are not strings");
      }
      if (isCollection(value)) return walk.value(plainCollection(value));
      if (hasToJSON(value)) return walk.value(value.toJSON());
      if (Array.isArray(value)) return walk.items(value);
      // JSON.stringify would write these as {}, without an error.
      const isLost = value instanceof Error || isThenable(value) || Object.keys(value).length === 0;
      return isLost ? walk.refuse(value) : walk.members(value);
    },
    members: (value) => value,
    usesToJSON: true,
  };
}
