/**
 * A NATS server for one test, which can be stopped and restarted.
 *
 * @module
 */

import { isInstalled, OwnServer } from "./own_server.ts";

/** Whether a NATS server can be started. */
export const hasNats: boolean = await isInstalled("nats-server");

/** The suffix for the names of tests that need a NATS server. */
export const natsNote: string = hasNats ? "" : " (ignored: no nats-server is installed)";

/** Options for {@linkcode OwnNats}. */
export interface NatsOptions {
  /** Whether the server keeps its data after a restart. */
  readonly isDurable?: boolean;
  /** Further lines for the server's configuration file. */
  readonly config?: string;
}

/** A NATS server with JetStream, on a free port. */
export class OwnNats extends OwnServer {
  readonly #config: string;
  readonly #isDurable: boolean;

  constructor({ isDurable = false, config = "" }: NatsOptions = {}) {
    super("nats-server");
    this.#isDurable = isDurable;
    this.#config = `${this.folder}/nats.conf`;
    const store = JSON.stringify(`${this.folder}/data`);
    const lines = [`listen: "127.0.0.1:${this.port}"`, `jetstream: { store_dir: ${store} }`, config];
    Deno.writeTextFileSync(this.#config, lines.join("\n"));
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  override async args(): Promise<string[]> {
    if (!this.#isDurable) await Deno.remove(`${this.folder}/data`, { recursive: true }).catch(() => {});
    return ["-c", this.#config];
  }
}
