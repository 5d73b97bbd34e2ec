/**
 * The `fw.live.1` client for browsers and Deno. Browsers receive the source of the class unchanged, so it must not
 * refer to anything outside the class.
 *
 * @module
 */

import type { LiveOptions, LiveState, MissedMessages } from "./live_types.ts";

// deno-lint-ignore no-explicit-any
type Data = any;

/** A packet that waits for its reply. */
interface Wait {
  readonly done: (value: Data) => void;
  readonly fail: (error: Error) => void;
  timer?: ReturnType<typeof setTimeout>;
  /** The packet, if it is sent again after a reconnection. */
  once?: readonly unknown[];
}

/** A room that the client is in, and the position of the last message received. */
interface Room {
  readonly namespace: string;
  readonly room: string;
  epoch: string;
  offset: number;
  /** Whether the client has joined the room itself. The server adds the client to other rooms again. */
  readonly isOwn: boolean;
}

/** A connection that reconnects automatically and resumes its rooms. */
export class Live {
  // The packet types, as in `../wire/packet.ts`: those of both sides, those of the client and those of the server.
  static readonly #op = { Ping: 0, Event: 1, Room: 2, Reply: 3, Failure: 4 };
  static readonly #request = { Connect: 5, Join: 7, Leave: 8, Renew: 9, Once: 14 };
  static readonly #notice = { Gap: 10, Away: 11, Expiring: 12, Hello: 13, Moved: 15 };
  #url: string;
  #options: LiveOptions;
  #socket: WebSocket | undefined;
  #state: LiveState = "connecting";
  #tries = 0;
  /** The delay before the next connection, as announced by the server, or -1. */
  #away = -1;
  #id = 0;
  /** The prefix of the keys by which the server recognizes repeated events. */
  #key: string = crypto.randomUUID();
  #idle = 60_000;
  /** The received parts of a long message. */
  #parts = "";
  #reconnecting: ReturnType<typeof setTimeout> | undefined;
  #alive: ReturnType<typeof setTimeout> | undefined;
  #waits: Map<number, Wait> = new Map();
  #queue: string[] = [];
  #handlers: Map<string, Set<(data: Data, room: string) => unknown>> = new Map();
  #namespaces: Set<string> = new Set([""]);
  #rooms: Map<string, Room> = new Map();
  #onGap: ((gap: MissedMessages) => void) | undefined;
  #onState: ((state: LiveState, code: number) => void) | undefined;
  #wake: () => void = this.#check.bind(this);

