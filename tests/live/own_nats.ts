/**
 * A NATS server for one test, which can be stopped and restarted.
 *
 * @module
 */

import { freePort } from "../free_port.ts";

/** Whether a NATS server can be started. */
export const hasNats: boolean = await new Deno.Command("nats-server", {
  args: ["--version"],
  stdout: "null",
  stderr: "null",
}).output().then(({ success }) => success, () => false);

/** Options for {@linkcode OwnNats}. */
export interface NatsOptions {
  /** Whether the server keeps its data after a restart. */
  readonly isDurable?: boolean;
  /** Further lines for the server's configuration file. */
  readonly config?: string;
}

/** A NATS server with JetStream, on a free port. */
export class OwnNats implements AsyncDisposable {
  readonly port: number = freePort();
  readonly #folder: string = Deno.makeTempDirSync({ prefix: "fw_nats_" });
  readonly #config: string;
  readonly #isDurable: boolean;
  #process: Deno.ChildProcess | undefined;

  constructor({ isDurable = false, config = "" }: NatsOptions = {}) {
    this.#isDurable = isDurable;
    this.#config = `${this.#folder}/nats.conf`;
    const store = JSON.stringify(`${this.#folder}/data`);
    const lines = [`listen: "127.0.0.1:${this.port}"`, `jetstream: { store_dir: ${store} }`, config];
    Deno.writeTextFileSync(this.#config, lines.join("\n"));
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    if (!this.#isDurable) await this.#empty();
    const args = ["-c", this.#config];
    this.#process = new Deno.Command("nats-server", {
      args,
      stdout: "null",
      stderr: "null",
    }).spawn();
    for (;;) {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port: this.port })).close();
        return this;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  signal(name: Deno.Signal): void {
    this.#process?.kill(name);
  }

  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.status;
    this.#process = undefined;
  }

  async close(): Promise<void> {
    await this.kill();
    await Deno.remove(this.#folder, { recursive: true });
  }

  async #empty(): Promise<void> {
    await Deno.remove(`${this.#folder}/data`, { recursive: true }).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
