/**
 * JSON-RPC 2.0 messages, as used by the protocol.
 *
 * @module
 */

import { isJSONObject } from "../../../base/data/plain_object.ts";

/** The ID of a request, unique per client. */
export type MessageID = string | number | bigint;

/** An object of a message. */
export type Params = Readonly<Record<string, unknown>>;

/** A request, or a notification if it has no ID. */
export interface Message {
  readonly id: MessageID | undefined;
  readonly method: string;
  readonly params: Params;
}

/** A client's response to a request of the server. */
export interface ClientResponse {
  readonly id: unknown;
  readonly result: unknown;
  readonly error: unknown;
}

/** The JSON-RPC error codes, including those that the protocol adds. */
export const codes = {
  parse: -32700,
  invalid: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** Not part of revision 2026-07-28, which uses the code for parameters. */
  noResource: -32002,
  headers: -32020,
  capability: -32021,
  version: -32022,
  /** The code of the Language Server Protocol. The client has stopped waiting for this response. */
  canceled: -32800,
} as const;

/** An error response to a request. */
export class ProtocolError extends Error {
  readonly code: number;
  /** Additional information about the error. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * An error for missing or insufficient credentials. The response's status and challenge specify which credentials are
 * required.
 */
export class Challenge extends Error {
  readonly status: number;
  readonly challenge: string;

  constructor(status: number, challenge: string) {
    super(status === 401 ? "Cannot call the route: authentication is required" : "Cannot call the route: forbidden");
    this.status = status;
    this.challenge = challenge;
  }
}

/** Parses a message. */
export function readMessage(value: unknown): Message | ClientResponse {
  if (!isJSONObject(value)) throw invalid("it is not an object");
  const { jsonrpc, id, method, params = {}, result, error } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0") throw invalid('"jsonrpc" is not "2.0"');
  if (method === undefined && (result !== undefined || error !== undefined)) return { id, result, error };
  if (typeof method !== "string") throw invalid('"method" is not a string');
  if (id !== undefined && !isID(id)) throw invalid('"id" is neither a string nor a number');
  if (!isJSONObject(params)) {
    throw invalid('"params" is not an object');
  }
  return { id, method, params: params as Record<string, unknown> };
}

/** Returns the response to a request. */
export function resultOf(id: MessageID, result: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", id, result };
}

/** Returns the response to a failed request. The ID is omitted if it could not be read. */
export function errorOf(id: MessageID | undefined, { code, message, data }: ProtocolError): Record<string, unknown> {
  const error = { code, message, ...data === undefined ? {} : { data } };
  return { jsonrpc: "2.0", ...id === undefined ? {} : { id }, error };
}

/** Returns a notification. */
export function notificationOf(method: string, params: Params): Record<string, unknown> {
  return { jsonrpc: "2.0", method, params };
}

/** Returns the ID of a message, if it can be read. */
export function idOf(value: unknown): MessageID | undefined {
  const id = isJSONObject(value) ? (value as Record<string, unknown>)["id"] : undefined;
  return isID(id) ? id : undefined;
}

function isID(value: unknown): value is MessageID {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError(codes.invalid, `Cannot read the message: ${reason}`);
}
