/**
 * The NATS connection of an application. Its members are listed here, and nowhere else.
 *
 * @module
 */
import { TimeLimit } from "../../state/store/time_limit.ts";
import { checkDriver } from "../../base/config/check_driver.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";

/**
 * A connection of `npm:@nats-io/transport-node`, `jsr:@nats-io/transport-deno`, or another transport for
 * `@nats-io/nats-core`.
 *
 * These members are used: `request`, `subscribe`, `flush`, `status`, `getServer` and `info`.
 */
export interface Connection {
  /** Sends a request and waits for the response. */
  request(...args: never[]): Promise<unknown>;
  /** Subscribes to a subject. */
  subscribe(...args: never[]): unknown;
  /** Waits until the server has received all messages. */
  flush(): Promise<void>;
  /** Reports the connection's events. */
  status(): AsyncIterable<unknown>;
  /** Returns the server's host and port. */
  getServer(): string;
}

/** A message. */
export interface Message {
  readonly headers?: { readonly code: number; readonly description: string; get(name: string): string };
  string(): string;
}

/** The members of a connection, as they are used here. */
interface Members {
  readonly info?: { readonly "max_payload": number };
  request(subject: string, payload: string | Uint8Array, options: object): Promise<Message>;
  subscribe(
    subject: string,
    options: { readonly callback: (error: Error | null, message: Message) => void },
  ): { unsubscribe(): void };
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string }> & { stop?(): void };
  getServer(): string;
}

const rule = {
  owner: "the NATS backplane",
  noun: "connection",
  methods: ["request", "subscribe", "flush", "status", "getServer"],
  line: '`import { connect } from "npm:@nats-io/transport-node@^3"`',
};

/** The connection between two losses. After a reconnection, it is another object. */
export interface NatsLink {
  /** The maximum number of bytes of a message. */
  readonly maxPayload: number;
  /** Sends a request. Rejects if there is no response in time. */
  request(subject: string, payload: string | Uint8Array, headers?: { encode(): Uint8Array }): Promise<Message>;
}

/** A connection that all channels share. The application opens and closes it. */
export class NatsConnection {
  readonly #client: Promise<Members>;
  readonly #timeout: number;
  readonly #limit: TimeLimit;
  readonly #returned: () => void;
  /** Fail the calls in flight. */
  readonly #inFlight = new Set<(reason: string) => void>();
  readonly #subscriptions = new Set<{ unsubscribe(): void }>();
  #link: NatsLink | undefined = undefined;
  #server = "";
  #isLost = false;
  #close: (() => void) | undefined = undefined;
  #isClosed = false;

  /** The callback is called when a lost connection has been restored, because messages may have been missed. */
  constructor(connection: Connection | Promise<Connection>, timeout: number, returned: () => void) {
    if (!(connection instanceof Promise)) checkDriver(connection, rule);
    this.#timeout = timeout;
    this.#limit = new TimeLimit(timeout);
    this.#returned = returned;
    this.#client = this.#watch(connection);
    this.#client.catch(ignore);
  }

  /** Calls the server. If it cannot be reached, the error names it. */
  async run<T>(call: (link: NatsLink) => Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const fail = (reason: string) => reject(new Error(reason));
    this.#inFlight.add(fail);
    try {
      if (this.#isClosed) throw new Error("The backplane is closed");
      if (this.#isLost) throw new Error("The connection is lost");
      const link = this.#link ??= linkOf(await this.#limit.run(this.#client, timeoutError), this.#timeout);
      // The client itself does not notice that a lost connection cannot deliver the response.
      return await Promise.race([call(link), promise]);
    } catch (error) {
      if (error instanceof FrameworkError) throw error;
      const place = this.#server === "" ? "" : ` at "${this.#server}"`;
      const reason = isTimeout(error) ? `No response within ${this.#timeout} ms` : messageOf(error);
      throw new FrameworkError("FW_LIVE", `Cannot use NATS${place}: ${reason}`, { cause: error });
    } finally {
      this.#inFlight.delete(fail);
    }
  }

  /** Subscribes to a subject. Returns a function that ends the subscription. */
  subscribe(subject: string, receive: (message: Message) => void): Promise<() => void> {
    return this.run(async () => {
      const client = await this.#client;
      const subscription = client.subscribe(subject, {
        callback: (error, message) => error === null ? receive(message) : undefined,
      });
      this.#subscriptions.add(subscription);
      const end = () => {
        this.#subscriptions.delete(subscription);
        subscription.unsubscribe();
      };
      // Messages that are published from now on must be received.
      await this.#limit.run(client.flush(), timeoutError).catch((error) => {
        end();
        throw error;
      });
      return end;
    });
  }

  /** Ends all subscriptions. Calls in flight fail. The connection stays open. */
  close(): void {
    this.#isClosed = true;
    for (const fail of this.#inFlight) fail("The backplane is closed");
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#subscriptions.clear();
    this.#close?.();
  }

  /** Waits for the connection, and starts to watch it. */
  async #watch(connection: Connection | Promise<Connection>): Promise<Members> {
    const found = await connection;
    checkDriver(found, rule);
    const client = found as unknown as Members;
    if (!this.#isClosed) void this.#follow(client);
    return client;
  }

  async #follow(client: Members): Promise<void> {
    this.#server = client.getServer();
    const events = client.status();
    this.#close = () => events.stop?.();
    for await (const { type } of events) {
      if (type === "disconnect") {
        this.#isLost = true;
        for (const fail of this.#inFlight) fail("The connection is lost");
      }
      if (type !== "reconnect" || this.#isClosed) continue;
      this.#isLost = false;
      this.#link = undefined;
      // The client has already renewed its subscriptions.
      this.#returned();
    }
  }
}

function linkOf(client: Members, timeout: number): NatsLink {
  return {
    maxPayload: client.info?.max_payload ?? Infinity,
    request: (subject, payload, headers) =>
      client.request(subject, payload, { timeout, ...headers !== undefined && { headers } }),
  };
}

/** Reports whether a call has exceeded the time limit. Version 2 of the client only sets a code. */
function timeoutError(): DOMException {
  return new DOMException("Timeout", "TimeoutError");
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || Reflect.get(error, "code") === "TIMEOUT");
}

function ignore(): void {}