  /**
   * Connects to a server.
   *
   * @param url The URL of the route, such as `wss://shop.example/ws`. In a browser, it may be a path.
   * @param options The token, limits and timeouts.
   */
  constructor(url: string, options: LiveOptions = {}) {
    this.#url = url;
    this.#options = options;
    for (const type of ["online", "visibilitychange"]) globalThis.addEventListener?.(type, this.#wake);
    this.#open();
  }

  /** Returns the connection state. */
  get State(): LiveState {
    return this.#state;
  }

  /**
   * Registers an event handler.
   *
   * @param event The event name.
   * @param handler Called with the data and the room. If the server expects a reply, the handler returns it.
   * @param namespace The namespace. If omitted, the default namespace is used.
   * @returns A function that removes the handler.
   */
  On(event: string, handler: (data: Data, room: string) => unknown, namespace = ""): () => void {
    const key = this.#nameOf(namespace, event);
    const all = this.#handlers.get(key) ?? new Set();
    this.#handlers.set(key, all.add(handler));
    return () => void all.delete(handler);
  }

  /**
   * Registers a handler for missed room messages.
   *
   * @param handler Called with the gap.
   */
  OnGap(handler: (gap: MissedMessages) => void): void {
    this.#onGap = handler;
  }

  /**
   * Registers a handler for changes of the connection state.
   *
   * @param handler Called with the state and the last close code.
   */
  OnState(handler: (state: LiveState, code: number) => void): void {
    this.#onState = handler;
  }

  /**
   * Sends an event. Events are delivered in order and at most once.
   *
   * @param event The event name.
   * @param data The event data.
   * @param namespace The namespace. If omitted, the default namespace is used.
   */
  Emit(event: string, data?: unknown, namespace = ""): void {
    this.#enter(namespace);
    this.#push(JSON.stringify([Live.#op.Event, 0, namespace, event, data ?? null]));
  }

  /**
   * Sends an event and waits for the reply.
   *
   * @param event The event name.
   * @param data The event data.
   * @param namespace The namespace. If omitted, the default namespace is used.
   * @returns The reply. The promise rejects with the server's error, on a timeout, or if the connection is lost.
   */
  Ask(event: string, data?: unknown, namespace = ""): Promise<Data> {
    this.#enter(namespace);
    return this.#ask([Live.#op.Event, 0, namespace, event, data ?? null]);
  }

  /**
   * Sends an event and waits for the reply. The event is sent again after a reconnection, but the server applies it
   * only once.
   *
   * @param event The event name.
   * @param data The event data.
   * @param namespace The namespace. If omitted, the default namespace is used.
   * @returns The reply.
   */
  Send(event: string, data?: unknown, namespace = ""): Promise<Data> {
    this.#enter(namespace);
    return this.#ask([Live.#request.Once, 0, namespace, event, data ?? null, this.#key + this.#id], true);
  }

  /**
   * Joins a room. The client joins the room again after a reconnection.
   *
   * @param room The room.
   * @param namespace The namespace. If omitted, the default namespace is used.
   * @returns A promise that rejects if the server refuses.
   */
  async Join(room: string, namespace = ""): Promise<void> {
    this.#enter(namespace);
    const name = this.#nameOf(namespace, room);
    this.#rooms.set(name, { namespace, room, epoch: "", offset: 0, isOwn: true });
    try {
      this.#place(namespace, room, await this.#ask([Live.#request.Join, 0, namespace, room]));
    } catch (error) {
      this.#rooms.delete(name);
      throw error;
    }
  }

  /**
   * Leaves a room.
   *
   * @param room The room.
   * @param namespace The namespace. If omitted, the default namespace is used.
   */
  async Leave(room: string, namespace = ""): Promise<void> {
    this.#rooms.delete(this.#nameOf(namespace, room));
    await this.#ask([Live.#request.Leave, 0, namespace, room]);
  }

  /** Closes the connection permanently. */
  Close(): void {
    for (const type of ["online", "visibilitychange"]) globalThis.removeEventListener?.(type, this.#wake);
    clearTimeout(this.#reconnecting);
    clearTimeout(this.#alive);
    this.#lose("closed", 1000);
    this.#socket?.close(1000);
    this.#socket = undefined;
  }

  /** Returns the key of an event or room. */
  #nameOf(namespace: string, name: string): string {
    return namespace + "\n" + name;
  }

  #enter(namespace: string): void {
    if (this.#namespaces.has(namespace)) return;
    this.#namespaces.add(namespace);
    if (this.#state === "open") this.#connect(namespace);
  }

  #connect(namespace: string): void {
    const positions: Record<string, [string, number]> = {};
    for (const at of this.#rooms.values()) if (at.namespace === namespace) positions[at.room] = [at.epoch, at.offset];
    this.#socket?.send(
      JSON.stringify([Live.#request.Connect, this.#add({ done() {}, fail() {} }), namespace, positions]),
    );
  }

  #add(wait: Wait): number {
    this.#waits.set(++this.#id, wait);
    return this.#id;
  }

  #ask(packet: unknown[], isKept = false): Promise<Data> {
    return new Promise((done, fail) => {
      const wait: Wait = { done, fail };
      const id = packet[1] = this.#add(wait);
      const timeout = this.#options.Timeout ?? 10_000;
      if (isKept) wait.once = packet;
      else {
        wait.timer = setTimeout(
          () => this.#settle(id)?.fail(new Error("No reply within " + timeout + " ms")),
          timeout,
        );
      }
      try {
        if (isKept && this.#waits.size > (this.#options.MaxQueued ?? 100)) throw new Error("Too many queued messages");
        if (!isKept || this.#state === "open") this.#push(JSON.stringify(packet));
      } catch (error) {
        this.#settle(id)?.fail(error as Error);
      }
    });
  }

  #push(text: string): void {
    if (this.#state === "closed") throw new Error("The connection is closed");
    if (this.#state === "open") this.#socket?.send(text);
    else if (this.#queue.length < (this.#options.MaxQueued ?? 100)) this.#queue.push(text);
    else throw new Error("Too many queued messages");
  }

  async #open(): Promise<void> {
    clearTimeout(this.#reconnecting);
    this.#set("connecting", 0);
    let protocols = ["fw.live.1"];
    try {
      const token = await this.#options.Token?.();
      if (token) protocols = [...protocols, "bearer." + token];
      if (this.#state !== "connecting") return;
      const url = new URL(this.#url, globalThis.location?.href);
      url.protocol = url.protocol.replace("http", "ws");
      const socket = this.#socket = new WebSocket(url, protocols);
      socket.binaryType = "arraybuffer";
      socket.onopen = () => this.#hear();
      socket.onmessage = ({ data }) => socket === this.#socket && this.#read(data);
      socket.onerror = () => {};
      socket.onclose = ({ code }) => socket === this.#socket && this.#end(code);
    } catch {
      this.#end(1006);
    }
  }

  #ready(): void {
    this.#tries = 0;
    this.#set("open", 0);
    for (const namespace of this.#namespaces) this.#connect(namespace);
    for (const { namespace, room, epoch, offset, isOwn } of this.#rooms.values()) {
      if (!isOwn) continue;
      const id = this.#add({ done: (position) => this.#place(namespace, room, position), fail() {} });
      this.#socket?.send(JSON.stringify([Live.#request.Join, id, namespace, room, epoch, offset]));
    }
    for (const { once } of this.#waits.values()) if (once) this.#socket?.send(JSON.stringify(once));
    for (const text of this.#queue.splice(0)) this.#socket?.send(text);
  }

  #read(data: string | ArrayBuffer): void {
    this.#hear();
    if (typeof data !== "string") {
      const head = new DataView(data).getUint16(0);
      const packet = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 2, head)));
      return this.#take([...packet, new Uint8Array(data, 2 + head)]);
    }
    if (data[0] === "+") return void (this.#parts += data.slice(1));
    if (data[0] === "=") [data, this.#parts] = [this.#parts + data.slice(1), ""];
    const packet = JSON.parse(data);
    if (typeof packet[0] === "number") this.#take(packet);
    else packet.forEach((each: Data[]) => this.#take(each));
  }

  #take(packet: Data[]): void {
    switch (packet[0]) {
      case Live.#op.Ping:
        return packet[1] === 1 ? undefined : this.#socket?.send("[0,1]");
      case Live.#op.Event: {
        const [, id, namespace, event, data] = packet;
        return void this.#call(id, namespace, event, data);
      }
      case Live.#op.Room: {
        const [, namespace, room, offset, event, data] = packet;
        const at = this.#rooms.get(this.#nameOf(namespace, room));
        if (at && offset) at.offset = Math.max(at.offset, offset);
        return void this.#call(0, namespace, event, data, room);
      }
      case Live.#op.Reply:
        return this.#settle(packet[1])?.done(packet[2]);
      case Live.#op.Failure: {
        const [, id, failure] = packet;
        const { Message, Status, Errors = [] } = failure ?? {};
        return this.#settle(id)?.fail(Object.assign(new Error(Message), { Status, Errors }));
      }
      case Live.#notice.Gap: {
        const [, Namespace, Room, From, To, Reason, Epoch, Offset] = packet;
        this.#place(Namespace, Room, { Epoch, Offset });
        return this.#onGap?.({ Namespace, Room, From, To, Reason });
      }
      case Live.#notice.Away:
        this.#away = packet[1];
        return;
      case Live.#notice.Expiring:
        return void this.#renew();
      case Live.#notice.Hello:
        this.#idle = packet[2];
        return this.#ready();
      case Live.#notice.Moved: {
        const [, namespace, room, isJoined, Epoch, Offset] = packet;
        if (isJoined) this.#place(namespace, room, { Epoch, Offset }, false);
        else this.#rooms.delete(this.#nameOf(namespace, room));
      }
    }
  }

  /** Ends a packet's wait for its reply. */
  #settle(id: number): Wait | undefined {
    const wait = this.#waits.get(id);
    this.#waits.delete(id);
    clearTimeout(wait?.timer);
    return wait;
  }

  /** Records the position in a room. */
  #place(namespace: string, room: string, at: Data, isOwn = true): void {
    if (!at?.Epoch) return;
    const name = this.#nameOf(namespace, room);
    const known = this.#rooms.get(name);
    if (!known) this.#rooms.set(name, { namespace, room, epoch: at.Epoch, offset: at.Offset, isOwn });
    else {
      known.offset = known.epoch === at.Epoch || !known.epoch ? Math.max(known.offset, at.Offset) : at.Offset;
      known.epoch = at.Epoch;
    }
  }

  async #call(id: number, namespace: string, event: string, data: Data, room = ""): Promise<void> {
    const all = this.#handlers.get(this.#nameOf(namespace, event));
    try {
      let value: unknown;
      if (id && !all?.size) throw new Error("No handler for the event " + event);
      for (const handler of all ?? []) value = id ? await handler(data, room) : handler(data, room);
      if (id) this.#socket?.send(JSON.stringify([Live.#op.Reply, id, value ?? null]));
    } catch (error) {
      if (id) this.#socket?.send(JSON.stringify([Live.#op.Failure, id, { Message: (error as Error).message }]));
      else reportError(error);
    }
  }

  async #renew(): Promise<void> {
    const token = await this.#options.Token?.();
    await this.#ask([Live.#request.Renew, 0, token ?? ""]).catch(() => {});
  }

