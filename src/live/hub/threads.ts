/**
 * A backplane for threads in one process, such as those started by `deno serve --parallel`.
 *
 * One thread is the leader. It numbers and stores all messages. The others reach it through a `BroadcastChannel`, which
 * silently drops messages if more than 256 are pending for a busy thread. Calls are therefore repeated until the leader
 * replies, and every thread compares offsets and reads missing messages.
 *
 * @example Share rooms between threads
 * ```ts ignore
 * import * as live from "@fw/web/live";
 * import * as threads from "@fw/web/live/threads";
 * import * as websocket from "@fw/web/websocket";
 *
 * const hub = live.New({ Backplane: threads.New() });
 * const server = websocket.New({ Hub: hub });
 * ```
 *
 * @module
 */
import { markBounded } from "./unavailable.ts";
import { filled } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import type { Backplane, Entry, Listener, Position } from "./backplane.ts";
import { MemoryBackplane } from "./memory.ts";

/** The time after which a call is repeated, and the time after which it fails, in milliseconds. */
const REPEAT_MS = 200;
const GIVE_UP_MS = 5_000;
/** The maximum number of results that the leader stores, so that repeated calls are not executed twice. */
const MAX_RESULTS = 10_000;

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The name of the `BroadcastChannel` and lock that the threads share.
   *
   * @default {"fw.live"}
   */
  Name?: string;
}

const table = optionTable<Options>("live/threads.Options", "the threads backplane")({
  Name: filled("fw.live"),
});

/**
 * Creates a backplane for the threads of a process.
 *
 * @param config The shared name.
 * @returns The backplane. The hub closes it.
 */
export function New(config: Options = {}): Backplane {
  const threads = new Threads(readOptions(table, config).Name);
  const calls = methods.map((method) => [method, (...args: readonly unknown[]) => threads.call(method, args)]);
  return markBounded({
    IsLossless: false,
    ...Object.fromEntries(calls) as Pick<Backplane, Method>,
    Listen: (channel, listener) => threads.listen(channel, listener),
    Unlisten: (channel) => threads.unlisten(channel),
    Close: () => threads.close(),
  });
}

