/**
 * Several processes that share a server, behind a load balancer. All of them can be stopped.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { Live } from "../../../src/live/websocket/client/live.ts";
import type { Shared, StoreName } from "./cluster_stores.ts";

/** A process that serves connections. */
export class Site {
  readonly #process: Deno.ChildProcess;
  readonly port: Promise<number>;

  constructor(store: StoreName, { url, name }: Shared) {
    const file = fromFileUrl(new URL("cluster_site.ts", import.meta.url));
    const args = ["run", "-A", "--no-check", file, store, url, name];
    this.#process = new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "null" }).spawn();
    this.port = this.#read();
  }

  async #read(): Promise<number> {
    const reader = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return Number(value);
  }

  async kill(): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // The process has already been killed.
    }
    await this.#process.status;
  }
}

/** A load balancer that forwards connections to a port. */
export class Balancer {
  readonly #listener: Deno.TcpListener;
  readonly #open = new Set<Deno.TcpConn>();
  target: number;

  constructor(target: number) {
    this.target = target;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    void this.#run();
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  async #run(): Promise<void> {
    for await (const incoming of this.#listener) void this.#forward(incoming).catch(() => {});
  }

  async #forward(incoming: Deno.TcpConn): Promise<void> {
    this.#open.add(incoming);
    try {
      const outgoing = await Deno.connect({ hostname: "127.0.0.1", port: this.target });
      this.#open.add(outgoing);
      await Promise.allSettled([
        incoming.readable.pipeTo(outgoing.writable),
        outgoing.readable.pipeTo(incoming.writable),
      ]);
    } catch {
      incoming.close();
    }
  }

  close(): void {
    this.#listener.close();
    this.cut();
  }

  /** Closes all connections, but accepts new ones. */
  cut(): void {
    for (const each of this.#open) {
      try {
        each.close();
      } catch {
        // The stream has already closed the connection.
      }
    }
    this.#open.clear();
  }
}

/** A client that records the messages it receives. */
export class Watcher {
  readonly client: Live;
  readonly seen: number[] = [];
  readonly gaps: string[] = [];
  readonly #wanted: number;
  readonly #done: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #gap: PromiseWithResolvers<void> = Promise.withResolvers();

  /** The time at which the last message arrived, as a `performance.now()` timestamp. */
  heardAt = 0;

  constructor(port: number, wanted: number, query = "") {
    this.#wanted = wanted;
    this.client = new Live(`http://127.0.0.1:${port}/ws${query}`);
    this.client.On("n", (n) => {
      this.heardAt = performance.now();
      if (this.seen.push(n) === this.#wanted) this.#done.resolve();
    });
    this.client.OnGap(({ Reason }) => {
      this.gaps.push(Reason);
      this.#gap.resolve();
    });
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  get told(): Promise<void> {
    return this.#gap.promise;
  }
}
