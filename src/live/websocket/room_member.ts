/**
 * Delivers the messages of a room to a connection.
 *
 * @module
 */

import { HTTPError } from "../../base/errors/errors.ts";
import type { Entry } from "../hub/backplane.ts";
import type { Channel, Gap, Sink } from "../hub/channel.ts";
import { isChannelName, roomChannel } from "../hub/channel_name.ts";
import { type PayloadHead, splitPayload } from "../hub/payload.ts";
import type { RoomEmitter } from "./conn.ts";
import { type Destination, emitterTo, isInAudience } from "./emitter.ts";
import type { Link, NamespacePart } from "./link.ts";
import type { Settings } from "./options.ts";
import type { Codec, Message } from "./wire/codec.ts";

const MAX_NAME = 256;

/**
 * Creates an emitter for rooms.
 *
 * @param settings The server settings, which include the hub and the retention of rooms without a topic.
 * @param namespace The namespace.
 * @param rooms The rooms.
 */
export function roomEmitter(
  settings: Pick<Settings, "Hub" | "Rooms">,
  namespace: string,
  rooms: readonly string[],
): RoomEmitter {
  const roomOf = (room: string) => roomDestination(settings, namespace, room);
  return emitterTo({ hub: settings.Hub, destinations: rooms.map(roomOf), roomOf });
}

/** Returns the channel of a room and its retention. */
export function roomDestination(
  { Rooms: rooms }: Pick<Settings, "Rooms">,
  namespace: string,
  room: string,
): Destination {
  checkRoom(room);
  return { channel: roomChannel(namespace, room), retention: rooms };
}

/** Rejects invalid room names. Clients choose them, so their length and their characters are limited. */
export function checkRoom(room: unknown): void {
  if (typeof room === "string" && room !== "" && room.length <= MAX_NAME && isChannelName(room)) return;
  throw new HTTPError(400, `A room name must have 1 to ${MAX_NAME} characters and no control characters`);
}

/** The room of a member. */
export interface MemberRoom {
  readonly part: NamespacePart;
  readonly room: string;
  /** Whether the room's messages are stored, so that the client can resume. */
  readonly isStored: boolean;
}

/** A connection that is a member of a room. */
export class RoomMember implements Sink {
  readonly room: string;
  readonly channel: Channel;
  readonly #link: Link;
  readonly #part: NamespacePart;
  readonly #namespace: string;
  readonly #isStored: boolean;
  /** Whether `OnRoomJoined` has been called. */
  isJoined = false;
  /** Stops sending the changes of the room's members, if the client watches them. */
  unwatch: (() => void) | undefined = undefined;

  constructor(link: Link, channel: Channel, { part, room, isStored }: MemberRoom) {
    this.room = room;
    this.channel = channel;
    this.#link = link;
    this.#part = part;
    this.#namespace = part.Namespace;
    this.#isStored = isStored;
  }

  /** Stops sending the changes of the room's members. */
  stopWatching(): void {
    this.unwatch?.();
    this.unwatch = undefined;
  }

  get isOpen(): boolean {
    return !this.#link.isEnded;
  }

  deliver(channel: Channel, entry: Entry): void {
    if (!this.#part.isAccepted) return this.#part.defer(() => this.deliver(channel, entry));
    const link = this.#link;
    const packet = this.#packetOf(entry, link.codec);
    if (lastAudience !== undefined && !isInAudience(lastAudience, link, this.#part)) return this.#pass(channel, entry);
    if (link.host.settings.Slow !== "latest") return link.send(packet);
    const from = entry.Offset;
    const [, content] = splitPayload(entry.Payload);
    const event = content.slice(0, content.indexOf('",') + 1);
    link.sendRoom(
      packet,
      `${this.#namespace}\n${this.room}\n${event}`,
      () => {
        const To = channel.position.Offset - 1;
        return this.#notice({ From: from, To, Reason: "slow" }, To);
      },
    );
  }

  async ready(size: number): Promise<void> {
    await this.#link.drained(size);
  }

  skip(channel: Channel, gap: Gap, at: number): void {
    if (!this.#part.isAccepted) return this.#part.defer(() => this.skip(channel, gap, at));
    this.#link.send(this.#notice(gap, at));
  }

  /** Moves the client past a message that is not for it. Otherwise, it would receive the message when it resumes. */
  #pass(channel: Channel, { Offset }: Entry): void {
    if (!this.#isStored) return;
    const { Epoch } = channel.position;
    this.#link.send(this.#link.codec.moved(this.#namespace, this.room, { Epoch, Offset }));
  }

  #packetOf(entry: Entry, codec: Codec): Message {
    if (entry !== lastEntry || codec !== lastCodec || this.#namespace !== lastNamespace) {
      const [head, content] = splitPayload(entry.Payload);
      lastPacket = codec.room(this.#namespace, this.room, this.#isStored ? entry.Offset : 0, { head, content });
      lastAudience = head;
      lastEntry = entry;
      lastCodec = codec;
      lastNamespace = this.#namespace;
      void ready.then(forgetLast);
    }
    return lastPacket;
  }

  #notice(gap: Gap, Offset: number): string | undefined {
    const { Epoch } = this.channel.position;
    return this.#link.codec.gap(this.#namespace, this.room, gap, { Epoch, Offset });
  }
}

// All members of a room receive the same string, so a message is serialized only once. It is then forgotten, because a
// long message must not be retained until the next one.
let lastEntry: Entry | undefined;
let lastCodec: Codec | undefined;
let lastNamespace = "";
let lastPacket: Message;
let lastAudience: PayloadHead | undefined;

const ready: Promise<void> = Promise.resolve();

function forgetLast(): void {
  lastEntry = lastPacket = lastAudience = undefined;
}
