/**
 * A connection to Redis that is opened when needed, reopened when lost, and never waited for longer than allowed.
 *
 * @module
 */
import { createClient } from "npm:@redis/client@^5";
import { FrameworkError } from "../base/errors.ts";
import type { Script } from "./redis_script.ts";
import { TimeLimit } from "./time_limit.ts";

/** What is used of npm's client. */
interface Client {
  readonly isOpen: boolean;
  sendCommand(command: string[]): Promise<unknown>;
  destroy(): void;
  ref(): void;
  unref(): void;
}

/** After a failed attempt to connect, how many milliseconds calls fail at once, before one of them may try again. */
const restBetweenAttempts = 50;

/** Prepares a connection, which is opened on first use; throws where the URL or the timeout cannot be right. */
export function openConnection(url: string, timeout = 450): Connection {
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the Redis URL "${withoutSecrets(url)}": it is not a redis:// URL`,
    );
  }
  if (!(timeout > 0)) {
    throw new FrameworkError("FW_CONFIG", `Cannot wait "${timeout}" milliseconds for Redis: it must be more than 0`);
  }
  return new Connection(url, timeout);
}

/** A URL, well-formed or not, without what stands before its host: the password, whatever characters are in it. */
function withoutSecrets(url: unknown): string {
  return String(url).replace(/[?#].*$/s, "").replace(/^((?:[a-z][a-z\d+.-]*:)?(?:\/\/)?).*@/is, "$1***@");
}

/** A connection that heals when it is used, and so needs no timer while it is not. */
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
      // A restarted Redis has forgotten its scripts; sending the text makes it know them again.
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return await link.send(["EVAL", script.text, ...rest]);
    }
  }

  /** Sends one command. */
  async send(command: string[]): Promise<unknown> {
    return await (await this.#ready()).send(command);
  }

  /** Ends the connection and fails what is under way. */
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
      this.#link = await connect(this.#url, this.#timeout);
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

/** One client of npm's, used until it is lost. */
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
    // A Redis that is stopped, or behind a dead network, keeps the connection open and says nothing.
    const call = this.#limit.begin(() => this.drop());
    if (this.#waiting++ === 0) this.#client.ref();
    try {
      return await this.#client.sendCommand(command);
    } finally {
      this.#limit.end(call);
      // Idle, the connection does not hold the process open: an application that has ended need not close it.
      if (--this.#waiting === 0) this.#client.unref();
    }
  }

  /** Fails all that waits on this connection. */
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
  // Unheard, the loss of a connection would end the process. The caller that waits on it is told by a rejected promise.
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
