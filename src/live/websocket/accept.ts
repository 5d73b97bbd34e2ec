/**
 * The route handler that upgrades handshake requests to WebSocket connections.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { Extend } from "../../core/context/extend.ts";
import type { Handler as RouteHandler } from "../../core/context/handler.ts";
import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import { beforeSending } from "../../core/exchange/ending/end_tasks.ts";
import { outermostExchange } from "../../core/exchange/exchange.ts";
import { type EventFact, noteFacts } from "../../core/exchange/handler_facts.ts";
import { stoppingApps } from "../../core/exchange/peer/outer_call.ts";
import { whenSessionEnds } from "../../core/exchange/stream_terms.ts";
import { clientNetwork } from "../../base/text/addresses.ts";
import { innerHub } from "../hub/hub.ts";
import type { Connections } from "./connections.ts";
import { checkHandshake, LIVE_PROTOCOL, offeredProtocols, type Refusal } from "../../middleware/handshake.ts";
import { closeLink } from "./hub_messages.ts";
import { Link } from "./link.ts";
import { acceptsNative, eventNames } from "./namespace.ts";
import { identify, takeRenewal } from "./renewal.ts";
import { connectionsOf, Server } from "./server.ts";
import { type Codec, liveCodec, nativeCodec } from "./wire/codec.ts";
import { type SocketOwner, upgrade, type Upgraded, type UpgradeTerms } from "./wire/socket.ts";

/** The header fields of the handshake itself. A second value, or one for a body, would make the response invalid. */
const handshakeFields = /^(?:connection|upgrade|sec-websocket-.*|content-length|transfer-encoding)$/i;
/** The `Retry-After` value of a refused handshake, in seconds. */
const RETRY_AFTER = "5";

/**
 * Creates a route handler that accepts WebSocket connections for a server. Use it with any GET route. The route's
 * guards, sessions and other middleware run before it.
 *
 * @param server The server.
 * @returns The handler. It responds with 426 to requests that are not handshakes, with 400 to malformed handshakes and
 * with 403 to disallowed origins.
 */
export function Handler(server: Server): RouteHandler {
  return handlerWith(server, undefined);
}

/** Creates a handler that uses the given codecs and ignores the offered subprotocols. */
export function handlerWith(server: Server, newCodec: (() => Codec) | undefined): RouteHandler {
  if (!(server instanceof Server)) {
    throw new FrameworkError(
      "FW_ROUTE",
      'Cannot serve WebSocket connections: pass a server created by "websocket.New"',
    );
  }
  const connections = connectionsOf(server);
  function websocket(ctx: Context): Response | void | Promise<Response | void> {
    if (takeRenewal(ctx)) return;
    // The request is created first, so that the client's address can still be read after the upgrade.
    const { headers } = ctx.Request();
    const refusal = checkHandshake(ctx, headers, connections.settings);
    if (refusal !== undefined) return refuse(ctx, connections, refusal);
    const chosen = newCodec === undefined ? choose(headers, connections) : { codec: newCodec(), protocol: "" };
    if (chosen === undefined) {
      return refuse(ctx, connections, { status: 400, message: `The subprotocol must be ${LIVE_PROTOCOL}` });
    }
    return whenAdmitted<Response | void>(ctx, connections, {
      accept: () => accept(ctx, connections, chosen),
      refuse: (late) => refuse(ctx, connections, late),
    });
  }
  return extended(
    "websocket",
    noteFacts(websocket, { events: () => eventsOf(connections), isRelay: true }),
    connections,
  );
}

/** Adds the metrics and the panel of a server to the applications of a handler. */
export function extended(Name: string, handler: RouteHandler, connections: Connections): RouteHandler {
  return Extend(handler, {
    Name,
    Many: true,
    Install: (host) => {
      host.Meter(connections.meter);
      host.Panel("Rooms and sockets", () => connections.shown());
    },
  });
}

function eventsOf(connections: Connections): EventFact[] {
  return [...connections.namespaces.values()].flatMap((namespace) =>
    eventNames(namespace).map((Name) => ({
      Namespace: namespace.Name,
      Name,
      Action: undefined,
      Schema: undefined,
    }))
  );
}

interface Chosen {
  readonly codec: Codec;
  readonly protocol: string;
}

