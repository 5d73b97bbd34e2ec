/**
 * The server's counters for metrics, monitors and traces.
 *
 * @module
 */

import type { Measured } from "../../../core/exchange/meter.ts";

/** A server's counters. */
export class Stats {
  opened = 0;
  closed = 0;
  received = 0;
  failed = 0;
  refused = 0;
  slow = 0;

  /** Returns the metrics, including the current number of connections, rooms and buffered bytes. */
  measured(open: number, rooms: number, buffered: number): Measured[] {
    const rows = [
      ["gauge", "websocket_connections", "Open WebSocket connections.", open],
      ["gauge", "websocket_rooms", "Rooms and topics with subscribers in this process.", rooms],
      ["gauge", "websocket_buffered_bytes", "Bytes buffered for slow readers.", buffered],
      ["counter", "websocket_connections_total", "WebSocket connections opened.", this.opened],
      ["counter", "websocket_refused_total", "Handshakes refused.", this.refused],
      ["counter", "websocket_messages_total", "Messages received.", this.received],
      ["counter", "websocket_failures_total", "Event handlers that failed.", this.failed],
      ["counter", "websocket_slow_total", "Connections closed because the client read too slowly.", this.slow],
    ] as const;
    return rows.map(([Type, Name, Help, Value]) => ({ Name, Type, Help, Value }));
  }
}
