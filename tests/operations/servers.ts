/**
 * Processes of `site.ts` that are stopped and restarted on the same port.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { Child } from "../http/server/support.ts";
import { freePort } from "../free_port.ts";

const site = fromFileUrl(new URL("./site.ts", import.meta.url));

/** A process on a port. */
export class Server implements AsyncDisposable {
  readonly port: number = freePort();
  readonly #delay: number;
  #child: Child | undefined = undefined;

  constructor(delay: number) {
    this.#delay = delay;
  }

  /** Starts the process and waits until it is listening. */
  async start(): Promise<void> {
    this.#child = new Child(["run", "-A", "--no-lock", site, `127.0.0.1:${this.port}`, String(this.#delay)]);
    const line = await this.#child.line();
    if (line !== "listening") throw new Error(`Cannot start a server: ${(await this.#child.end()).errors}`);
  }

  /** Returns the ID of the process. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Stops the process with a signal and waits until it has exited. */
  async stop(signal: Deno.Signal): Promise<number> {
    this.#child?.kill(signal);
    return (await this.#child?.end())?.code ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child?.[Symbol.asyncDispose]();
  }
}

/** Sends requests from several clients at once. */
export class Load {
  readonly failures: string[] = [];
  requests = 0;
  #isOver = false;
  readonly #clients: Promise<void>[];

  constructor(url: string, clients: number) {
    this.#clients = Array.from({ length: clients }, () => this.#run(url));
  }

  /** Stops sending requests and waits for those in flight. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #run(url: string): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      this.requests++;
      try {
        const isPost = i % 4 === 3;
        const response = isPost
          ? await fetch(url, { method: "POST", body: new URLSearchParams({ a: "1" }) })
          : await fetch(url);
        const text = await response.text();
        if (text !== (isPost ? '"1"' : "served")) this.failures.push(`${response.status} ${text.slice(0, 40)}`);
      } catch (error) {
        this.failures.push(String(error));
      }
    }
  }
}
