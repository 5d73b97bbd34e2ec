/**
 * The HTTP endpoint. It serves all revisions of the protocol at one address.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { bodyOf } from "../../core/exchange/exchange.ts";
import { type Link, OpenRequests } from "./wire/link.ts";
import {
  type ClientResponse,
  codes,
  errorOf,
  idOf,
  type Message,
  type MessageID,
  ProtocolError,
  readMessage,
  resultOf,
} from "./wire/messages.ts";
import { type MethodCaller, serveNewer, serveOlder, type Service } from "./methods.ts";
import { isOriginAllowed } from "./wire/mirrored_headers.ts";
import type { Session } from "./protocol_sessions.ts";
import { failed, type Outcome, reply, write } from "./reply.ts";
import { type Client, isModern, metaOf, readClient, versionFor } from "./wire/revisions.ts";

const sessionHeader = "mcp-session-id";
/** The only revision that has batches. */
const batchVersion = "2025-03-26";
/** The maximum number of messages per batch. */
const largestBatch = 20;
const unknownClient: Client = { capabilities: {}, info: {}, level: undefined };

/** A session and its ID. */
type Held = NonNullable<MethodCaller["session"]>;

/** The endpoint of one server. */
export class Endpoint {
  readonly #service: () => Service;
  /** The cancelable requests in flight, by session and request ID. */
  readonly #inFlight = new Map<string, AbortController>();
  readonly #open = new OpenRequests();

  constructor(service: () => Service) {
    this.#service = service;
  }

  /** Handles a POST request with messages. */
  async receive(ctx: Context): Promise<Response | void> {
    const service = this.#service();
    if (!admits(ctx, service)) return;
    const { headers } = exchangeOf(ctx).request;
    let given: unknown;
    try {
      given = await readBody(ctx, service.settings.MaxMessage);
      if (given === undefined) return;
      if (Array.isArray(given)) return await this.#batch(service, ctx, given);
      const message = readMessage(given);
      if ("method" in message && isModern(headers, message)) return await this.#newer(service, ctx, message, headers);
      const held = await this.#enter(service, ctx, message);
      return "refusal" in held ? write(ctx, held.refusal) : await this.#older(service, ctx, message, held.session);
    } catch (error) {
      return write(ctx, refusalOf(idOf(given), error));
    }
  }

  /** Ends a session. */
  async end(ctx: Context): Promise<void> {
    const service = this.#service();
    if (!admits(ctx, service)) return;
    if (service.sessions === undefined) return refuseMethod(ctx);
    const id = ctx.GetHeader(sessionHeader);
    const isEnded = id !== "" && await service.sessions.end(ctx, id);
    if (isEnded) service.changes.endSession(id);
    ctx.StatusCode(isEnded ? 204 : 404);
  }

  /** Opens the stream of a session, on which changes are announced. */
  async stream(ctx: Context): Promise<Response | void> {
    const service = this.#service();
    const { sessions, changes } = service;
    if (!admits(ctx, service)) return;
    const id = ctx.GetHeader(sessionHeader);
    const isStream = ctx.Method() === "GET" && ctx.GetHeader("accept").includes("text/event-stream");
    if (sessions === undefined || id === "" || !isStream) {
      return refuseMethod(ctx, sessions === undefined ? "POST" : "POST, DELETE");
    }
    if (await sessions.touch(ctx, id) === undefined) {
      return write(ctx, noSession(404, "it does not exist or has expired"));
    }
    try {
      return changes.openSession(ctx, id, async (uri) => (await sessions.find(ctx, id))?.uris.includes(uri) === true);
    } catch (error) {
      return write(ctx, refusalOf(undefined, error));
    }
  }

