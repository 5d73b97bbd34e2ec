/**
 * Starts and kills processes of the chat application.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import { freePort } from "../../free_port.ts";

/** The lease, in milliseconds. */
const LEASE = 400;

/** A process of the application. */
export class Site {
  readonly port: number = freePort();
  readonly #args: readonly string[];
  #process: Deno.ChildProcess | undefined = undefined;

  constructor(model: string, store: string, script?: string) {
    const file = fromFileUrl(new URL("chat_site.ts", import.meta.url));
    this.#args = [
      "run",
      "-A",
      "--no-check",
      "--no-lock",
      file,
      String(this.port),
      model,
      store,
      String(LEASE),
      ...script === undefined ? [] : [script],
    ];
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.#process = new Deno.Command(Deno.execPath(), { args: [...this.#args], stdin: "null" }).spawn();
    for (;;) {
      try {
        return void await (await fetch(this.url)).body?.cancel();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.status;
    this.#process = undefined;
  }
}
