/**
 * The connection to NATS. It is opened on first use and reopened whenever it is lost.
 *
 * @module
 */
import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from "npm:@nats-io/jetstream@^3";
import {
  type ConnectionOptions,
  credsAuthenticator,
  deadline,
  type Msg,
  type NatsConnection as Client,
  TimeoutError,
} from "npm:@nats-io/nats-core@^3";
import { runShared } from "../async/async_context.ts";
import { FrameworkError } from "../errors/errors.ts";
import { messageOf } from "../errors/to_error.ts";
import { connect } from "./nats_transport.ts";

/** The delay before reconnecting and its maximum random addition, in milliseconds. */
const PAUSE_MS = 50;
const JITTER_MS = 200;
/** The interval for pinging the server, in milliseconds. Two missing replies mean that the connection is lost. */
const PING_MS = 2_000;

/** The server and the credentials for it. */
export interface NatsServer {
  readonly URL: string;
  readonly Credentials?: string;
  readonly Timeout?: number;
}

/** The client and its JetStream interfaces. After a reconnection, it is another object. */
export interface NatsLink {
  readonly client: Client;
  readonly stream: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** A connection that all channels share. */
export class NatsConnection {
  readonly #options: ConnectionOptions;
  readonly #timeout: number;
  readonly #returned: () => void;
  #link: Promise<NatsLink> | undefined = undefined;
  /** Fail the calls in flight. */
  readonly #inFlight = new Set<(error: Error) => void>();
  #isLost = false;
  #isClosed = false;

  /** The callback is called when a lost connection has been restored, because messages may have been missed. */
  constructor({ URL: url, Credentials, Timeout = 1_000 }: NatsServer, returned: () => void) {
    if (!(Timeout > 0)) {
      throw new FrameworkError("FW_CONFIG", `Timeout must be a positive number of milliseconds, not "${Timeout}"`);
    }
    const authenticator = Credentials === undefined ? [] : [credsAuthenticator(new TextEncoder().encode(Credentials))];
    this.#options = {
      ...serverOf(url),
      authenticator,
      timeout: Timeout,
      reconnectTimeWait: PAUSE_MS,
      reconnectJitter: JITTER_MS,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      noAsyncTraces: true,
      // With a host name, the client would need the permission to connect to each of its addresses.
      resolve: false,
      pingInterval: PING_MS,
    };
    this.#timeout = Timeout;
    this.#returned = returned;
  }

  /** Calls the server. If it cannot be reached, the error names it. */
  async run<T>(call: (link: NatsLink) => Promise<T>): Promise<T> {
    try {
      if (this.#isClosed) throw new Error("The backplane is closed");
      const link = await (this.#link ??= runShared(() => this.#open()));
      if (this.#isLost) throw new Error("The connection is lost");
      return await this.#race(call(link));
    } catch (error) {
      if (error instanceof FrameworkError) throw error;
      const reason = error instanceof TimeoutError ? `No response within ${this.#timeout} ms` : messageOf(error);
      throw new FrameworkError("FW_LIVE", `Cannot use NATS at "${this.#options.servers}": ${reason}`, { cause: error });
    }
  }

  /** Subscribes to a subject. Returns a function that ends the subscription. */
  subscribe(subject: string, receive: (message: Msg) => void): Promise<() => void> {
    return this.run(async ({ client }) => {
      const subscription = client.subscribe(subject, {
        callback: (error, message) => error === null ? receive(message) : undefined,
      });
      const end = () => subscription.unsubscribe();
      // Messages that are published from now on must be received.
      await deadline(client.flush(), this.#timeout).catch((error) => {
        end();
        throw error;
      });
      return end;
    });
  }

  /** Waits for a call. The client itself does not notice that a lost connection cannot deliver the response. */
  async #race<T>(call: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#inFlight.add(reject);
    try {
      return await Promise.race([call, promise]);
    } finally {
      this.#inFlight.delete(reject);
    }
  }

  /** Closes the connection. Calls in flight fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#link?.then(({ client }) => client.close(), () => {});
  }

  async #open(): Promise<NatsLink> {
    try {
      const client = await connect(this.#options);
      const options = { timeout: this.#timeout, checkAPI: false };
      const link = { client, stream: jetstream(client, options), manager: await jetstreamManager(client, options) };
      void this.#watch(link);
      return link;
    } catch (error) {
      this.#link = undefined;
      throw error;
    }
  }

  async #watch(link: NatsLink): Promise<void> {
    for await (const { type } of link.client.status()) {
      if (type === "disconnect") {
        this.#isLost = true;
        for (const reject of this.#inFlight) reject(new Error("The connection is lost"));
      }
      if (type !== "reconnect") continue;
      this.#isLost = false;
      this.#link = Promise.resolve({ ...link });
      // The client has already renewed its subscriptions.
      this.#returned();
    }
  }
}

function serverOf(url: string): ConnectionOptions {
  const { protocol, host, username, password } = URL.parse(url) ?? {};
  if ((protocol !== "nats:" && protocol !== "tls:") || !host) {
    // The URL is not part of the message, because it may contain a password.
    throw new FrameworkError("FW_CONFIG", "Cannot use the NATS URL: it must be a nats:// or tls:// URL with a host");
  }
  const [user = "", pass = ""] = [username, password].map((each) => decodeURIComponent(each ?? ""));
  return {
    servers: host,
    ...(pass !== "" ? { user, pass } : user !== "" ? { token: user } : {}),
    ...(protocol === "tls:" ? { tls: {} } : {}),
  };
}
