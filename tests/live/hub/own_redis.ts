/**
 * A Redis server for one test, which can be stopped and restarted.
 *
 * @module
 */

import { isInstalled, OwnServer } from "./own_server.ts";

/** Whether a Redis server can be started. */
export const hasRedis: boolean = await isInstalled("redis-server");

/** A Redis server on a free port. */
export class OwnRedis extends OwnServer {
  readonly #isDurable: boolean;

  /** If it is durable, it keeps its data after a restart. */
  constructor({ isDurable = false }: { readonly isDurable?: boolean } = {}) {
    super("redis-server");
    this.#isDurable = isDurable;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  override args(): string[] {
    const where = ["--bind", "127.0.0.1", "--port", String(this.port), "--dir", this.folder];
    const kept = ["--appendonly", this.#isDurable ? "yes" : "no", "--appendfsync", "always"];
    return [...where, "--save", "", ...kept, "--loglevel", "warning"];
  }
}
