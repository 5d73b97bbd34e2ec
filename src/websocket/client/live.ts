/**
 * The `fw.live.1` client for browsers and Deno. Browsers receive the source of the class unchanged, so it must not
 * refer to anything outside the class.
 *
 * @module
 */

/** A gap in the messages of a room. */
export interface MissedMessages {
  /** The namespace. */
  readonly Namespace: string;
  /** The room. */
  readonly Room: string;
  /** The offset of the first missing message. */
  readonly From: number;
  /** The offset of the last missing message, or `From - 1` if the number of missing messages is unknown. */
  readonly To: number;
  /** The reason: `history`, `epoch` or `slow`. */
  readonly Reason: string;
}

/** The error of a call that the server rejects. */
export interface LiveError extends Error {
  /** The HTTP status code, such as 422 for data that does not match its schema. */
  readonly Status: number;
  /** The validation issues, like the `errors` member of problem details. Empty for other errors. */
  readonly Errors: readonly LiveIssue[];
}

/** A validation issue. */
export interface LiveIssue {
  /** The location in the data, as a JSON Pointer fragment such as `#/age`. */
  readonly pointer: string;
  /** The message that describes the issue. */
  readonly detail: string;
}

/** Options for {@linkcode Live}. */
export interface LiveOptions {
  /** Returns a token. It is sent as the subprotocol `bearer.TOKEN`. Called again before the token expires. */
  readonly Token?: () => string | Promise<string>;
  /**
   * The maximum number of messages to queue while disconnected.
   *
   * @default {100}
   */
  readonly MaxQueued?: number;
  /**
   * The timeout of `Ask` and `Send`, in milliseconds.
   *
   * @default {10000}
   */
  readonly Timeout?: number;
}

/** The state of a connection. */
export type LiveState = "connecting" | "open" | "waiting" | "closed";

// deno-lint-ignore no-explicit-any
type Data = any;
type Wait = {
  done: (value: Data) => void;
  fail: (error: Error) => void;
  timer?: ReturnType<typeof setTimeout>;
  once?: readonly unknown[];
};
type Room = { ns: string; room: string; epoch: string; offset: number; own: boolean };

/** A connection that reconnects automatically and resumes its rooms. */
export class Live {
  #url: string;
  #options: LiveOptions;
  #socket: WebSocket | undefined;
  #state: LiveState = "connecting";
  #tries = 0;
  #away = -1;
  #id = 0;
  #key: string = crypto.randomUUID();
  #idle = 60_000;
  #parts = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #alive: ReturnType<typeof setTimeout> | undefined;
  #waits: Map<number, Wait> = new Map();
  #queue: string[] = [];
  #handlers: Map<string, Set<(data: Data, room: string) => unknown>> = new Map();
  #spaces: Set<string> = new Set([""]);
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
    const key = namespace + "\n" + event;
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
    this.#push(JSON.stringify([1, 0, namespace, event, data ?? null]));
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
    return this.#ask([1, 0, namespace, event, data ?? null]);
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
    return this.#ask([14, 0, namespace, event, data ?? null, this.#key + this.#id], true);
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
    const at: Room = { ns: namespace, room, epoch: "", offset: 0, own: true };
    this.#rooms.set(namespace + "\n" + room, at);
    try {
      this.#place(namespace, room, await this.#ask([7, 0, namespace, room]));
    } catch (error) {
      this.#rooms.delete(namespace + "\n" + room);
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
    this.#rooms.delete(namespace + "\n" + room);
    await this.#ask([8, 0, namespace, room]);
  }

