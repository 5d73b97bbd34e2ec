/**
 * The `fw.live.1` client for browsers and Deno. `deno task media` bundles it for browsers, so it must not use anything
 * that only Deno has.
 *
 * @module
 */

import { LiveRooms } from "./live_rooms.ts";
import type { LiveAskOptions, LiveJoinOptions, LiveNamespaceOptions, LiveOptions } from "./live_options.ts";
import type { Data, LiveState, Message, Room, Wait } from "./live_types.ts";

/** A connection that reconnects automatically and resumes its rooms. */
export class Live extends LiveRooms {
  // The packet types, as in `../wire/packet.ts`: those of both sides, those of the client and those of the server.
  static readonly #op = { Ping: 0, Event: 1, Room: 2, Reply: 3, Failure: 4 };
  static readonly #request = { Connect: 5, Join: 7, Leave: 8, Renew: 9, Once: 14 };
  static readonly #notice = { Gap: 10, Away: 11, Expiring: 12, Hello: 13, Moved: 15, Members: 17 };
  #url: URL;
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
  /** The reason why the last attempt to connect failed. */
  #cause: unknown;
  #namespaces: Set<string> = new Set([""]);
  #wake: () => void = this.#check.bind(this);

  /**
   * Connects to a server.
   *
   * @param url The URL of the route, such as `wss://shop.example/ws`. In a browser, it may be a path.
   * @param options The token, limits and timeouts.
   */
  constructor(url: string, options: LiveOptions = {}) {
    super();
    this.#url = new URL(url, globalThis.location?.href);
    this.#url.protocol = this.#url.protocol.replace("http", "ws");
    this.#options = options;
    for (const type of ["online", "visibilitychange"]) globalThis.addEventListener?.(type, this.#wake);
    this.#open();
  }

  /** Returns the connection state. */
  get State(): LiveState {
    return this.#state;
  }

  /**
   * Sends an event. Events are delivered in order and at most once.
   *
   * @param event The event name.
   * @param data The event data. Bytes are sent unchanged, and other values are sent as JSON.
   * @param options The namespace.
   */
  Emit(event: string, data?: unknown, options: LiveNamespaceOptions = {}): void {
    const namespace = this.enterOf(options);
    this.#push(this.encode([Live.#op.Event, 0, namespace, event, data ?? null]));
  }

  /**
   * Sends an event and waits for the reply.
   *
   * @param event The event name.
   * @param data The event data. Bytes are sent unchanged, and other values are sent as JSON.
   * @param options The namespace and the timeout.
   * @returns The reply. The promise rejects with the server's error, on a timeout, or if the connection is lost.
   */
  Ask(event: string, data?: unknown, options: LiveNamespaceOptions & LiveAskOptions = {}): Promise<Data> {
    const namespace = this.enterOf(options);
    return this.#ask([Live.#op.Event, 0, namespace, event, data ?? null], false, options.Timeout);
  }

  /**
   * Sends an event and waits for the reply. The event is sent again after a reconnection, but the server applies it
   * only once.
   *
   * @param event The event name.
   * @param data The event data.
   * @param options The namespace.
   * @returns The reply.
   */
  Send(event: string, data?: unknown, options: LiveNamespaceOptions = {}): Promise<Data> {
    const namespace = this.enterOf(options);
    return this.#ask([Live.#request.Once, 0, namespace, event, data ?? null, this.#key + this.#id], true);
  }

  /**
   * Joins a room. The client joins the room again after a reconnection.
   *
   * @param room The room.
   * @param options The parameters, the number of stored messages and the namespace.
   * @returns The reply of the server's `OnRoomJoin`. The promise rejects if the server refuses.
   */
  async Join(room: string, options: LiveJoinOptions & LiveNamespaceOptions = {}): Promise<Data> {
    const namespace = this.enterOf(options);
    const { Params: params, Rewind = 0 } = options;
    const name = this.nameOf(namespace, room);
    const known = this.rooms.get(name);
    const at = known ?? { namespace, room, epoch: "", offset: 0, isOwn: false };
    this.rooms.set(name, at);
    try {
      const joined = await this.#ask([Live.#request.Join, 0, namespace, room, "", 0, params ?? null, Rewind]);
      this.place(namespace, room, joined);
      // Until then, the packet is sent or queued, so the room must not be joined again when the connection opens.
      at.isOwn = true;
      at.params = params;
      return joined?.Reply;
    } catch (error) {
      if (!known) this.rooms.delete(name);
      throw error;
    }
  }

  /**
   * Leaves a room.
   *
   * @param room The room.
   * @param options The namespace.
   */
  async Leave(room: string, options: LiveNamespaceOptions = {}): Promise<void> {
    const namespace = this.namespaceOf(options);
    this.forget(namespace, room);
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

  enter(namespace: string): void {
    if (this.#namespaces.has(namespace)) return;
    this.#namespaces.add(namespace);
    if (this.#state === "open") this.#connect(namespace);
  }

  #connect(namespace: string): void {
    const positions: Record<string, [string, number]> = {};
    for (const at of this.rooms.values()) if (at.namespace === namespace) positions[at.room] = [at.epoch, at.offset];
    const id = this.#add({ done() {}, fail() {} });
    this.#push(JSON.stringify([Live.#request.Connect, id, namespace, positions]), id, true);
  }

  request(packet: unknown[]): Promise<Data> {
    return this.#ask(packet);
  }

  #add(wait: Wait): number {
    this.#waits.set(++this.#id, wait);
    return this.#id;
  }

  #ask(packet: unknown[], isKept = false, timeout = this.#options.Timeout ?? 10_000): Promise<Data> {
    return new Promise((done, fail) => {
      const wait: Wait = { done, fail };
      const id = packet[1] = this.#add(wait);
      if (isKept) wait.once = packet;
      // A longer timer would fire at once.
      else if (timeout < 2 ** 31) {
        wait.timer = setTimeout(() => {
          this.discard(id);
          this.#settle(id)?.fail(new Error("No reply within " + timeout + " ms", { cause: this.#cause }));
        }, timeout);
      }
      try {
        if (isKept && this.#waits.size > (this.#options.MaxQueued ?? 100)) throw new Error("Too many queued messages");
        if (!isKept || this.#state === "open") this.#push(this.encode(packet), id, isKept);
      } catch (error) {
        this.#settle(id)?.fail(error as Error);
      }
    });
  }

  #push(message: Message, id = 0, isBound = false): void {
    const isOpen = this.#state === "open";
    if (this.#state === "closed") throw new Error("The connection is closed");
    if (isOpen && !id && !this.unsent) return this.#socket?.send(message);
    if (!isOpen && !isBound && this.unsent >= (this.#options.MaxQueued ?? 100)) {
      throw new Error("Too many queued messages");
    }
    this.enqueue({ id, message, isBound });
    this.#drain();
  }

  #drain(): void {
    if (this.#state !== "open") return;
    for (const message of this.sendable(() => ++this.#id)) this.#socket?.send(message);
  }

  async #open(): Promise<void> {
    clearTimeout(this.#reconnecting);
    this.#set("connecting", 0);
    try {
      const token = await this.#options.Token?.();
      const protocols = token ? ["fw.live.1", "bearer." + token] : ["fw.live.1"];
      if (this.#state !== "connecting") return;
      const socket = this.#socket = new WebSocket(this.#url, protocols);
      socket.binaryType = "arraybuffer";
      socket.onopen = () => this.#hear();
      socket.onmessage = ({ data }) => socket === this.#socket && this.#read(data);
      socket.onerror = () => {};
      // In Deno, the code of a lost connection is 0.
      socket.onclose = ({ code }) => socket === this.#socket && this.#end(code || 1006);
    } catch (error) {
      this.#end(1006, error);
    }
  }

  #ready(): void {
    this.#cause = undefined;
    this.defer(() => {
      for (const namespace of this.#namespaces) this.#connect(namespace);
      for (const at of this.rooms.values()) if (at.isOwn) this.#rejoin(at);
      for (const [id, { once }] of this.#waits) if (once) this.#push(this.encode(once), id, true);
    });
    this.#set("open", 0);
    this.#drain();
  }

  /** Joins a room again from the last position. If the server refuses, the client misses all further messages. */
  #rejoin(at: Room, socket = this.#socket): void {
    const { namespace, room, epoch, offset } = at;
    if (socket !== this.#socket || this.rooms.get(this.nameOf(namespace, room)) !== at) return;
    const done = (position: Data) => {
      this.place(namespace, room, position);
      this.rewatch(namespace, room);
    };
    const fail = ({ Status }: Error & { Status?: number }) => {
      if (!Status) return;
      // The room cannot be reached now, for example because Redis is unavailable.
      if (Status >= 500) return void setTimeout(() => this.#rejoin(at, socket), 1_000);
      this.forget(namespace, room);
      this.tell("gap", { Namespace: namespace, Room: room, From: offset + 1, To: offset, Reason: "refused" });
    };
    const id = this.#add({ done, fail });
    this.#push(this.encode([Live.#request.Join, id, namespace, room, epoch, offset, at.params ?? null]), id, true);
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
    const packet = this.decode(data);
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
        const [, namespace, room, offset, event, data, bytes] = packet;
        const at = this.rooms.get(this.nameOf(namespace, room));
        if (at && offset) at.offset = Math.max(at.offset, offset);
        const value = bytes ? Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0)) : data;
        return void this.#call(0, namespace, event, value, room);
      }
      case Live.#op.Reply:
        this.replied(packet[1]);
        this.#drain();
        return this.#settle(packet[1])?.done(packet[2]);
      case Live.#op.Failure: {
        const [, id, failure] = packet;
        const { Message, Status, Errors = [], Problem } = failure ?? {};
        this.replied(id);
        this.#drain();
        return this.#settle(id)?.fail(Object.assign(new Error(Message), { Status, Errors, Problem }));
      }
      case Live.#notice.Gap: {
        const [, Namespace, Room, From, To, Reason, Epoch, Offset] = packet;
        this.place(Namespace, Room, { Epoch, Offset });
        return this.tell("gap", { Namespace, Room, From, To, Reason });
      }
      case Live.#notice.Away:
        this.#away = packet[1];
        return;
      case Live.#notice.Expiring:
        // If there is no new token, the server closes the connection, and the next connection asks for one.
        return void this.#renew().catch(() => {});
      case Live.#notice.Hello:
        this.#idle = packet[2];
        return this.#ready();
      case Live.#notice.Moved: {
        const [, namespace, room, isJoined, Epoch, Offset] = packet;
        if (!isJoined) return this.forget(namespace, room);
        this.place(namespace, room, { Epoch, Offset }, false);
        return this.rewatch(namespace, room);
      }
      case Live.#notice.Members:
        return this.changed(packet);
    }
  }

  /** Ends a packet's wait for its reply. */
  #settle(id: number): Wait | undefined {
    const wait = this.#waits.get(id);
    this.#waits.delete(id);
    clearTimeout(wait?.timer);
    return wait;
  }

  async #call(id: number, namespace: string, event: string, data: Data, room = ""): Promise<void> {
    const name = this.nameOf(namespace, event);
    this.tell("any", event, data, room, namespace);
    if (!id) return this.tell(name, data, room);
    try {
      this.#socket?.send(this.encode([Live.#op.Reply, id, await this.answer(name, data) ?? null]));
    } catch (error) {
      this.#socket?.send(JSON.stringify([Live.#op.Failure, id, { Message: (error as Error).message }]));
    }
  }