/** The outcomes of a handshake. */
interface Admission<T> {
  accept(): T;
  refuse(refusal: Refusal): T;
}

/** Accepts a valid handshake if no limit is exceeded, as soon as messages from other processes are received. */
export function whenAdmitted<T>(
  ctx: Context,
  connections: Connections,
  { accept, refuse }: Admission<T>,
): T | Promise<T> {
  const refusal = checkLimits(ctx, connections);
  if (refusal !== undefined) return refuse(refusal);
  const listening = connections.listen();
  if (listening === undefined) return accept();
  return listening.then(() => {
    const late = checkLimits(ctx, connections);
    return late === undefined ? accept() : refuse(late);
  }).finally(() => connections.unlistenIfUnused());
}

function accept(ctx: Context, connections: Connections, { codec, protocol }: Chosen): Response {
  const idleTimeout = codec.pings !== "never"
    ? 0
    : Math.ceil(Math.min(connections.settings.IdleTimeout / 1000, 86_400));
  return connect(ctx, connections, codec, (link) => upgradeRequest(ctx, link, { protocol, idleTimeout }));
}

/**
 * Adds a connection.
 *
 * @param ctx The handshake's context.
 * @param connections The connections of the server.
 * @param codec The wire format.
 * @param open Creates the connection's socket and the response to the handshake.
 */
export function connect(
  ctx: Context,
  connections: Connections,
  codec: Codec,
  open: (link: Link) => Upgraded,
): Response {
  const exchange = exchangeOf(ctx);
  const link = new Link(connections, ctx, codec);
  identify(link, ctx);
  const { socket, response } = open(link);
  link.use(socket);
  connections.add(link);
  link.forgetSession = whenSessionEnds(exchange, (reason) => closeLink(link, reason));
  const { host } = exchange.runtime;
  innerHub(connections.settings.Hub).reportTo((message, error) => host.Logger().Error(message, error));
  for (const app of stoppingApps(exchange.target)) app.drains.add(connections.drainOf(app));
  return response;
}

/** Upgrades a request. */
export function upgradeRequest(ctx: Context, owner: SocketOwner, terms: UpgradeTerms): Upgraded {
  const exchange = exchangeOf(ctx);
  const { socket, response } = upgrade(outermostExchange(exchange).request, owner, terms);
  // Deno sends an upgrade response unchanged, so the cookies of a session started during the handshake are added here.
  beforeSending(exchange, () => {
    for (const [name, value] of exchange.draft.headers ?? []) {
      if (!handshakeFields.test(name)) response.headers.append(name, value);
    }
  });
  return { socket, response };
}

function choose(headers: Headers, connections: Connections): Chosen | undefined {
  const offered = offeredProtocols(headers);
  if (offered.includes(LIVE_PROTOCOL)) return { codec: liveCodec, protocol: LIVE_PROTOCOL };
  const namespace = connections.namespace("");
  if (namespace === undefined || !acceptsNative(namespace)) return undefined;
  return { codec: nativeCodec, protocol: connections.settings.Protocols.find((name) => offered.includes(name)) ?? "" };
}

function checkLimits(ctx: Context, connections: Connections): Refusal | undefined {
  const { MaxConnections: maxConnections, MaxPerAddress: maxPerAddress } = connections.settings;
  const headers = { "retry-after": RETRY_AFTER };
  if (stoppingApps(exchangeOf(ctx).target).some(({ leaving }) => leaving.signal.aborted)) {
    return { status: 503, message: "The server is shutting down", headers };
  }
  if (connections.count >= maxConnections) return { status: 503, message: "Too many connections", headers };
  const address = clientNetwork(ctx.RemoteAddr());
  // Behind a Unix socket, clients may have no address. Together, they would soon reach the limit of one address.
  if (address === "" || connections.countOf(address) < maxPerAddress) return undefined;
  return { status: 429, message: "Too many connections from this address", headers };
}

function refuse(ctx: Context, connections: Connections, { status, message, headers = {} }: Refusal): void {
  connections.stats.refused++;
  for (const [name, value] of Object.entries(headers)) ctx.Header(name, value);
  ctx.StopWithStatus(status);
  ctx.SetErr(new HTTPError(status, message));
}