  /** Serves a message of revision 2026-07-28. */
  async #newer(service: Service, ctx: Context, message: Message, headers: Headers): Promise<Response | void> {
    const { id, method } = message;
    if (id === undefined) return ctx.StatusCode(202);
    const client = readClient(headers, message);
    if (method === "subscriptions/listen") return service.changes.openSubscription(ctx, message);
    return await this.#respond(ctx, message, { client, isModern: true, key: undefined }, (caller) => {
      return serveNewer(service, message, { ...caller, session: undefined });
    });
  }

  /** Serves a message of a revision with sessions. */
  async #older(
    service: Service,
    ctx: Context,
    message: Message | ClientResponse,
    session: Held | undefined,
  ): Promise<Response | void> {
    if (!("method" in message)) {
      this.#open.settle(session?.id ?? "", message);
      return ctx.StatusCode(202);
    }
    if (message.id === undefined) {
      this.#notice(message, session);
      return ctx.StatusCode(202);
    }
    const response = await this.#respond(ctx, message, termsOf(message, session), (caller) => {
      return serveOlder(service, message, { ...caller, session });
    });
    if (message.method === "initialize" && service.sessions !== undefined) {
      ctx.Header(
        sessionHeader,
        await service.sessions.begin(ctx, versionFor(message.params["protocolVersion"]), {
          ...unknownClient,
          capabilities: Object(message.params["capabilities"]),
          info: Object(message.params["clientInfo"]),
        }),
      );
    }
    return response;
  }

  /** Serves a batch. The response is not a stream. */
  async #batch(service: Service, ctx: Context, given: readonly unknown[]): Promise<void> {
    if (given.length === 0 || given.length > largestBatch) {
      throw new ProtocolError(codes.invalid, `Cannot read the batch: it must contain 1 to ${largestBatch} messages`);
    }
    const messages = given.map(readMessage);
    const version = ctx.GetHeader("mcp-protocol-version");
    if (version !== "") assertBatches(version);
    const held = await this.#enter(service, ctx, undefined);
    if ("refusal" in held) return write(ctx, held.refusal);
    if (version === "" && held.session !== undefined) assertBatches(held.session.value.version);
    const outcomes = await Promise.all(messages.map(async (message) => {
      if (!("method" in message)) return this.#open.settle(held.session?.id ?? "", message);
      if (message.id === undefined) return this.#notice(message, held.session);
      return await this.#run(ctx, message, termsOf(message, held.session), undefined, (caller) => {
        return serveOlder(service, message, { ...caller, session: held.session });
      });
    }));
    const all = outcomes.filter((outcome) => outcome !== undefined);
    if (all.length === 0) return ctx.StatusCode(202);
    const { status, challenge } = all.find((outcome) => outcome.challenge !== undefined) ?? {};
    write(ctx, { message: all.map(({ message }) => message), status, challenge });
  }

  /** Finds the session of a message, or returns the response for a message without a valid session. */
  async #enter(
    { sessions }: Service,
    ctx: Context,
    message: Message | ClientResponse | undefined,
  ): Promise<{ session: Held | undefined } | { refusal: Outcome }> {
    const isFirst = message !== undefined && "method" in message && message.method === "initialize";
    if (sessions === undefined || isFirst) return { session: undefined };
    const id = ctx.GetHeader(sessionHeader);
    const value: Session | undefined = id === "" ? undefined : await sessions.touch(ctx, id);
    if (value !== undefined) return { session: { id, value } };
    const reason = id === "" ? "the message has no session id" : "the session does not exist or has expired";
    return {
      refusal: noSession(id === "" ? 400 : 404, reason, message && "method" in message ? message.id : undefined),
    };
  }

  async #respond(ctx: Context, message: Message, terms: Terms, serve: Serve): Promise<Response | void> {
    const controller = new AbortController();
    return await reply(ctx, () => controller.abort(), (send) => {
      return this.#run(ctx, message, terms, send, serve, controller);
    });
  }

  async #run(
    ctx: Context,
    { id = 0, params }: Message,
    { client, isModern, key, session }: Terms,
    send: ((message: unknown) => void) | undefined,
    serve: Serve,
    controller = new AbortController(),
  ): Promise<Outcome> {
    const { signal } = controller;
    if (key !== undefined) this.#inFlight.set(key, controller);
    ctx.OnConnectionClose(() => controller.abort());
    const { progressToken } = metaOf(params);
    const requests = session === undefined ? undefined : { session, open: this.#open };
    try {
      const link: Link = { client, progressToken, signal, send, isModern, requests };
      return { message: resultOf(id, await serve({ ctx, signal, link, replies: {} })) };
    } catch (error) {
      return failed(ctx, id, signal.aborted ? canceled() : error, isModern);
    } finally {
      if (key !== undefined && this.#inFlight.get(key) === controller) this.#inFlight.delete(key);
    }
  }

  #notice({ method, params }: Message, session: Held | undefined): void {
    if (method !== "notifications/cancelled" || session === undefined) return;
    this.#inFlight.get(keyOf(session.id, params["requestId"]))?.abort();
  }
}

