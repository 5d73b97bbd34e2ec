/**
 * The event handlers of the `fw.live.1` client.
 *
 * @module
 */

import type { LiveNamespaceOptions } from "./live_options.ts";
import type { Data, LiveState, MissedMessages } from "./live_types.ts";

/** The event handlers of a connection. Browsers receive the source of the class, like that of `Live`. */
export abstract class LiveEvents {
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
