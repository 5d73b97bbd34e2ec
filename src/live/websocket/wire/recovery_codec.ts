/**
 * The codec of a Socket.IO connection that can be recovered. Each connection has its own.
 *
 * @module
 */

import type { Codec, Message } from "./codec.ts";
import { Op } from "./packet.ts";
import type { RecoveryLog } from "./recovery_log.ts";

/** The state of a connection that can be recovered. */
export interface Recoverable {
  /** The logs of the namespaces that the client has not left. */
  readonly logs: ReadonlyMap<string, RecoveryLog>;
  /** Called when the connection opens. */
  opened(id: string): void;
  /** Called when the client has left a namespace, or may not connect to it. */
  forget(namespace: string): void;
  /** Finds the rooms of a client that has reconnected. */
  restore: NonNullable<Codec["restore"]>;
}

/** Creates the codec of one connection. */
export function recoveringCodec(base: Codec, connection: Recoverable): Codec {
  const { logs } = connection;
  let isLeaving = false;
  const stamped = (namespace: string, message: Message) => withStamp(message, logs.get(namespace)?.stamp);
  return {
    ...base,
    restore: connection.restore,
    // Clients do not count events that they reply to.
    event: (id, namespace, event, data) => {
      const message = base.event(id, namespace, event, data);
      return id > 0 ? message : stamped(namespace, message);
    },
    room: (namespace, room, offset, payload) => {
      if (offset > 0) logs.get(namespace)?.count(room, offset);
      return stamped(namespace, base.room(namespace, room, offset, payload));
    },
    moved: (namespace, room, position) => {
      logs.get(namespace)?.moved(room, position);
      return undefined;
    },
    gap: (namespace, room, gap, position) => {
      logs.get(namespace)?.moved(room, position);
      return stamped(namespace, base.gap(namespace, room, gap, position)) as string | undefined;
    },
    connected: (id, namespace, sid) => {
      const message = base.connected(id, namespace, sid);
      const pid = logs.get(namespace)?.pid;
      return pid === undefined ? message : message?.replace(/\}$/, `,"pid":"${pid}"}`);
    },
    refused: (id, namespace, failure) => {
      connection.forget(namespace);
      return base.refused(id, namespace, failure);
    },
    disconnected: (namespace) => {
      if (!isLeaving) connection.forget(namespace);
      return base.disconnected(namespace);
    },
    hello: (id, idle) => {
      connection.opened(id);
      return base.hello(id, idle);
    },
    reader() {
      const read = base.reader();
      return (data) => {
        const packets = read(data);
        for (const [op, , namespace] of packets ?? []) {
          if (op === Op.Disconnect) connection.forget(String(namespace));
          // The client has closed the transport, but has not left its namespaces.
          if (op === Op.Close) isLeaving = true;
        }
        return packets;
      };
    },
  };
}

/** Appends the number of the last room event to the arguments of an event. */
function withStamp(message: Message, stamp: string | undefined): Message {
  if (stamp === undefined || message === undefined || message instanceof Uint8Array) return message;
  if (typeof message === "string") return `${message.slice(0, -1)},"${stamp}"]`;
  const [text = "", ...attachments] = message;
  return [withStamp(text, stamp) as string, ...attachments];
}
