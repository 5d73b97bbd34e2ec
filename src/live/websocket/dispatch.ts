/**
 * Dispatches received packets to event, namespace and room handlers.
 *
 * @module
 */

import { isThenable } from "../../base/async/thenable.ts";
import { HTTPError } from "../../base/errors/errors.ts";
import type { Position } from "../hub/backplane.ts";
import { roomChannel } from "../hub/channel_name.ts";
import { innerHub } from "../hub/hub.ts";
import { applyOnce } from "../hub/once.ts";
import type { Link } from "./link.ts";
import { LiveConn } from "./live_conn.ts";
import {
  type EventHandler,
  handlersFor,
  OnAnyEvent,
  OnNamespaceConnect,
  OnNamespaceConnected,
  OnNamespaceDisconnect,
  OnNativeMessage,
  OnRoomLeft,
} from "./namespace.ts";
import { renew } from "./renewal.ts";
import { joinRoom, leaveRoom, type RoomAct, showMembers } from "./room_packets.ts";
import { inEventSpan } from "./telemetry/event_span.ts";
import { type Failure, type Message, NATIVE_ID } from "./wire/codec.ts";
import { checkReply, failureOf, isUnexpected, RepeatedFailure, throwReturned } from "./wire/failure.ts";
import { assertReadable, MAX_NAME, Op, type Packet, positionOf, text } from "./wire/packet.ts";

/** The maximum number of room positions that a client may send when it reconnects. */
const MAX_POSITIONS = 1_000;

type Act = (link: Link, packet: Packet) => unknown;

const acts: Readonly<Record<number, Act>> = {
  [Op.Event]: (link, [, id, namespace, event, data]) =>
    replied(link, { id, namespace, event }, () => callEvent(link, [text(namespace), text(event), data])),
  [Op.Once]: (link, [, id, namespace, event, data, key]) =>
    replied(link, { id, namespace, event }, () => {
      const { Hub: hub, Name: name } = link.host.settings;
      return applyOnce(innerHub(hub), {
        // With another server, user or event, the same key is another one.
        names: [name, link.user?.ID ?? null, text(namespace), text(event), text(key)],
        run: async () => {
          const value = await callEvent(link, [text(namespace), text(event), data]);
          throwReturned(value);
          return value;
        },
        failureOf: (error) => failureOf(link, error),
        repeated: (failure) => new RepeatedFailure(failure as Failure),
      });
    }),
  [Op.Connect]: connect,
  [Op.Disconnect]: (link, [, id, namespace]) =>
    replied(link, { id, namespace, event: "" }, async () => {
      await leaveNamespace(link, text(namespace));
    }),
  [Op.Join]: (link, packet) => inNamespace(link, packet, joinRoom),
  [Op.Leave]: (link, packet) => inNamespace(link, packet, leaveRoom),
  [Op.Presence]: (link, packet) => inNamespace(link, packet, showMembers),
  [Op.Renew]: (link, [, id, token]) =>
    replied(link, { id, namespace: "", event: "" }, async () => ({
      In: await renew(link, String(token)),
    })),
};

/**
 * Handles a packet.
 *
 * @returns A promise if the handler is asynchronous. The promise never rejects.
 */
export function dispatch(link: Link, packet: Packet): unknown {
  const [op, data] = packet;
  // Raw messages are not in the table, because looking up a negative number takes longer than handling the message.
  if (op === Op.Native) return callNative(link, data as string | ArrayBuffer);
  const act = acts[Number(op)];
  return act === undefined ? link.close(1007, "The message is malformed") : act(link, packet);
}

function callNative(link: Link, data: string | ArrayBuffer): unknown {
  const message = typeof data === "string" ? data : new Uint8Array(data);
  return replied(link, { id: NATIVE_ID, namespace: "", event: OnNativeMessage }, () => {
    const call = (conn: LiveConn) => {
      const handler = conn.handlers?.find(OnNativeMessage);
      return handler && inEventSpan(OnNativeMessage, () => handler(conn, message, OnNativeMessage));
    };
    const conn = ensure(link, "");
    return conn instanceof Promise ? conn.then(call) : call(conn);
  });
}

/** Connects a client to a namespace if it is not connected yet. */
export function ensure(
  link: Link,
  name: string,
  data?: unknown,
  done?: () => void,
): LiveConn | Promise<LiveConn> {
  return partOf(link, name) ?? enter(link, name, data, done);
}

/** The reply that a packet expects. */
interface Asked {
  readonly id: unknown;
  readonly namespace: unknown;
  readonly event: unknown;
}

/** Runs a handler and replies with its return value or error. */
function replied(link: Link, asked: Asked, run: () => unknown): unknown {
  try {
    const outcome = run();
    if (!isThenable(outcome)) return reply(link, asked, outcome);
    return outcome.then((value) => reply(link, asked, value), (error) => refuse(link, asked, error));
  } catch (error) {
    return refuse(link, asked, error);
  }
}

/** Handles a packet about a room in its namespace. */
function inNamespace(link: Link, packet: Packet, act: RoomAct): unknown {
  const [, id, namespace] = packet;
  return replied(link, { id, namespace, event: "" }, async () => {
    return await act(await ensure(link, text(namespace)), packet, link);
  });
}

/** Replies with a value. A value that cannot be serialized is a failure of its handler. */
function reply(link: Link, asked: Asked, value: unknown): void {
  try {
    checkReply(value);
    link.send(link.codec.reply(Number(asked.id), String(asked.namespace), value));
  } catch (error) {
    refuse(link, asked, error);
  }
}

