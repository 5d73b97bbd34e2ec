/**
 * Serves Engine.IO sessions: HTTP long polling, and the upgrade to a WebSocket.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import { awaitMessage } from "../../core/exchange/ending/deadline.ts";
import { connect, upgradeRequest, whenAdmitted } from "./accept.ts";
import type { Connections } from "./connections.ts";
import { checkHandshake, isAllowedOrigin, type Refusal } from "../../middleware/handshake.ts";
import type { Link } from "./link.ts";
import { isSameIdentity } from "./renewal.ts";
import type { Codec } from "./wire/codec.ts";
import { readPolled } from "./wire/engine_payload.ts";
import { PollingSocket, type PollingTerms } from "./wire/polling_socket.ts";

/** The responses to invalid requests. Clients know their codes. */
const problems = {
  transport: { code: 0, message: "Transport unknown" },
  session: { code: 1, message: "Session ID unknown" },
  method: { code: 2, message: "Bad handshake method" },
  request: { code: 3, message: "Bad request" },
  forbidden: { code: 4, message: "Forbidden" },
  version: { code: 5, message: "Unsupported protocol version" },
} as const;

const bodyHeaders = { "content-type": "text/plain; charset=UTF-8", "cache-control": "no-store" };

/** A polling client. */
interface Session {
  readonly link: Link;
  readonly socket: PollingSocket;
  isPosting: boolean;
}

/** The properties of the sessions. */
export interface SessionTerms extends PollingTerms {
  /** Returns the codec of a connection. */
  newCodec(): Codec;
  /** Returns the response to a handshake. */
  open(sid: string): string;
}

/** The polling clients of a route. */
export class PollingSessions {
  readonly #connections: Connections;
  readonly #terms: SessionTerms;
  readonly #sessions = new Map<string, Session>();
  #isHinted = false;

  constructor(connections: Connections, terms: SessionTerms) {
    this.#connections = connections;
    this.#terms = terms;
  }

  /** Opens a session. */
  open(ctx: Context): Response | Promise<Response> {
    if (ctx.Method() !== "GET") return this.#refuse("method");
    if (!this.#isAllowed(ctx)) return this.#refuse("forbidden", 403);
    return whenAdmitted(ctx, this.#connections, {
      accept: () => connect(ctx, this.#connections, this.#terms.newCodec(), (link) => this.#add(link)),
      refuse: (refusal) => this.#refuseWith(refusal),
    });
  }

  /** Serves a polling request of a session. */
  serve(ctx: Context, sid: string): Response | Promise<Response> {
    if (!this.#isAllowed(ctx)) return this.#refuse("forbidden", 403);
    const session = this.#find(ctx, sid);
    if (session === undefined) return this.#refuse("session");
    if (!session.socket.isPolling) return this.#refuse("request");
    const method = ctx.Method();
    return method === "GET"
      ? this.#poll(ctx, session)
      : method === "POST"
      ? this.#receive(ctx, session)
      : this.#refuse("method");
  }

  /** Upgrades a session to a WebSocket. */
  upgrade(ctx: Context, sid: string): Response {
    const refusal = checkHandshake(ctx, ctx.Request().headers, this.#connections.settings);
    if (refusal !== undefined) return this.#refuseWith(refusal);
    const session = this.#find(ctx, sid);
    if (session === undefined) return this.#refuse("session");
    const owner = session.socket.upgrade();
    try {
      const { socket, response } = upgradeRequest(ctx, owner, { protocol: "", idleTimeout: 0 });
      owner.use(socket);
      return response;
    } catch (error) {
      owner.fail();
      throw error;
    }
  }

  /** Refuses a request. */
  #refuse(problem: keyof typeof problems, status = 400): Response {
    this.#connections.stats.refused++;
    return problemResponse(problem, status);
  }

  #refuseWith({ status, message, headers = {} }: Refusal): Response {
    this.#connections.stats.refused++;
    return Response.json({ code: problems.forbidden.code, message }, { status, headers });
  }

  #isAllowed(ctx: Context): boolean {
    return isAllowedOrigin(ctx, ctx.Request().headers.get("origin"), this.#connections.settings);
  }

  #add(link: Link): { socket: PollingSocket; response: Response } {
    // The ID of a connection is not secret. Anyone who knows the ID of a session could use it.
    const sid = crypto.randomUUID();
    const socket = new PollingSocket(link, this.#terms, () => this.#sessions.delete(sid));
    this.#sessions.set(sid, { link, socket, isPosting: false });
    return { socket, response: new Response(this.#terms.open(sid), { headers: bodyHeaders }) };
  }

  /** Finds the session of a request. A session can be used only by the user who has opened it. */
  #find(ctx: Context, sid: string): Session | undefined {
    const session = this.#sessions.get(sid);
    if (session === undefined) this.#hint(ctx);
    return session === undefined || !isSameIdentity(session.link, ctx) ? undefined : session;
  }

  /** Explains unknown sessions once. They are normal after a restart, but not after every handshake. */
  #hint(ctx: Context): void {
    if (this.#isHinted) return;
    this.#isHinted = true;
    ctx.Application().Logger().Warn(
      "A Socket.IO client has sent the ID of an unknown session. If there are several processes, the load balancer must " +
        'send all requests of a client to the same process ("sticky sessions"), or clients must use transports: ["websocket"]',
    );
  }

  async #poll(ctx: Context, { socket }: Session): Promise<Response> {
    const polled = socket.poll(ctx.Signal());
    const body = polled instanceof Promise ? await awaitMessage(exchangeOf(ctx), polled) : polled;
    return body === undefined ? this.#refuse("request") : new Response(body, { headers: bodyHeaders });
  }

  async #receive(ctx: Context, session: Session): Promise<Response> {
    const { socket } = session;
    if (session.isPosting) {
      // The order of the messages would be unknown.
      socket.fail(1002, "Several requests at the same time");
      return this.#refuse("request");
    }
    session.isPosting = true;
    const body = await readBody(ctx, this.#connections.settings.MaxMessage);
    session.isPosting = false;
    if (typeof body === "number") {
      socket.fail(body === 413 ? 1009 : 1006, body === 413 ? "The message is too large" : "");
      return this.#refuse("request", body);
    }
    if (!socket.isPolling) return this.#refuse("request");
    const messages = readPolled(body);
    if (messages === undefined) socket.fail(1007, "The message is malformed");
    return messages !== undefined && socket.receive(messages)
      ? new Response("ok", { headers: bodyHeaders })
      : this.#refuse("request");
  }
}

/** Reads a request body. Returns a status code if the body is too large or incomplete. */
async function readBody(ctx: Context, limit: number): Promise<Uint8Array<ArrayBuffer> | number> {
  try {
    ctx.SetMaxRequestBodySize(limit);
    const [body, error] = await ctx.GetBody();
    if (error !== null) throw error;
    return body;
  } catch (error) {
    return error instanceof HTTPError ? error.Status : 400;
  }
}

/** Creates the response to an invalid request. */
export function problemResponse(problem: keyof typeof problems, status = 400): Response {
  return Response.json(problems[problem], { status });
}
