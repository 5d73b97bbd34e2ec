/**
 * What the head of a request says of its body: type, length and coding; the limits that are set to it, and the errors of
 * a body that does not keep to them.
 *
 * @module
 */

import { type BodyTimeout, type Configuration, defaultConfiguration } from "../base/config.ts";
import { FrameworkError, HTTPError } from "../base/errors.ts";
import { mediaTypeOf } from "../http/content_type.ts";
import { readHeaderParameters } from "../http/header_parameters.ts";

const urlencoded = "application/x-www-form-urlencoded";

/**
 * Reports whether a body is an urlencoded form.
 *
 * @param type The content type of the request.
 * @returns True for `application/x-www-form-urlencoded`, with or without parameters.
 */
export function isUrlencoded(type: string): boolean {
  return type === urlencoded || mediaTypeOf(type) === urlencoded;
}

/**
 * Finds the boundary of a multipart form.
 *
 * @param type The content type of the request; `null` when it has none.
 * @returns The boundary; `undefined` when the body is something else.
 */
export function multipartBoundary(type: string | null): string | undefined {
  if (type === null || mediaTypeOf(type) !== "multipart/form-data") return undefined;
  const boundary = readHeaderParameters(type)?.parameters["boundary"];
  if (boundary === undefined || !/^[\x20-\x7e]+$/.test(boundary)) {
    throw malformed("read the multipart form", "its content type declares no usable boundary");
  }
  return boundary;
}

/**
 * Reports whether a body is a form of either kind.
 *
 * @param type The content type of the request.
 */
export function isForm(type: string): boolean {
  return isUrlencoded(type) || mediaTypeOf(type) === "multipart/form-data";
}

/**
 * Reports whether a body is JSON: `application/json`, `text/json`, or a type that ends in `+json`.
 *
 * @param type The content type of the request.
 */
export function isJSON(type: string): boolean {
  return type === "application/json" || /^(?:application\/json|text\/json|.+\+json)$/.test(mediaTypeOf(type));
}

/**
 * Refuses a body that does not declare to be JSON.
 *
 * @param type The content type of the request; `null` when it has none.
 */
export function assertJSON(type: string | null): void {
  if (type !== null && isJSON(type)) return;
  throw new HTTPError(415, "Cannot read the request body as JSON: its content type is not JSON", { Code: "FW_BODY" });
}

/**
 * Reads the declared length of a body.
 *
 * @param headers The headers of the request.
 * @returns The length; -1 when none is declared.
 */
export function declaredLength(headers: Headers): number {
  const text = headers.get("content-length");
  if (text === null) return -1;
  // HTTP/1 has been checked by the server; over HTTP/2 two different lengths arrive here, joined by a comma.
  if (!/^\d+$/.test(text)) throw malformed("read the length of the request body", "it is not a number");
  return Number(text);
}

/**
 * Refuses a body that is too large by its length, before any of it is read.
 *
 * @param length The length.
 * @param limit How many bytes may come.
 */
export function assertLength(length: number, limit: number): void {
  if (length > limit) throw tooLarge("read the request body", `it has ${length} bytes and ${limit} are allowed`);
}

/**
 * Reads the content coding of a request.
 *
 * @param headers The headers of the request.
 * @returns The coding in lower case; empty when the body is not compressed.
 */
export function contentCoding(headers: Headers): string {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return coding === "identity" ? "" : coding;
}

/**
 * Creates the error of a body that is compressed where that is not read, or in a way that is not known.
 *
 * @param coding The coding.
 * @returns The error, 415.
 */
export function unsupportedCoding(coding: string): HTTPError {
  const state = `its content encoding "${coding.slice(0, 32)}" is not supported here`;
  return new HTTPError(415, `Cannot read the request body: ${state}`, { Code: "FW_BODY" });
}

/** What one request body may cost. */
export interface BodyLimits {
  /** How many bytes of files one form may hold in memory; what is over goes to disk. */
  readonly postMaxMemory: number;
  /** How many fields and files one form may have. */
  readonly maxFields: number;
  /** How many bytes the fields of one form may have, all together. */
  readonly maxFormSize: number;
  /** How many bytes the header of one part may have. */
  readonly maxPartHeaderSize: number;
  /** How many bytes a body may have where its route sets no limit of its own. */
  readonly maxBody: number;
  /** How long the client may take. */
  readonly timeout: BodyTimeout;
  /** True for requests in process, which need not be as long as they declare. */
  readonly isLocal: boolean;
}

/**
 * Returns the limits of an application.
 *
 * @param config Its configuration.
 * @returns The limits.
 */
export function limitsOf(config: Readonly<Configuration>): BodyLimits {
  return {
    postMaxMemory: config.PostMaxMemory,
    maxFields: config.MaxFormFields,
    maxFormSize: config.MaxFormSize,
    maxPartHeaderSize: 16 << 10,
    maxBody: config.MaxRequestBody,
    timeout: config.BodyTimeout,
    isLocal: false,
  };
}

/** The limits of an application that sets none, for requests in process. */
export const defaultLimits: BodyLimits = { ...limitsOf(defaultConfiguration()), isLocal: true };

/**
 * Returns how many bytes of a body may be read into memory at once where no limit is set: as many as its files may take,
 * but never less than the fields of a form may have.
 *
 * @param limits The limits.
 * @returns The number of bytes.
 */
export function maxHeld(limits: BodyLimits): number {
  return Math.min(limits.maxBody, Math.max(limits.postMaxMemory, limits.maxFormSize));
}

/**
 * How much of a streamed body is at hand at once. Large enough that one read and one write per window are cheap: 64 KiB
 * saves a file at half the speed of 256 KiB.
 */
export const windowSize: number = 256 << 10;

/**
 * Creates the error of a body that is larger than allowed.
 *
 * @param act What was tried, such as `read the request body`.
 * @param state What was over which limit.
 * @returns The error, 413.
 */
export function tooLarge(act: string, state: string): HTTPError {
  return new HTTPError(413, `Cannot ${act}: ${state}`, { Code: "FW_LIMIT" });
}

/**
 * Creates the error of a body that is not what it claims to be.
 *
 * @param act What was tried, such as `read the multipart form`.
 * @param state What is wrong with it.
 * @param cause The platform's error; only the log shows it.
 * @returns The error, 400.
 */
export function malformed(act: string, state: string, cause?: unknown): HTTPError {
  return new HTTPError(400, `Cannot ${act}: ${state}`, { Code: "FW_BODY", cause });
}

/**
 * Creates the error of a body whose last byte never came.
 *
 * @param cause The platform's error; only the log shows it.
 * @returns The error, 400.
 */
export function connectionLost(cause: unknown): HTTPError {
  return malformed("read the request body", "the connection ended before its last byte", cause);
}

/**
 * Creates the error of a body that was read past fw.
 *
 * @returns The error.
 */
export function bodyTaken(): FrameworkError {
  return new FrameworkError(
    "FW_STATE",
    "Cannot read the request body: it was taken from the platform's request before",
  );
}