function refuse(link: Link, { id, namespace, event }: Asked, error: unknown): void {
  const where = namespace === "" ? "" : ` of the namespace "${namespace}"`;
  const act = event === "" ? "Cannot serve a WebSocket connection:" : `Cannot handle the event "${event}"${where}:`;
  sendFailure(link, { act, error }, (failure) => link.codec.failure(Number(id), String(namespace), failure));
}

/** Logs an unexpected error and sends the form of the error that a client may see. */
function sendFailure(
  link: Link,
  { act, error }: { readonly act: string; readonly error: unknown },
  messageOf: (failure: Failure) => Message,
): void {
  if (isUnexpected(error)) link.host.fail(link, act, error);
  try {
    link.send(messageOf(failureOf(link, error)));
  } catch (second) {
    // Problem details and translations are created by the application, too.
    link.host.fail(link, act, second);
    link.send(messageOf(failureOf(link, undefined)));
  }
}

function callEvent(link: Link, [name, event, data]: readonly [string, string, unknown]): unknown {
  assertReadable(data);
  const conn = ensure(link, name);
  return conn instanceof Promise ? conn.then((it) => call(it, event, data)) : call(conn, event, data);
}

function call(conn: LiveConn, event: string, data: unknown): unknown {
  // Names that begin with an underscore are reserved, so that a client cannot call a room's guard.
  const handler: EventHandler | undefined = event.startsWith("_") ? undefined : conn.handlers?.find(event);
  const found = handler ?? conn.handlers?.find(OnAnyEvent);
  if (found === undefined) throw new HTTPError(404, `No handler for the event "${event}"`);
  return inEventSpan(handler === undefined ? OnAnyEvent : event, () => found(conn, data, event));
}

function connect(link: Link, [, id, namespace, positions, data]: Packet): unknown {
  if (link.host.namespace(String(namespace)) !== undefined) notePositions(link, String(namespace), positions);
  const { codec } = link;
  const done = () => link.send(codec.connected(Number(id), String(namespace), link.id));
  try {
    assertReadable(data);
    const conn = ensure(link, text(namespace), data, done);
    return conn instanceof Promise ? conn.then(undefined, refuse) : done();
  } catch (error) {
    return refuse(error);
  }
  function refuse(error: unknown): void {
    const act = `Cannot connect to the namespace "${namespace}":`;
    sendFailure(link, { act, error }, (failure) => codec.refused(Number(id), String(namespace), failure));
  }
}

async function enter(
  link: Link,
  name: string,
  data: unknown,
  done: (() => void) | undefined,
): Promise<LiveConn> {
  const namespace = link.host.namespace(name);
  if (namespace === undefined) throw new HTTPError(404, `No namespace "${name}"`);
  const conn = new LiveConn(link, name);
  const handlers = await handlersFor(namespace, conn);
  conn.serve(handlers);
  const restored = await link.codec.restore?.(name, data, link.user?.ID);
  try {
    const verdict = await handlers.find(OnNamespaceConnect)?.(conn, data, OnNamespaceConnect);
    throwReturned(verdict);
    if (verdict === false) {
      throw new HTTPError(403, `Connecting${name && ` to the namespace "${name}"`} is not allowed`);
    }
    if (link.isEnded) throw new HTTPError(410, "The connection has ended");
  } catch (error) {
    // The handler may have joined rooms before it refused.
    await endNamespace(link, conn, conn.leaveAll(), []);
    throw error;
  }
  link.parts = [...link.parts, conn];
  // The client must be notified of the connection before it receives events that the handler emits.
  done?.();
  conn.accept();
  if (restored !== undefined) await rejoin(link, conn, restored);
  await handlers.find(OnNamespaceConnected)?.(conn, data, OnNamespaceConnected);
  return conn;
}

/** Joins the rooms of a client that has reconnected. */
async function rejoin(link: Link, conn: LiveConn, rooms: Map<string, Position>): Promise<void> {
  for (const [room, position] of rooms) {
    try {
      const joined = await conn.join(room, { from: position });
      if (joined !== undefined) link.send(link.codec.moved(conn.Namespace, room, joined));
    } catch (error) {
      link.host.fail(link, `Cannot restore the room "${room}":`, error);
    }
  }
}

/** Disconnects a client from a namespace. */
async function leaveNamespace(link: Link, name: string): Promise<void> {
  const conn = partOf(link, name);
  if (conn === undefined) return;
  link.parts = link.parts.filter((part) => part !== conn);
  await endNamespace(link, conn, conn.leaveAll());
}

/** Runs the handlers for a client that has left a namespace, starting with those of its rooms. */
export async function endNamespace(
  link: Link,
  conn: LiveConn,
  rooms: readonly string[],
  last: readonly string[] = [OnNamespaceDisconnect],
): Promise<void> {
  const told = [
    ...rooms.map((room) => [OnRoomLeft, room] as const),
    ...last.map((event) => [event, undefined] as const),
  ];
  for (const [event, room] of told) {
    try {
      await conn.handlers?.find(event)?.(conn, room, event);
    } catch (error) {
      link.host.fail(link, `Cannot handle the event "${event}":`, error);
    }
  }
  await conn.handlers?.end?.();
}

function notePositions(link: Link, namespace: string, positions: unknown): void {
  if (typeof positions !== "object" || positions === null) return;
  for (const [room, position] of Object.entries(positions)) {
    const noted = link.positions ??= new Map();
    if (noted.size >= MAX_POSITIONS || room.length > MAX_NAME || !Array.isArray(position)) return;
    const { Epoch, Offset } = positionOf(position[0], position[1]) ?? {};
    if (Epoch !== undefined && Offset !== undefined) noted.set(roomChannel(namespace, room), [Epoch, Offset]);
  }
}

function partOf(link: Link, name: string): LiveConn | undefined {
  for (const part of link.parts) if (part.Namespace === name) return part as LiveConn;
  return undefined;
}
