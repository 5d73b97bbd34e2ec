/**
 * A Redis server for the tests: the one in FW_TEST_REDIS, a new one on a free port, or none.
 *
 * @module
 */

import { freePort } from "../../free_port.ts";

/** A Redis server that tests may use. */
export interface RedisServer extends AsyncDisposable {
  readonly URL: string;
  /** The process, if this module started it. */
  readonly process: Deno.ChildProcess | undefined;
}

/** The reason why tests that stop and start Redis are ignored, or `undefined` if they can run. */
export const serverIsMissing: string | undefined = await isInstalled() ? undefined : "no redis-server is installed";

/** The reason why tests that only use Redis are ignored, or `undefined` if they can run. */
export const redisIsMissing: string | undefined = Deno.env.has("FW_TEST_REDIS") ? undefined : serverIsMissing;

/** Returns the suffix for the names of ignored tests. */
export function ignoredFor(reason: string | undefined): string {
  return reason === undefined ? "" : ` (ignored: ${reason})`;
}

/** Returns a running Redis server. */
export async function anyRedis(): Promise<RedisServer> {
  const url = Deno.env.get("FW_TEST_REDIS");
  if (url !== undefined) return { URL: url, process: undefined, [Symbol.asyncDispose]: () => Promise.resolve() };
  return await startRedis();
}

/** Starts a Redis server. Its data is kept only if a folder is given. */
export async function startRedis(port: number = freePort(), folder?: string): Promise<RedisServer> {
  const keeping = folder === undefined
    ? ["--appendonly", "no"]
    : ["--appendonly", "yes", "--appendfsync", "always", "--dir", folder];
  const process = new Deno.Command("redis-server", {
    args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", ...keeping],
    stdout: "null",
    stderr: "null",
  }).spawn();
  await untilReady(port);
  return {
    URL: `redis://127.0.0.1:${port}`,
    process,
    async [Symbol.asyncDispose]() {
      try {
        process.kill("SIGKILL");
      } catch {
        // The process has already exited.
      }
      await process.status;
    },
  };
}

async function isInstalled(): Promise<boolean> {
  try {
    return (await new Deno.Command("redis-server", { args: ["--version"], stdout: "null" }).output()).success;
  } catch {
    return false;
  }
}

async function untilReady(port: number): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    try {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(new TextEncoder().encode("PING\r\n"));
      const reply = new Uint8Array(7);
      await connection.read(reply);
      if (new TextDecoder().decode(reply).startsWith("+PONG")) return;
    } catch {
      // The server is not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Cannot start Redis: nothing responds on port "${port}"`);
}
