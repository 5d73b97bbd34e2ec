/**
 * A Redis cluster and a sentinel for one test, on free ports.
 *
 * @module
 */

import { freePort } from "../../free_port.ts";
import { OwnServer } from "../../live/hub/own_server.ts";

/** A node of a cluster, a server, or a sentinel. */
class Node extends OwnServer {
  readonly #more: readonly string[];

  constructor(...more: readonly string[]) {
    super("redis-server");
    this.#more = more;
  }

  override args(): string[] {
    const where = ["--bind", "127.0.0.1", "--port", String(this.port), "--dir", this.folder];
    const file = `${this.folder}/redis.conf`;
    return [...this.#more.includes("--sentinel") ? [file] : [], ...where, ...this.#more];
  }
}

/** Running servers. */
export interface Servers extends AsyncDisposable {
  readonly nodes: readonly Node[];
}

/** Runs a command on a server. */
export async function redisCli(...args: readonly string[]): Promise<string> {
  const { stdout } = await new Deno.Command("redis-cli", { args: [...args] }).output();
  return new TextDecoder().decode(stdout);
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!await isDone()) await new Promise((resolve) => setTimeout(resolve, 50));
}

function running(nodes: readonly Node[]): Servers {
  return {
    nodes,
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.close();
    },
  };
}

/** Starts a cluster of three nodes, each of which has a third of the slots. */
export async function startCluster(): Promise<Servers> {
  const options = () => ["--save", "", "--cluster-enabled", "yes", "--cluster-port", String(freePort())];
  const nodes = Array.from({ length: 3 }, () => new Node(...options()));
  for (const node of nodes) await node.start();
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await redisCli("--cluster", "create", ...hosts, "--cluster-yes");
  for (const { port } of nodes) {
    await until(async () => (await redisCli("-p", String(port), "cluster", "info")).includes("cluster_state:ok"));
  }
  return running(nodes);
}

/** Starts a server and a sentinel that watches it under the name `main`. */
export async function startSentinel(): Promise<Servers> {
  const server = await new Node("--save", "").start();
  const sentinel = new Node("--sentinel");
  await Deno.writeTextFile(
    `${sentinel.folder}/redis.conf`,
    `sentinel monitor main 127.0.0.1 ${server.port} 1\n`,
  );
  await sentinel.start();
  await until(async () => (await redisCli("-p", String(sentinel.port), "sentinel", "masters")).includes("main"));
  return running([server, sentinel]);
}
