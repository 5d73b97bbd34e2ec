/**
 * A server to attack. It is started in a separate process or is already running at an address.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import type { Door } from "./attack.ts";
import type { Features } from "./grounds.ts";
import { type Address, Wire } from "./wire.ts";

/** A server process and its error output. */
interface Child {
  readonly process: Deno.ChildProcess;
  readonly errors: Promise<string>;
}

/** A server under attack. */
export class Target implements AsyncDisposable {
  readonly #features: Features;
  readonly #caCert: string;
  readonly #child: Child | undefined;

  constructor(features: Features, caCert: string, child?: Child) {
    this.#features = features;
    this.#caCert = caCert;
    this.#child = child;
  }

  /** Starts a subject, which is a module in this folder, with further environment variables. */
  static async start(module: string, env: Record<string, string> = {}): Promise<Target> {
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--v8-flags=--expose-gc", fromFileUrl(new URL(module, import.meta.url))],
      env: { NO_COLOR: "1", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const errors = new Response(process.stderr).text();
    const features = await firstLine(process);
    if (features === undefined) throw new Error(`Cannot attack the subject "${module}": it ended with ${await errors}`);
    return new Target(features, await certificate(), { process, errors });
  }

  /** Requests the features of a running server. */
  static async at(url: string): Promise<Target> {
    const response = await fetch(new URL("/features", url));
    if (!response.ok) throw new Error(`Cannot attack "${url}": it does not tell what it has at "/features"`);
    return new Target(await response.json(), await certificate());
  }

  /** Reports whether the server has all features that an attack needs. */
  has(door: Door, needs: readonly string[]): boolean {
    return this.#features.doors[door] !== undefined && needs.every((need) => this.#features.has.includes(need));
  }

  /** Creates a client for one of the servers. */
  wire(door: Door): Wire {
    const port = this.#features.doors[door];
    if (port === undefined) throw new Error(`Cannot attack the door "${door}": the server has none`);
    const address: Address = { port, ...door === "tls" && { caCert: this.#caCert } };
    return new Wire(address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child === undefined) return;
    const { process, errors } = this.#child;
    await process.stdin.close();
    await process.stdout.cancel();
    const timer = setTimeout(() => process.kill("SIGKILL"), 5_000);
    await process.status;
    clearTimeout(timer);
    // The error output of peers is ignored after they have started.
    await errors;
  }
}

async function firstLine(process: Deno.ChildProcess): Promise<Features | undefined> {
  const reader = process.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return JSON.parse(text);
}

async function certificate(): Promise<string> {
  return await Deno.readTextFile(new URL("../testdata/tls/localhost.crt", import.meta.url));
}
