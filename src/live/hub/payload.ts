/**
 * The payload of live messages: the event name as JSON, a comma, and the data as JSON. Bytes are written as `null`,
 * followed by a Base64 string. A message for only some of a channel's subscribers, or with data that JSON alone cannot
 * express, begins with a line that describes them.
 *
 * @module
 */

import { checkText } from "../../base/config/option_table.ts";
import { bytesOf, isBytes } from "../../base/data/bytes.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Entrance } from "../../base/codec/refusal.ts";
import { encodeWithAttachments, encodeWithBase64 } from "../../base/codec/sent.ts";
import { Args, attach } from "./attachments.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";

/** The subscribers that a message is for. */
export interface Audience {
  /** The namespace whose connections receive a broadcast. If omitted, the default namespace. */
  readonly Namespace?: string;
  /** The ID of the user whose connections receive the message. If omitted, all connections receive it. */
  readonly User?: string;
  /** The IDs of the connections that do not receive the message. */
  readonly Except?: readonly string[];
  /** The rooms whose members do not receive the message. */
  readonly ExceptRooms?: readonly string[];
  /** The ID of a message in several channels. A connection receives it only once. */
  readonly Group?: string;
}

/** The first line of a message. */
export interface PayloadHead extends Audience {
  /** Whether the data is an array of several arguments. */
  readonly Args?: boolean;
  /** The bytes within the data, as Base64. */
  readonly Bytes?: readonly string[];
}

/** Precedes the bytes. */
const bytesMark = ",null,";

/**
 * Serializes an event. Its name must not contain line breaks, because server-sent events cannot express them.
 *
 * @throws {FrameworkError} If a part of the data cannot be sent.
 */
export function payloadOf(event: string, data: unknown, audience?: Audience): string {
  checkText(event, "event", "Publish");
  if (!isEventName(event)) {
    throw new FrameworkError("FW_LIVE", `Cannot publish the event ${JSON.stringify(event)}: it contains a line break`);
  }
  const attachments: Uint8Array<ArrayBuffer>[] = [];
  const value = isBytes(data)
    ? `null,"${bytesOf(data).toBase64()}"`
    : encodeWithAttachments(data, entranceOf(event), attachments);
  const extras = {
    ...data instanceof Args && { Args: true },
    ...attachments.length > 0 && { Bytes: attachments.map((bytes) => bytes.toBase64()) },
  };
  const head: PayloadHead | undefined = isComplex(extras) ? { ...audience, ...extras } : audience;
  return `${head === undefined ? "" : `${JSON.stringify(head)}\n`}${JSON.stringify(event)},${value}`;
}

/** Returns the place where the data of an event enters, for error messages. */
export function entranceOf(event: string): Entrance {
  return { act: `send the event ${JSON.stringify(event)}`, root: "Data", code: "FW_LIVE" };
}

/**
 * Splits a payload into its first line and its content. Unless the line describes arguments or bytes, codecs can insert
 * the content into a JSON array without parsing it.
 */
export function splitPayload(payload: string): readonly [head: PayloadHead | undefined, content: string] {
  // The content begins with the event name and has no line breaks, because it is JSON.
  if (payload.startsWith('"')) return [undefined, payload];
  const border = payload.indexOf("\n");
  return [JSON.parse(payload.slice(0, border)), payload.slice(border + 1)];
}

/** Reports whether the content of a payload has bytes, which are the last string and come after `null`. */
export function isBinary(content: string): boolean {
  if (!content.endsWith('"')) return false;
  // A quotation mark within a string is escaped, so the text before it ends with a backslash.
  const start = content.lastIndexOf('"', content.length - 2);
  return content.endsWith(bytesMark, start);
}

/** Parses the content of a payload. */
export function readContent(content: string, head: PayloadHead = {}): readonly [event: string, data: unknown] {
  const [event, data, bytes] = valuesOf(content);
  return [String(event), typeof bytes === "string" ? Uint8Array.fromBase64(bytes) : withBytes(data, head)];
}

/**
 * Returns the content in plain JSON, for clients that do not support several arguments and bytes within data. The bytes
 * become Base64 strings.
 */
export function plainContent(content: string, head: PayloadHead | undefined): string {
  if (head === undefined || !isComplex(head)) return content;
  const [event, data] = readContent(content, head);
  return `${JSON.stringify(event)},${encodeWithBase64(data, entranceOf(event))}`;
}

/** Reports whether the data has several arguments, or bytes within it. */
export function isComplex({ Args, Bytes }: PayloadHead): boolean {
  return Args === true || Bytes !== undefined;
}

function withBytes(data: unknown, { Args: isArgs, Bytes }: PayloadHead): unknown {
  const whole = Bytes === undefined ? data : attach(data, Bytes.map((text) => Uint8Array.fromBase64(text)))?.value;
  return isArgs === true && Array.isArray(whole) ? Args.from(whole) : whole;
}

/** A parsed message. */
export interface PayloadParts {
  readonly audience: Audience | undefined;
  readonly event: string;
  readonly data: unknown;
}

/**
 * Parses a payload that others may have written.
 *
 * @returns The message, or `undefined` if the payload is malformed.
 */
export function readPayload(payload: string): PayloadParts | undefined {
  try {
    const [head, content] = splitPayload(payload);
    const [event, data, bytes, ...rest] = valuesOf(content);
    const isBytes = isBinary(content);
    if (!isEventName(event) || data === undefined || isBytes !== (bytes !== undefined) || rest.length > 0) {
      return undefined;
    }
    const value = isBytes ? Uint8Array.fromBase64(String(bytes)) : withBytes(data, head ?? {});
    return value === undefined ? undefined : { audience: head, event, data: value };
  } catch {
    return undefined;
  }
}

/** Parses a payload for readers of text, with bytes as Base64 strings. */
export function readPlain(payload: string): PayloadParts | undefined {
  const found = readPayload(payload);
  if (found === undefined || !(isBytes(found.data) || payload.startsWith("{"))) return found;
  return { ...found, data: parseLossless(encodeWithBase64(found.data, entranceOf(found.event))) };
}

/** Reports whether a payload can be parsed. */
export function isPayload(payload: string): boolean {
  return readPayload(payload) !== undefined;
}

/** Parses the values of a payload. Integers that are not safe become bigints. */
function valuesOf(content: string): unknown[] {
  return parseLossless(`[${content}]`) as unknown[];
}

function isEventName(event: unknown): event is string {
  return typeof event === "string" && !/[\r\n\0]/.test(event);
}
