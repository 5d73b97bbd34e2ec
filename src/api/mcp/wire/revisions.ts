/**
 * The revisions of the protocol. Those of 2025 begin with a handshake and have sessions. In revision 2026-07-28, every
 * message carries its version and the client's capabilities.
 *
 * @module
 */

import { isJSONObject } from "../../../base/data/plain_object.ts";
import { decodeHeader } from "./mirrored_headers.ts";
import { codes, type Message, type Params, ProtocolError } from "./messages.ts";

/** The newest revision. It has no sessions. */
export const modern = "2026-07-28";
/** The revisions with sessions, newest first. */
const legacy: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/** All revisions, newest first. */
export const versions: readonly string[] = [modern, ...legacy];

/** The severity of a log message. */
export type Level = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** The log levels, in ascending order. */
export const levels: readonly Level[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The properties of a client that are relevant to one message. */
export interface Client {
  readonly capabilities: Params;
  /** The name and version of the client, as reported by itself. */
  readonly info: Params;
  /** The minimum severity of log messages, or `undefined` if the client does not want any. */
  readonly level: Level | undefined;
}

/** The keys of the metadata in messages. */
export const meta = {
  version: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  level: "io.modelcontextprotocol/logLevel",
  server: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The parameters that the header `Mcp-Name` repeats, by method. */
const named: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/**
 * Selects the revision of a session. This is the client's revision if it has sessions and is supported, or the newest
 * one otherwise.
 */
export function versionFor(wanted: unknown): string {
  return legacy.find((version) => version === wanted) ?? legacy[0] ?? "";
}

/** Returns the metadata of a message. */
export function metaOf(params: Params): Params {
  return isJSONObject(params["_meta"]) ? params["_meta"] as Params : {};
}

/** Reports whether a message belongs to revision 2026-07-28, or to a revision that is not supported. */
export function isModern(headers: Headers, { method, params }: Message): boolean {
  const version = headers.get("mcp-protocol-version");
  if (metaOf(params)[meta.version] !== undefined || method === "server/discover") return true;
  return version !== null && !legacy.includes(version);
}

/** Reads the properties of the client from a message. Throws if the message does not match its headers. */
export function readClient(headers: Headers, { method, params }: Message): Client {
  const given = metaOf(params);
  const version = given[meta.version];
  const header = headers.get("mcp-protocol-version");
  if (typeof version !== "string" && header !== null && !versions.includes(header)) throw unsupported(header);
  if (typeof version !== "string") throw lacking(meta.version);
  if (header !== version) throw mismatch("MCP-Protocol-Version", header, version);
  if (!versions.includes(version)) throw unsupported(version);
  if (headers.get("mcp-method") !== method) throw mismatch("Mcp-Method", headers.get("mcp-method"), method);
  const source = Object.hasOwn(named, method) ? named[method] : undefined;
  const name = source === undefined ? undefined : params[source];
  const sent = decodeHeader("Mcp-Name", headers.get("mcp-name"));
  if (name !== undefined && sent !== name) throw mismatch("Mcp-Name", sent, String(name));
  const capabilities = given[meta.capabilities];
  if (!isJSONObject(capabilities)) throw lacking(meta.capabilities);
  const info = given[meta.client];
  return {
    capabilities: capabilities as Params,
    info: isJSONObject(info) ? info as Params : {},
    level: readLevel(given[meta.level]),
  };
}

/** Reads a log level. */
export function readLevel(value: unknown): Level | undefined {
  if (value === undefined) return undefined;
  const level = levels.find((each) => each === value);
  if (level === undefined) throw new ProtocolError(codes.params, `Cannot set the log level: "${value}" is not a level`);
  return level;
}

function unsupported(version: string): ProtocolError {
  const message = `Cannot use protocol version "${version}": supported versions are ${versions.join(", ")}`;
  return new ProtocolError(codes.version, message, { supported: versions, requested: version });
}

function lacking(key: string): ProtocolError {
  return new ProtocolError(codes.params, `Cannot read the message: "_meta" has no "${key}"`);
}

function mismatch(header: string, sent: string | null, expected: string): ProtocolError {
  const state = sent === null ? "it is missing" : `"${sent}" does not match "${expected}" in the message`;
  return new ProtocolError(codes.headers, `Cannot use the header ${header}: ${state}`);
}
