/**
 * Reads the messages of a topic for a response with server-sent events.
 *
 * @module
 */

import { EventID, NewEvent, type ServerEvent } from "../response/server_events.ts";
import type { Channel } from "./channel.ts";
import { EntryQueue, type Queued } from "./entry_queue.ts";
import { readPayload } from "./payload.ts";

/** Queues messages until the response reads them. If there are too many, the response ends and the browser resumes. */
export class TopicReader extends EntryQueue {
  /** Subscribes to new messages. A browser that reconnects before the first message resumes after the ID sent here. */
  async follow(channel: Channel): Promise<void> {
    await channel.add(this);
    const { Epoch, Offset } = channel.position;
    this.push({ epoch: Epoch, offset: Offset, payload: "" });
  }

  async *events(): AsyncGenerator<ServerEvent | EventID> {
    // All readers share the text of a message, so it is parsed only when it is sent.
    for await (const queued of this.entries()) yield eventOf(queued);
  }
}

/** Creates an event. A message that cannot be read, because others write to the backplane too, becomes a gap. */
function eventOf({ epoch, offset, payload, gap }: Queued): ServerEvent | EventID {
  const id = `${epoch}.${offset}`;
  // The event ID moves past the gap. Otherwise, the next connection would receive the same gap notice again.
  if (gap !== undefined) return NewEvent(gap, { Name: "gap", ID: id });
  if (payload === "") return new EventID(id);
  const found = readPayload(payload);
  if (found === undefined) return NewEvent({ From: offset, To: offset, Reason: "history" }, { Name: "gap", ID: id });
  const { event, data } = found;
  // Server-sent events are text.
  return NewEvent(data instanceof Uint8Array ? data.toBase64() : data, { Name: event, ID: id });
}