  #hear(): void {
    clearTimeout(this.#alive);
    // After a pause of the process, timers run before the messages that arrived meanwhile. A second timer lets them in.
    this.#alive = setTimeout(() => this.#probe(this.#idle / 4), this.#idle);
  }

  #check(): void {
    if (this.#state === "waiting") return void this.#open();
    if (this.#state === "open") this.#probe(3_000);
  }

  #probe(patience: number): void {
    this.#socket?.send("[0]");
    clearTimeout(this.#alive);
    this.#alive = setTimeout(() => this.#drop(), patience);
  }

  #drop(): void {
    this.#socket?.close();
    this.#end(1006);
  }

  #end(code: number): void {
    clearTimeout(this.#alive);
    this.#socket = undefined;
    this.#parts = "";
    if (this.#state === "closed") return;
    const isFinal = code === 4403 || code === 4401 && !this.#options.Token;
    this.#lose(isFinal ? "closed" : "waiting", code);
    if (isFinal) return;
    const pause = this.#away >= 0 ? this.#away : Math.random() * Math.min(20_000, 500 * 2 ** ++this.#tries);
    this.#away = -1;
    this.#reconnecting = setTimeout(() => this.#open(), pause);
  }

  #lose(state: LiveState, code: number): void {
    for (const [id, wait] of this.#waits) {
      if (wait.once && state !== "closed") continue;
      this.#settle(id)?.fail(new Error("The connection was lost"));
    }
    this.#set(state, code);
  }

  #set(state: LiveState, code: number): void {
    if (state !== this.#state) this.#onState?.(this.#state = state, code);
    this.#state = state;
  }
}
