/**
 * The outgoing packets of the `fw.live.1` client.
 *
 * @module
 */

import type { LiveNamespaceOptions } from "./live_options.ts";
import type { Data, LiveState, Message, MissedMessages, Queued } from "./live_types.ts";

/** The event handlers of a connection. Browsers receive the source of the class, like that of `Live`. */
abstract class LiveEvents {
  /** The handlers by the event's name and namespace, or by `any`, `gap` and `state`. */
  #handlers: Map<string, Set<(...values: Data[]) => unknown>> = new Map();

  /**
   * Registers an event handler.
   *
   * @param event The event name.
   * @param handler Called with the data and the room. If the server expects a reply, the handler returns it.
   * @param options The namespace.
   * @returns A function that removes the handler.
   */
  On(event: string, handler: (data: Data, room: string) => unknown, options: LiveNamespaceOptions = {}): () => void {
    const namespace = this.enterOf(options);
    return this.#add(this.nameOf(namespace, event), handler);
  }

  /**
   * Registers an event handler that is called only once.
   *
   * @param event The event name.
   * @param handler Called with the data and the room. If the server expects a reply, the handler returns it.
   * @param options The namespace.
   * @returns A function that removes the handler.
   */
  Once(event: string, handler: (data: Data, room: string) => unknown, options?: LiveNamespaceOptions): () => void {
    const remove = this.On(event, (data, room) => {
      remove();
      return handler(data, room);
    }, options);
    return remove;
  }

  /**
   * Registers a handler for all events of all namespaces.
   *
   * @param handler Called with the event name, the data, the room and the namespace, before the event's own handlers.
   * @returns A function that removes the handler.
   */
  OnAny(handler: (event: string, data: Data, room: string, namespace: string) => void): () => void {
    return this.#add("any", handler);
  }

  /**
   * Registers a handler for missed room messages.
   *
   * @param handler Called with the gap.
   * @returns A function that removes the handler.
   */
  OnGap(handler: (gap: MissedMessages) => void): () => void {
    return this.#add("gap", handler);
  }

  /**
   * Registers a handler for changes of the connection state.
   *
   * @param handler Called with the state and the last close code.
   * @returns A function that removes the handler.
   */
  OnState(handler: (state: LiveState, code: number) => void): () => void {
    return this.#add("state", handler);
  }

  /** Connects to a namespace, now or when the connection opens. */
  abstract enter(namespace: string): void;

  /** Returns the namespace of a call. Throws if the namespace was passed instead of the options. */
  namespaceOf(options: LiveNamespaceOptions): string {
    if (typeof options === "object") return options.Namespace ?? "";
    throw new TypeError('Cannot use the options: they must be an object such as { Namespace: "chat" }');
  }

  /** Connects to the namespace of a call, and returns the namespace. */
  enterOf(options: LiveNamespaceOptions): string {
    const namespace = this.namespaceOf(options);
    this.enter(namespace);
    return namespace;
  }

  /** Returns the key of an event or room. */
  nameOf(namespace: string, name: string): string {
    return namespace + "\n" + name;
  }

  /** Calls the handlers for an event without a reply. An error is reported like that of an event listener. */
  tell(key: string, ...values: unknown[]): void {
    for (const handler of this.#handlers.get(key) ?? []) {
      try {
        handler(...values);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /** Calls the handlers for an event and returns the reply. */
  async answer(key: string, data: Data): Promise<unknown> {
    const all = this.#handlers.get(key);
    if (!all?.size) throw new Error("No handler for the event " + key.split("\n")[1]);
    let value: unknown;
    for (const handler of all) value = await handler(data, "") ?? value;
    return value;
  }

  #add(key: string, handler: (...values: Data[]) => unknown): () => void {
    const all = this.#handlers.get(key) ?? new Set();
    this.#handlers.set(key, all.add(handler));
    return () => void all.delete(handler);
  }
}

/**
 * The unsent packets of a connection, and the packets in flight. Browsers receive the source of the class, like that of
 * `Live`.
 *
 * The server closes a connection with more than 64 unhandled packets (1008), so only some packets are sent at once. It
 * handles packets in order, so a reply means that it has handled all earlier packets as well.
 */
export abstract class LiveQueue extends LiveEvents {
  #unsent: Queued[] = [];
  /** The IDs of the packets in flight, in order, with 0 for packets without a reply. */
  #flight: number[] = [];

  /** Returns the number of unsent packets. */
  get unsent(): number {
    return this.#unsent.length;
  }

  /**
   * Serializes a packet. Bytes are appended to the rest of the packet, because JSON has no bytes. A `Map` becomes an
   * object, and a `Set` an array.
   */
  encode(packet: readonly Data[]): Message {
    const isBytes = (value: unknown) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
    const at = packet.findIndex(isBytes);
    const text = JSON.stringify(packet.filter((_, each) => each !== at), (_, value) => {
      if (isBytes(value)) throw new TypeError("Bytes must be the whole data of an event");
      if (value instanceof Map) return Object.fromEntries(value);
      if (value instanceof Set) return [...value];
      return typeof value === "bigint" ? (JSON as Data).rawJSON(value) : value;
    });
    if (at < 0) return text;
    const { buffer = packet[at], byteOffset, byteLength } = packet[at];
    const head = new TextEncoder().encode(text);
    const whole = new Uint8Array(2 + head.length + byteLength);
    new DataView(whole.buffer).setUint16(0, head.length);
    whole.set(head, 2);
    whole.set(new Uint8Array(buffer, byteOffset, byteLength), 2 + head.length);
    return whole;
  }

  /**
   * Parses a message. Integers that a number cannot represent exactly become bigints, except in browsers from before
   * 2025, which do not pass the source text.
   */
  decode(text: string): Data {
    const exact = (_: string, value: Data, { source }: Data = {}) =>
      /^-?\d{16,}$/.test(source) && source !== String(value) ? BigInt(source) : value;
    return JSON.parse(text, /[1-9]\d{15}/.test(text) ? exact : undefined);
  }

  /** Adds packets. */
  enqueue(...packets: readonly Queued[]): void {
    this.#unsent.push(...packets);
  }

  /** Reports whether a packet has not been sent yet. */
  isUnsent(id: number): boolean {
    return this.#unsent.some((each) => each.id === id);
  }

  /** Removes a packet. */
  discard(id: number): void {
    this.#unsent = this.#unsent.filter((each) => each.id !== id);
  }

  /** Removes the packets of the last connection. */
  unbind(): void {
    this.#flight = [];
    this.#unsent = this.#unsent.filter(({ isBound }) => !isBound);
  }

  /** Moves the unsent packets behind those that a function adds. */
  defer(add: () => void): void {
    const later = this.#unsent.splice(0);
    add();
    this.enqueue(...later);
  }

  /**
   * Removes and returns the messages that may be sent now.
   *
   * @param newID Creates an ID for an event without a reply. Some of these events request one, so that the queue moves
   * on.
   */
  sendable(newID: () => number): Message[] {
    return this.#unsent.splice(0, Math.max(0, 50 - this.#flight.length)).map(({ id, message }) => {
      const isText = typeof message === "string";
      const mark = isText && !id && this.#flight.length % 16 === 15 ? newID() : id;
      if (isText || id) this.#flight.push(mark);
      return isText && mark !== id ? message.replace(",0,", "," + mark + ",") : message;
    });
  }

  /** Records that the server has replied to a packet. */
  replied(id: number): void {
    this.#flight.splice(0, id ? this.#flight.indexOf(id) + 1 : 0);
  }
}