  async #renew(): Promise<void> {
    await this.#ask([Live.#request.Renew, 0, await this.#options.Token?.() ?? ""]);
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

  #end(code: number, cause?: unknown): void {
    clearTimeout(this.#alive);
    this.#socket = undefined;
    this.#cause = cause;
    this.#parts = "";
    this.unbind();
    this.suspend();
    if (this.#state === "closed") return;
    // If the server has closed the connection because of a limit, the next one may end in the same way.
    if (this.#state === "open" && ![1008, 1009, 1011, 1013].includes(code)) this.#tries = 0;
    const isFinal = code === 4403 || code === 4401 && !this.#options.Token;
    this.#lose(isFinal ? "closed" : "waiting", code);
    if (isFinal) return;
    const pause = this.#away >= 0 ? this.#away : Math.random() * Math.min(20_000, 500 * 2 ** ++this.#tries);
    this.#away = -1;
    this.#reconnecting = setTimeout(() => this.#open(), pause);
  }

  #lose(state: LiveState, code: number): void {
    for (const [id, wait] of this.#waits) {
      // Packets that have not been sent yet are sent when the connection opens.
      const isUnsent = wait.once || this.isUnsent(id);
      if (isUnsent && state !== "closed") continue;
      this.#settle(id)?.fail(new Error("The connection was lost", { cause: this.#cause }));
    }
    this.#set(state, code);
  }

  #set(state: LiveState, code: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.tell("state", state, code);
  }
}
