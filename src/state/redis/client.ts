/**
 * The Redis clients that applications pass. Their members are listed here, and nowhere else.
 *
 * @module
 */

import { checkDriver } from "../../base/config/check_driver.ts";
import { text, timeLimit } from "../../base/config/option_kinds.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";

/**
 * A client of `npm:@redis/client` (or `npm:redis`): of `createClient`, `createCluster` or `createSentinel`.
 *
 * These members are used: `sendCommand`, `on`, `isOpen` and `isReady`, and for backplanes also `subscribe` and
 * `unsubscribe` (clusters and sentinels) or `duplicate` and `options` (single clients).
 */
export interface RedisClient {
  /** Sends a command. The parameters depend on the kind of client. */
  sendCommand(...args: never[]): Promise<unknown>;
  /** Adds an event listener. Without one for `error`, a lost connection would end the process. */
  on(event: never, listener: never): unknown;
}

/**
 * A client of `npm:ioredis`: a `Redis` or, except for backplanes, a `Cluster`.
 *
 * These members are used: `call`, `on` and `status`, and for backplanes also `duplicate`.
 */
export interface IORedisClient {
  /** Sends a command. */
  call(...args: never[]): unknown;
  /** Adds an event listener. Without one for `error`, a lost connection would end the process. */
  on(event: never, listener: never): unknown;
}

/** A Redis client, as created and closed by the application. */
export type Client = RedisClient | IORedisClient;

/** Options for sessions, shared stores and backplanes in Redis. */
export interface Options {
  /**
   * The prefix of every key. Defaults to `"fw:session:"` for sessions, `"fw:shared:"` for shared stores and
   * `"fw:live:"` for backplanes.
   */
  Prefix?: string;
  /**
   * The time limit for each command, in milliseconds. Defaults to 450, or 1000 for backplanes.
   */
  Timeout?: number;
}

const table = optionTable<Options>("store/redis.Options", "Redis")({
  Prefix: text(),
  Timeout: timeLimit(),
});

/** The members of all clients that are used for commands. */
interface Members {
  readonly isOpen?: boolean;
  readonly isReady?: boolean;
  readonly status?: string;
  readonly isCluster?: boolean;
  readonly options?: { readonly keyPrefix?: string };
  call(...command: string[]): Promise<unknown>;
  sendCommand(...args: unknown[]): Promise<unknown>;
  on(event: string, listener: (failure?: unknown) => void): unknown;
}

/** The details of a command. */
export interface Sending {
  /** The key that the command accesses, which determines the node of a cluster. */
  readonly key: string | undefined;
  /** Removes the command from the client's queue, so that it is not executed after the caller has given up. */
  readonly abortSignal: AbortSignal;
}

/** A kind of client. */
export interface Driver {
  readonly name: "cluster" | "ioredis" | "sentinel" | "single";
  /** The method that only this kind has. */
  readonly mark: string;
  /** The import to write in the application. */
  readonly line: string;
  /** Sends a command that accesses a key. */
  send(client: Members, command: string[], how: Sending): Promise<unknown>;
}

const importLine = '`import { createClient } from "npm:@redis/client@^5"`';

const drivers: readonly Driver[] = [
  {
    name: "ioredis",
    mark: "call",
    line: '`import { Redis } from "npm:ioredis@^5"`',
    send: (client, command) => client.call(...command),
  },
  {
    name: "cluster",
    mark: "nodeClient",
    line: '`import { createCluster } from "npm:@redis/client@^5"`',
    send: (client, command, { key, abortSignal }) =>
      client.sendCommand(key, false, command, { ...asText, abortSignal }),
  },
  {
    name: "sentinel",
    mark: "getMasterNode",
    line: '`import { createSentinel } from "npm:@redis/client@^5"`',
    send: (client, command, { abortSignal }) => client.sendCommand(false, command, { ...asText, abortSignal }),
  },
  {
    name: "single",
    mark: "sendCommand",
    line: importLine,
    send: (client, command) => client.sendCommand(command, asText),
  },
];

/** Replies are strings, even if the application's other commands return buffers. */
const asText = { typeMapping: undefined };

/**
 * Checks a client and its options.
 *
 * @param owner The part of fw that uses the client, for messages.
 * @param client The client.
 * @param options The options.
 * @returns The kind of client.
 * @throws {FrameworkError} If a member of the client is missing or an option is invalid.
 */
export function driverOf(owner: string, client: Client, options: Options): Driver {
  // Every function has a method named "call".
  const object = typeof client === "object" ? client : null;
  const driver = drivers.find(({ mark }) => typeof Reflect.get(Object(object), mark) === "function");
  const methods = driver?.name === "ioredis" ? ["call", "on"] : ["sendCommand", "on"];
  readOptions(table, options, owner);
  checkDriver(client, { owner, noun: "client", methods, line: driver?.line ?? importLine });
  return driver as Driver;
}

/** Checks that a client can subscribe to channels. */
export function checkSubscriber(owner: string, client: Client, { name, line }: Driver): void {
  const methods = name === "cluster" || name === "sentinel" ? ["subscribe", "unsubscribe"] : ["duplicate"];
  checkDriver(client, { owner, noun: "client", methods, line });
  if (name === "ioredis" && (client as unknown as Members).isCluster === true) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use an ioredis Cluster for ${owner}: it does not report lost subscriptions; ` +
        'use `import { createCluster } from "npm:@redis/client@^5"`',
    );
  }
}

/** A checked client. */
export class Sender {
  static readonly #senders = new WeakMap<Client, Sender>();
  readonly #driver: Driver;
  readonly #client: Members;
  /** Resolved after the first attempt to connect. */
  readonly #tried = Promise.withResolvers<void>();
  #failure: unknown = undefined;

  /** Returns the sender of a client. All stores that use the client share it. */
  static of(driver: Driver, client: Client): Sender {
    let sender = Sender.#senders.get(client);
    if (sender === undefined) Sender.#senders.set(client, sender = new Sender(driver, client as unknown as Members));
    return sender;
  }

  constructor(driver: Driver, client: Members) {
    this.#driver = driver;
    this.#client = client;
    // Without a listener, a lost connection would end the process. Waiting callers get a rejected promise.
    client.on("error", (failure) => this.#note(failure));
    client.on("ready", () => this.#note(undefined));
  }

  /** Reports whether a script can only access the keys that are passed to it. */
  get isKeyBound(): boolean {
    const { isCluster, options } = this.#client;
    return this.#driver.name === "cluster" || isCluster === true || Boolean(options?.keyPrefix);
  }

  /**
   * Sends a command. Commands wait for the first attempt to connect. Afterwards, they fail immediately while there is
   * no connection.
   */
  async send(command: string[], how: Sending): Promise<unknown> {
    if (!this.#isReady()) {
      if (this.#client.isOpen === false) throw new Error("The Redis client is not connected: call its connect method");
      await this.#tried.promise;
      if (!this.#isReady()) throw this.#failure ?? new Error("The Redis client has lost its connection");
    }
    this.#tried.resolve();
    return await this.#driver.send(this.#client, command, how);
  }

  #note(failure: unknown): void {
    this.#failure = failure;
    this.#tried.resolve();
  }

  #isReady(): boolean {
    const { status, isReady, isOpen } = this.#client;
    if (status !== undefined) return status === "ready" || status === "wait";
    return isReady ?? isOpen ?? true;
  }
}
