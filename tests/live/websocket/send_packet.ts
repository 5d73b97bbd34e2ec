/**
 * Sends packets as text, so that a test decides every digit of them.
 *
 * @module
 */

import type { Failure } from "../../../src/live/websocket/wire/codec.ts";
import { Op, type Packet, readPackets } from "../../../src/live/websocket/wire/packet.ts";
import type { TestSocket } from "../../../src/tools/httptest/mod.ts";

let lastID = 1_000;

/** The reply to a packet, or its error. */
export interface Answer {
  readonly reply?: unknown;
  readonly error?: Failure;
  /** The text of the whole message. */
  readonly text: string;
}

/**
 * Sends a packet and waits for the reply.
 *
 * @param socket The connection.
 * @param op The packet type.
 * @param fields The fields after the ID, as JSON.
 */
export function sendPacket(socket: TestSocket, op: number, fields: string): Promise<Answer> {
  const id = ++lastID;
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const receive = socket.received;
  let parts = "";
  socket.received = (message) => {
    receive.call(socket, message);
    const text = String(message);
    if (text.startsWith("+")) return void (parts += text.slice(1));
    const whole = text.startsWith("=") ? parts + text.slice(1) : text;
    parts = "";
    const found = readPackets(whole)?.find((packet: Packet) => packet[0] !== Op.Event && packet[1] === id);
    if (found === undefined) return;
    socket.received = receive;
    resolve(
      found[0] === Op.Reply ? { reply: found[2], text: whole } : { error: found[2] as Failure, text: whole },
    );
  };
  socket.Write(`[${op},${id},${fields}]`);
  return promise;
}