/** The Web Locks API. All threads of a process share it. Deno's types do not include it yet. */
const { locks } = navigator as unknown as {
  readonly locks: {
    request(name: string, options: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void>;
  };
};

/** The methods that the leader executes on behalf of the other threads. */
const methods = ["Publish", "Read", "Renew", "Put", "Rows", "Claim", "Settle"] as const;
type Method = typeof methods[number];

type Message =
  | { readonly kind: "call"; readonly id: string; readonly method: Method; readonly args: readonly unknown[] }
  | { readonly kind: "result"; readonly id: string; readonly value: unknown }
  | { readonly kind: "entry"; readonly channel: string; readonly epoch: string; readonly entry: Entry }
  | { readonly kind: "leader" };

/** A call that is waiting for the leader's reply. */
interface Call {
  readonly message: Message;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** The time at which the call fails, as a `performance.now()` timestamp. */
  readonly deadline: number;
}

class Threads {
  readonly #channel: BroadcastChannel;
  readonly #thread: string = crypto.randomUUID();
  readonly #listeners = new Map<string, Listener>();
  readonly #calls = new Map<string, Call>();
  readonly #results = new Map<string, unknown>();
  readonly #closed = new AbortController();
  /** The log of all messages, if this thread is the leader. */
  #log: MemoryBackplane | undefined = undefined;
  #stopLeading: (() => void) | undefined = undefined;
  #repeating: ReturnType<typeof setInterval> | undefined = undefined;
  #lastCall = 0;

  constructor(name: string) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    locks.request(name, { signal: this.#closed.signal }, () => this.#lead()).catch(ignore);
  }

  listen(channel: string, listener: Listener): void {
    this.#listeners.set(channel, listener);
  }

  unlisten(channel: string): void {
    this.#listeners.delete(channel);
  }

  close(): void {
    this.#closed.abort();
    this.#stopLeading?.();
    clearInterval(this.#repeating);
    for (const { reject } of this.#calls.values()) reject(unreachable("the backplane is closed"));
    this.#calls.clear();
    this.#channel.close();
  }

  /**
   * Leads until this thread ends. The next leader starts with an empty log and new epochs, so all subscribers receive a
   * gap notice.
   */
  #lead(): Promise<void> {
    if (this.#closed.signal.aborted) return Promise.resolve();
    this.#log = new MemoryBackplane();
    this.#post({ kind: "leader" });
    for (const listener of this.#listeners.values()) listener.Missed();
    for (const [id, { message, resolve }] of this.#calls) {
      this.#calls.delete(id);
      if (message.kind === "call") resolve(this.#execute(message.method, message.args));
    }
    return new Promise((resolve) => this.#stopLeading = resolve);
  }

  call(method: Method, args: readonly unknown[]): Promise<unknown> {
    if (this.#closed.signal.aborted) return Promise.reject(unreachable("the backplane is closed"));
    if (this.#log !== undefined) return Promise.resolve(this.#execute(method, args));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const message: Message = { kind: "call", id: `${this.#thread}:${++this.#lastCall}`, method, args };
    this.#calls.set(message.id, { message, resolve, reject, deadline: performance.now() + GIVE_UP_MS });
    this.#post(message);
    this.#repeating ??= setInterval(() => this.#repeat(), REPEAT_MS);
    return promise;
  }

  #execute(method: Method, args: readonly unknown[]): unknown {
    const log = this.#log as MemoryBackplane;
    const value = (log[method] as (...args: readonly unknown[]) => unknown).apply(log, [...args]);
    if (method === "Publish") {
      const [channel = "", payload = ""] = args as string[];
      const { Epoch, Offset } = value as Position;
      const entry = { Offset, Payload: payload };
      this.#post({ kind: "entry", channel, epoch: Epoch, entry });
      this.#listeners.get(channel)?.Receive(Epoch, entry);
    }
    return value;
  }

  #receive(message: Message): void {
    if (message.kind === "entry") return this.#listeners.get(message.channel)?.Receive(message.epoch, message.entry);
    if (message.kind === "result") return this.#settle(message.id, message.value);
    if (message.kind === "leader") {
      for (const { message: waiting } of this.#calls.values()) this.#post(waiting);
      for (const listener of this.#listeners.values()) listener.Missed();
      return;
    }
    if (this.#log === undefined) return;
    const { id, method, args } = message;
    if (!this.#results.has(id)) this.#remember(id, this.#execute(method, args));
    this.#post({ kind: "result", id, value: this.#results.get(id) });
  }

  #remember(id: string, value: unknown): void {
    this.#results.set(id, value);
    if (this.#results.size <= MAX_RESULTS) return;
    const [oldest = ""] = this.#results.keys();
    this.#results.delete(oldest);
  }

  #settle(id: string, value: unknown): void {
    this.#calls.get(id)?.resolve(value);
    this.#calls.delete(id);
    this.#stopRepeating();
  }

  #repeat(): void {
    const now = performance.now();
    for (const [id, { message, reject, deadline }] of this.#calls) {
      if (now < deadline) this.#post(message);
      else {
        this.#calls.delete(id);
        reject(unreachable(`no thread has replied within ${GIVE_UP_MS} ms`));
      }
    }
    this.#stopRepeating();
  }

  #stopRepeating(): void {
    if (this.#calls.size > 0) return;
    clearInterval(this.#repeating);
    this.#repeating = undefined;
  }

  #post(message: Message): void {
    if (!this.#closed.signal.aborted) this.#channel.postMessage(message);
  }
}

function unreachable(why: string): FrameworkError {
  return new FrameworkError("FW_LIVE", `Cannot reach the other threads: ${why}`);
}

function ignore(): void {}
