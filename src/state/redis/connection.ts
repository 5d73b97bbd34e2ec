/**
 * Commands and scripts for a Redis client, with a time limit.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { TimeLimit } from "../store/time_limit.ts";
import { type Client, type Driver, driverOf, type Options, Sender } from "./client.ts";

/**
 * Creates a connection for a client of the application.
 *
 * @param owner The part of fw that uses the connection, for messages.
 * @param client The client.
 * @param options The options.
 * @param timeout The default time limit for each command, in milliseconds.
 * @throws {FrameworkError} If the client or an option is invalid.
 */
export function openConnection(owner: string, client: Client, options: Options = {}, timeout = 450): Connection {
  return new Connection(driverOf(owner, client, options), client, options.Timeout ?? timeout);
}

/** A client with a time limit. The application opens and closes the client. */
export class Connection {
  /** The kind of client. */
  readonly driver: Driver;
  readonly #sender: Sender;
  readonly #limit: TimeLimit;
  /** Fail the calls in flight. */
  readonly #inFlight = new Set<(message: string) => void>();
  #closed = false;

  constructor(driver: Driver, client: Client, timeout: number) {
    this.driver = driver;
    this.#sender = Sender.of(driver, client);
    this.#limit = new TimeLimit(timeout);
  }

  /** Reports whether a script can only access the keys that are passed to it, as in a cluster. */
  get isKeyBound(): boolean {
    return this.#sender.isKeyBound;
  }

  /** Runs a script inside Redis. In a cluster, all keys must be in the same slot. */
  async run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values];
    try {
      return await this.#send(keys[0], ["EVALSHA", script.digest, ...rest]);
    } catch (error) {
      // After a restart, Redis does not know the script. Sending the source registers it again.
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return await this.#send(keys[0], ["EVAL", script.text, ...rest]);
    }
  }

  /** Sends a command whose first argument is its key. */
  send(command: string[]): Promise<unknown> {
    return this.#send(command[1], command);
  }

  /** Ends the use of the client, which stays open. Calls in flight fail. */
  close(): void {
    this.#closed = true;
    for (const fail of this.#inFlight) fail("The store is closed");
  }

  async #send(key: string | undefined, command: string[]): Promise<unknown> {
    if (this.#closed) throw new Error("The store is closed");
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    let ending: AbortController | undefined;
    const fail = (message: string) => {
      reject(new Error(message));
      ending?.abort();
    };
    // If Redis hangs or the network fails, the connection may stay open without a response.
    const call = this.#limit.begin(() => fail("Redis does not respond"));
    this.#inFlight.add(fail);
    const how = {
      key,
      get abortSignal() {
        return (ending ??= new AbortController()).signal;
      },
    };
    this.#sender.send(command, how).then(resolve, reject);
    try {
      return await promise;
    } finally {
      this.#limit.end(call);
      this.#inFlight.delete(fail);
    }
  }
}

/** A script and the digest by which Redis identifies it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** Creates a script from its Lua source. */
export function script(text: string): Script {
  return { text, digest: createHash("sha1").update(text).digest("hex") };
}