type Serve = (caller: Omit<MethodCaller, "session">) => Promise<unknown>;

/** The conditions of a request. */
interface Terms {
  readonly client: Client;
  readonly isModern: boolean;
  /** The key that cancels the request, or `undefined` if only a disconnect does. */
  readonly key: string | undefined;
  /** The ID of the session, in which the server can send requests. */
  readonly session?: string | undefined;
}

function termsOf({ id }: Message, session: Held | undefined): Terms {
  const client = session?.value.client ?? unknownClient;
  // Without sessions, no message can refer to another client's request.
  const key = session === undefined ? undefined : keyOf(session.id, id);
  return { client, isModern: false, key, session: session?.id };
}

/** Returns the key of a request in flight. IDs are unique only within a session. */
function keyOf(session: string, id: unknown): string {
  return `${session} ${typeof id} ${id}`;
}

function canceled(): ProtocolError {
  return new ProtocolError(codes.canceled, "Cannot finish the request: it was canceled");
}

function noSession(status: number, reason: string, id?: MessageID): Outcome {
  return { status, message: errorOf(id, new ProtocolError(codes.invalid, `Cannot serve the message: ${reason}`)) };
}

/** Converts an error to the response for a message that is not served. Rethrows unexpected errors. */
function refusalOf(id: MessageID | undefined, error: unknown): Outcome {
  if (error instanceof ProtocolError) return { status: 400, message: errorOf(id, error) };
  if (!(error instanceof HTTPError)) throw error;
  return { status: error.Status, message: errorOf(id, new ProtocolError(codes.internal, error.message)) };
}

/** Reports whether the origin of a request is allowed. Otherwise, writes the error response. */
function admits(ctx: Context, { settings }: Service): boolean {
  const { request } = exchangeOf(ctx);
  if (isOriginAllowed(request, settings.Origins)) return true;
  const reason = `Cannot serve requests from "${request.headers.get("origin")}": the origin is not allowed`;
  write(ctx, { status: 403, message: errorOf(undefined, new ProtocolError(codes.invalid, reason)) });
  return false;
}

/** Throws if a revision has no batches. Clients of the first revision may omit the header. */
function assertBatches(version: string): void {
  if (version === batchVersion) return;
  throw new ProtocolError(codes.invalid, `Cannot read the batch: revision "${version}" has no batches`);
}

/** Reads the body. If that is not possible, writes the error response and returns `undefined`. */
async function readBody(ctx: Context, max: number): Promise<unknown> {
  ctx.SetMaxDocument(max);
  const [, error] = await ctx.ReadJSON<unknown>();
  if (error === null) return await (await bodyOf(exchangeOf(ctx)).open()).losslessJSON();
  if (!(error instanceof HTTPError) || error.Status >= 500) throw error;
  const isLong = error.Status === 413 && error.message.includes(` ${max} bytes`);
  const reason = isLong ? `Cannot read the message: it is larger than ${max} bytes (MaxMessage)` : error.message;
  const refusal = new ProtocolError(error.Status === 400 ? codes.parse : codes.invalid, reason);
  write(ctx, { status: error.Status, message: errorOf(undefined, refusal) });
  return undefined;
}

function refuseMethod(ctx: Context, allowed = "POST"): void {
  ctx.Header("allow", allowed);
  ctx.StatusCode(405);
}
