/**
 * A Redis server for one test, which can be stopped and restarted.
 *
 * @module
 */

import { freePort } from "../free_port.ts";

/** Whether a Redis server can be started. */
export const hasRedis: boolean = await new Deno.Command("redis-server", {
  args: ["--version"],
  stdout: "null",
  stderr: "null",
}).output().then(({ success }) => success, () => false);

/** A Redis server for one test, which can be stopped and restarted. */
export class OwnRedis {
  readonly port: number = freePort();
  readonly #folder: string;
  #process: Deno.ChildProcess | undefined;

  readonly #isDurable: boolean;

  /** If it is durable, it keeps its data after a restart. */
  constructor({ isDurable = false }: { readonly isDurable?: boolean } = {}) {
    this.#isDurable = isDurable;
    this.#folder = Deno.makeTempDirSync({ prefix: "fw_redis_" });
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const where = ["--bind", "127.0.0.1", "--port", String(this.port), "--dir", this.#folder];
    const kept = ["--appendonly", this.#isDurable ? "yes" : "no", "--appendfsync", "always"];
    const args = [...where, "--save", "", ...kept, "--loglevel", "warning"];
    this.#process = new Deno.Command("redis-server", { args, stdout: "null", stderr: "null" }).spawn();
    for (;;) {
      try {
        (await Deno.connect({ hostname: "127.0.0.1", port: this.port })).close();
        return;
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
  }

  async close(): Promise<void> {
    await this.kill();
    await Deno.remove(this.#folder, { recursive: true });
  }
}
