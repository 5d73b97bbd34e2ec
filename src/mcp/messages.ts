/**
 * JSON-RPC 2.0 messages, as used by the protocol.
 *
 * @module
 */

import { isJSONObject } from "../data/plain_object.ts";

/** The ID of a request, unique per client. */
export type MessageID = string | number | bigint;

/** A request, or a notification if it has no ID. */
export interface Message {
  readonly id: MessageID | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The JSON-RPC error codes, including those that the protocol adds. */
export const codes = {
  parse: -32700,
  invalid: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  noResource: -32002,
  /** The code of the Language Server Protocol. The client has stopped waiting for this response. */
  canceled: -32800,
} as const;

/** An error response to a request. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
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

/**
 * Parses a message.
 *
 * @returns The message, or `undefined` for a response, since this server sends no requests.
 */
export function readMessage(value: unknown): Message | undefined {
  if (!isJSONObject(value)) throw invalid("it is not an object");
  const { jsonrpc, id, method, params = {} } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0") throw invalid('"jsonrpc" is not "2.0"');
  if (method === undefined && ("result" in value || "error" in value)) return undefined;
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
export function errorOf(id: MessageID | undefined, { code, message }: ProtocolError): Record<string, unknown> {
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}

function isID(value: unknown): value is MessageID {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError(codes.invalid, `Cannot read the message: ${reason}`);
}
