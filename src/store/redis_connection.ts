/**
 * A connection to Redis. It is opened on first use and reopened if it is lost, and its calls have a time limit.
 *
 * @module
 */
import { createClient } from "npm:@redis/client@^5";
import { runShared } from "../async/async_context.ts";
import { FrameworkError } from "../errors/errors.ts";
import type { Script } from "./redis_script.ts";
import { TimeLimit } from "./time_limit.ts";

/** The methods of the npm client that are used in this file. */
interface Client {
  readonly isOpen: boolean;
  sendCommand(command: string[]): Promise<unknown>;
  destroy(): void;
  ref(): void;
  unref(): void;
}

/** The time for which calls fail immediately after a failed connection attempt, in milliseconds. */
const restBetweenAttempts = 50;

/** Creates a connection that is opened on first use. Throws if the URL or the timeout is invalid. */
export function openConnection(url: string, timeout = 450): Connection {
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the Redis URL "${withoutSecrets(url)}": it must be a redis:// or rediss:// URL`,
    );
  }
  if (!(timeout > 0)) {
    throw new FrameworkError("FW_CONFIG", `Timeout must be a positive number of milliseconds, not "${timeout}"`);
  }
  return new Connection(url, timeout);
}

/** Removes the part before the host from a URL, because it may contain a password. The URL may be malformed. */
function withoutSecrets(url: unknown): string {
  return String(url).replace(/[?#].*$/s, "").replace(/^((?:[a-z][a-z\d+.-]*:)?(?:\/\/)?).*@/is, "$1***@");
}

/** A connection that is reopened on use, so that it does not need a timer while it is idle. */
export class Connection {
  readonly #url: string;
  readonly #timeout: number;
  #link: Link | undefined = undefined;
  #connecting: Promise<Link> | undefined = undefined;
  #failure: unknown = undefined;
  #restUntil = 0;
  #closed = false;

  constructor(url: string, timeout: number) {
    this.#url = url;
    this.#timeout = timeout;
  }

  /** Runs a script inside Redis. */
  async run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const link = await this.#ready();
    const rest = [String(keys.length), ...keys, ...values];
    try {
      return await link.send(["EVALSHA", script.digest, ...rest]);
    } catch (error) {
      // After a restart, Redis does not know the script. Sending the source registers it again.
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return await link.send(["EVAL", script.text, ...rest]);
    }
  }

  /** Sends a command. */
  async send(command: string[]): Promise<unknown> {
    return await (await this.#ready()).send(command);
  }

  /** Closes the connection. Calls in flight fail. */
  close(): void {
    this.#closed = true;
    this.#link?.drop();
  }

  #ready(): Link | Promise<Link> {
    return this.#link?.isOpen ? this.#link : this.#connect();
  }

  #connect(): Promise<Link> {
    if (this.#connecting !== undefined) return this.#connecting;
    if (this.#closed) return Promise.reject(new Error("The store is closed"));
    if (performance.now() < this.#restUntil) return Promise.reject(this.#failure);
    this.#connecting = this.#attempt();
    return this.#connecting;
  }

  async #attempt(): Promise<Link> {
    try {
      this.#link = await runShared(() => connect(this.#url, this.#timeout));
      return this.#link;
    } catch (error) {
      this.#failure = error;
      this.#restUntil = performance.now() + restBetweenAttempts;
      throw error;
    } finally {
      this.#connecting = undefined;
      if (this.#closed) this.#link?.drop();
    }
  }
}

/** A client connection. It is used until it is lost. */
class Link {
  readonly #client: Client;
  readonly #limit: TimeLimit;
  #waiting = 0;

  constructor(client: Client, limit: TimeLimit) {
    this.#client = client;
    this.#limit = limit;
  }

  get isOpen(): boolean {
    return this.#client.isOpen;
  }

  async send(command: string[]): Promise<unknown> {
    // If Redis hangs or the network fails, the connection may stay open without a response.
    const call = this.#limit.begin(() => this.drop());
    if (this.#waiting++ === 0) this.#client.ref();
    try {
      return await this.#client.sendCommand(command);
    } finally {
      this.#limit.end(call);
      // An idle connection does not keep the process alive, so a program can exit without closing it.
      if (--this.#waiting === 0) this.#client.unref();
    }
  }

  /** Fails all calls that wait on this connection. */
  drop(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }
}

async function connect(url: string, timeout: number): Promise<Link> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: timeout },
  });
  // Without a listener, a lost connection would end the process. Waiting callers get a rejected promise.
  client.on("error", () => {});
  const late = Promise.withResolvers<never>();
  const limit = new TimeLimit(timeout);
  const call = limit.begin(() => late.reject(new Error("Redis does not respond")));
  try {
    await Promise.race([client.connect(), late.promise]);
    return new Link(client, limit);
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw error;
  } finally {
    limit.end(call);
  }
}