  /** Closes the connection permanently. */
  Close(): void {
    for (const type of ["online", "visibilitychange"]) globalThis.removeEventListener?.(type, this.#wake);
    clearTimeout(this.#timer);
    clearTimeout(this.#alive);
    this.#lose("closed", 1000);
    this.#socket?.close(1000);
    this.#socket = undefined;
  }

  #enter(namespace: string): void {
    if (this.#spaces.has(namespace)) return;
    this.#spaces.add(namespace);
    if (this.#state === "open") this.#connect(namespace);
  }

  #connect(namespace: string): void {
    const positions: Record<string, [string, number]> = {};
    for (const at of this.#rooms.values()) if (at.ns === namespace) positions[at.room] = [at.epoch, at.offset];
    this.#socket?.send(JSON.stringify([5, this.#add({ done() {}, fail() {} }), namespace, positions]));
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
        wait.timer = setTimeout(() => {
          this.#waits.delete(id);
          fail(new Error("No reply within " + timeout + " ms"));
        }, timeout);
      }
      try {
        if (isKept && this.#waits.size > (this.#options.MaxQueued ?? 100)) throw new Error("Too many queued messages");
        if (!isKept || this.#state === "open") this.#push(JSON.stringify(packet));
      } catch (error) {
        this.#waits.delete(id);
        clearTimeout(wait.timer);
        fail(error as Error);
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
    clearTimeout(this.#timer);
    this.#set("connecting", 0);
    let protocols = ["fw.live.1"];
    try {
      const token = await this.#options.Token?.();
      if (token) protocols = [...protocols, "bearer." + token];
      if (this.#state !== "connecting") return;
      const base = globalThis.location?.href;
      const url = new URL(this.#url, base);
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
    for (const namespace of this.#spaces) this.#connect(namespace);
    for (const at of this.#rooms.values()) {
      if (!at.own) continue;
      const place = (value: Data) => this.#place(at.ns, at.room, value);
      this.#socket?.send(
        JSON.stringify([7, this.#add({ done: place, fail() {} }), at.ns, at.room, at.epoch, at.offset]),
      );
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

  #take([op, a, b, c, d, e, f, g]: Data[]): void {
    if (op === 0 && a !== 1) this.#socket?.send("[0,1]");
    else if (op === 1) void this.#call(a, b, c, d);
    else if (op === 2) {
      const at = this.#rooms.get(a + "\n" + b);
      if (at && c) at.offset = Math.max(at.offset, c);
      void this.#call(0, a, d, e, b);
    } else if (op === 3 || op === 4) {
      const wait = this.#waits.get(a);
      this.#waits.delete(a);
      clearTimeout(wait?.timer);
      if (op === 3) wait?.done(b);
      else wait?.fail(Object.assign(new Error(b?.Message), { Status: b?.Status, Errors: b?.Errors ?? [] }));
    } else if (op === 10) {
      this.#place(a, b, { Epoch: f, Offset: g });
      this.#onGap?.({ Namespace: a, Room: b, From: c, To: d, Reason: e });
    } else if (op === 11) this.#away = a;
    else if (op === 12) void this.#renew();
    else if (op === 13) {
      this.#idle = b;
      this.#ready();
    } else if (op === 15) {
      if (c) this.#place(a, b, { Epoch: d, Offset: e }, false);
      else this.#rooms.delete(a + "\n" + b);
    }
  }

  #place(ns: string, room: string, at: Data, own = true): void {
    if (!at?.Epoch) return;
    const key = ns + "\n" + room;
    const known = this.#rooms.get(key);
    if (!known) this.#rooms.set(key, { ns, room, epoch: at.Epoch, offset: at.Offset, own });
    else {
      known.offset = known.epoch === at.Epoch || !known.epoch ? Math.max(known.offset, at.Offset) : at.Offset;
      known.epoch = at.Epoch;
    }
  }

  async #call(id: number, namespace: string, event: string, data: Data, room = ""): Promise<void> {
    const all = this.#handlers.get(namespace + "\n" + event);
    try {
      let value: unknown;
      if (id && !all?.size) throw new Error("No handler for the event " + event);
      for (const handler of all ?? []) value = id ? await handler(data, room) : handler(data, room);
      if (id) this.#socket?.send(JSON.stringify([3, id, value ?? null]));
    } catch (error) {
      if (id) this.#socket?.send(JSON.stringify([4, id, { Message: (error as Error).message }]));
      else reportError(error);
    }
  }

  async #renew(): Promise<void> {
    const token = await this.#options.Token?.();
    await this.#ask([9, 0, token ?? ""]).catch(() => {});
  }

  #hear(): void {
    clearTimeout(this.#alive);
    this.#alive = setTimeout(() => this.#drop(), this.#idle * 1.25);
  }

  #check(): void {
    if (this.#state === "waiting") return void this.#open();
    if (this.#state !== "open") return;
    this.#socket?.send("[0]");
    clearTimeout(this.#alive);
    this.#alive = setTimeout(() => this.#drop(), 3_000);
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
    this.#timer = setTimeout(() => this.#open(), pause);
  }

  #lose(state: LiveState, code: number): void {
    for (const [id, wait] of this.#waits) {
      if (wait.once && state !== "closed") continue;
      this.#waits.delete(id);
      clearTimeout(wait.timer);
      wait.fail(new Error("The connection was lost"));
    }
    this.#set(state, code);
  }

  #set(state: LiveState, code: number): void {
    if (state !== this.#state) this.#onState?.(this.#state = state, code);
    this.#state = state;
  }
}
