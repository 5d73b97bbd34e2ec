/**
 * The HTTP endpoint. It returns one response per message.
 *
 * @module
 */

import { type Context, exchangeOf } from "../context/context.ts";
import { HTTPError } from "../errors/errors.ts";
import { bodyOf } from "../exchange/exchange.ts";
import { toJSON } from "../text/json.ts";
import type { Caller } from "./calls.ts";
import { Challenge, codes, errorOf, type Message, ProtocolError, readMessage, resultOf } from "./messages.ts";
import { serveMethod, type Service, versionFor, versions } from "./methods.ts";
import { isOriginAllowed } from "./origin.ts";
import type { ProtocolSessions } from "./protocol_sessions.ts";

const sessionHeader = "mcp-session-id";
/** The maximum number of messages per batch. Protocol version 2025-03-26 allows batches. */
const largestBatch = 20;

/** The time after which a client that disconnects ends its call, in milliseconds. */
const watchDelay = 100;

/** The endpoint of one server. */
export class Endpoint {
  readonly #service: () => Service;
  readonly #sessions: ProtocolSessions | undefined;
  /** The cancellable requests in flight, by session and request ID. */
  readonly #inFlight = new Map<string, AbortController>();

  constructor(service: () => Service, sessions: ProtocolSessions | undefined) {
    this.#service = service;
    this.#sessions = sessions;
  }

  /** Handles a POST request with messages. */
  async receive(ctx: Context): Promise<void> {
    const service = this.#service();
    this.#admit(ctx, service);
    let given: unknown;
    let messages: (Message | undefined)[];
    try {
      given = await readMessages(ctx, service.settings.MaxMessageSize);
      if (Array.isArray(given) && (given.length === 0 || given.length > largestBatch)) {
        throw new ProtocolError(codes.invalid, `Cannot read the batch: it must contain 1 to ${largestBatch} messages`);
      }
      messages = (Array.isArray(given) ? given : [given]).map(readMessage);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return write(ctx, 400, errorOf(undefined, error));
    }
    const isFirst = messages.length === 1 && messages[0]?.method === "initialize";
    if (!isFirst && !await this.#continues(ctx)) return;
    const responses = (await Promise.all(messages.map((message) => this.#serve(service, ctx, message)))).flat();
    if (isFirst && this.#sessions !== undefined) {
      const version = versionFor(messages[0]?.params["protocolVersion"]);
      ctx.Header(sessionHeader, await this.#sessions.begin(ctx, version));
    }
    if (responses.length === 0) return ctx.StatusCode(202);
    write(ctx, undefined, Array.isArray(given) ? responses : responses[0]);
  }

  /** Ends a session. */
  async end(ctx: Context): Promise<void> {
    this.#admit(ctx, this.#service());
    const id = ctx.GetHeader(sessionHeader);
    if (this.#sessions === undefined) return refuseMethod(ctx, "POST");
    const isEnded = id !== "" && await this.#sessions.end(ctx, id);
    ctx.StatusCode(isEnded ? 204 : 404);
  }

  /** Rejects requests for a stream, because this server never sends messages of its own accord. */
  refuseStream(ctx: Context): void {
    refuseMethod(ctx, this.#sessions === undefined ? "POST" : "POST, DELETE");
  }

  #admit(ctx: Context, { settings }: Service): void {
    const { request } = exchangeOf(ctx);
    if (!isOriginAllowed(request, settings.Origins ?? [])) {
      throw new HTTPError(
        403,
        `Cannot serve requests from "${request.headers.get("origin")}": the origin is not allowed`,
      );
    }
    const version = ctx.GetHeader("mcp-protocol-version");
    if (version !== "" && !versions.includes(version)) {
      throw new HTTPError(
        400,
        `Cannot use protocol version "${version}": supported versions are ${versions.join(", ")}`,
      );
    }
  }

  /**
   * Reports whether the request belongs to a valid session, or whether sessions are disabled. Otherwise, writes the
   * error response.
   */
  async #continues(ctx: Context): Promise<boolean> {
    if (this.#sessions === undefined) return true;
    const id = ctx.GetHeader(sessionHeader);
    if (id !== "" && await this.#sessions.touch(ctx, id)) return true;
    const reason = id === "" ? "the message has no session id" : "the session does not exist or has expired";
    const error = new ProtocolError(codes.invalid, `Cannot serve the message: ${reason}`);
    write(ctx, id === "" ? 400 : 404, errorOf(undefined, error));
    return false;
  }

  /** Handles one message. Notifications have no response. */
  async #serve(service: Service, ctx: Context, message: Message | undefined): Promise<Record<string, unknown>[]> {
    if (message === undefined) return [];
    const { id } = message;
    if (id === undefined) {
      if (message.method === "notifications/cancelled") this.#cancel(ctx, message.params["requestId"]);
      return [];
    }
    const key = keyOf(ctx, id);
    const controller = new AbortController();
    this.#inFlight.set(key, controller);
    // Most calls end before this. A watch takes time, and its first use makes Deno print a line.
    const watching = setTimeout(() => ctx.OnConnectionClose(() => controller.abort()), watchDelay);
    try {
      return [resultOf(id, await serveMethod(service, message, { ctx, signal: controller.signal } satisfies Caller))];
    } catch (error) {
      return [errorOf(id, controller.signal.aborted ? canceled() : told(ctx, error))];
    } finally {
      clearTimeout(watching);
      if (this.#inFlight.get(key) === controller) this.#inFlight.delete(key);
    }
  }

  #cancel(ctx: Context, id: unknown): void {
    this.#inFlight.get(keyOf(ctx, id))?.abort();
  }
}

/**
 * Returns the key of a request in flight. IDs are unique only within a session. If sessions are disabled, no message
 * can refer to another client's request.
 */
function keyOf(ctx: Context, id: unknown): string {
  const session = ctx.GetHeader(sessionHeader) || crypto.randomUUID();
  return `${session} ${typeof id} ${id}`;
}

function canceled(): ProtocolError {
  return new ProtocolError(codes.canceled, "Cannot finish the request: it was canceled");
}

/** Converts an error to a protocol error for the client. Unexpected errors are only logged. */
function told(ctx: Context, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof Challenge) {
    // The protocol reports insufficient credentials with an HTTP status, which makes the client log in.
    ctx.StatusCode(error.status);
    ctx.Header("www-authenticate", error.challenge);
    return new ProtocolError(codes.invalid, error.message);
  }
  ctx.Logger().Error("Cannot serve a Model Context Protocol message", { error });
  return new ProtocolError(codes.internal, "Internal error");
}

async function readMessages(ctx: Context, max: number): Promise<unknown> {
  ctx.SetMaxJSONSize(max);
  const [, error] = await ctx.ReadJSON<unknown>();
  // An unsupported content type or an oversized message is an HTTP error rather than a protocol error.
  if (error instanceof HTTPError && error.Status === 400) throw new ProtocolError(codes.parse, error.message);
  if (error !== null) throw error;
  return await bodyOf(exchangeOf(ctx)).losslessJSON();
}

function refuseMethod(ctx: Context, allowed: string): void {
  ctx.Header("allow", allowed);
  ctx.StatusCode(405);
}

function write(ctx: Context, status: number | undefined, value: unknown): void {
  if (status !== undefined) ctx.StatusCode(status);
  ctx.Header("cache-control", "no-store");
  ctx.ContentType("application/json");
  ctx.WriteString(toJSON(value));
}
