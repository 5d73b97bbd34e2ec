import { assert, assertEquals } from "@std/assert";
import { ignoredFor } from "../state/sessions/redis_server.ts";
import { missing, proxies, startProxy } from "./proxies.ts";
import { Load, Server } from "./servers.ts";

/** The number of stops. A full run with 40 stops takes about two minutes per proxy. */
const stops = Number(Deno.env.get("FW_TEST_STOPS") ?? 4);
const clients = 16;
/** The delays. nginx needs none. That of haproxy is long, because it notices a stop late on a busy machine. */
const delays: Readonly<Record<string, number>> = { nginx: 0, haproxy: 1_500 };

/** Waits until a proxy sends requests to a server. */
async function isUsed(url: string, { port }: Server): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/name`);
    if (await response.text() === `127.0.0.1:${port}`) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

for (const [name, delay] of Object.entries(delays)) {
  const kind = proxies[name];
  if (kind === undefined) continue;
  const reason = await missing(kind);

  Deno.test({
    name: `WithDrainDelay() loses no request behind ${name} in ${stops} stops under load${ignoredFor(reason)}`,
    ignore: reason !== undefined,
    async fn() {
      await using one = new Server(delay);
      await using two = new Server(delay);
      await Promise.all([one.start(), two.start()]);
      await using proxy = await startProxy(kind, [one.port, two.port]);
      const load = new Load(proxy.url, clients);
      for (let i = 0; i < stops; i++) {
        const server = i % 2 === 0 ? one : two;
        assertEquals(await server.stop("SIGTERM"), 0);
        await server.start();
        // The proxy's checks must notice the process before the other one is stopped. On a busy machine, that may take
        // seconds, and the proxy would have no server left.
        await isUsed(proxy.url, server);
      }
      await load.end();
      assertEquals(load.failures, [], `${load.failures.length} of ${load.requests} requests were lost`);
    },
  });

  Deno.test({
    name: `A killed process behind ${name} loses no more than its requests in flight${ignoredFor(reason)}`,
    ignore: reason !== undefined,
    async fn() {
      await using one = new Server(0);
      await using two = new Server(0);
      await Promise.all([one.start(), two.start()]);
      await using proxy = await startProxy(kind, [one.port, two.port]);
      const load = new Load(proxy.url, clients);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await one.stop("SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await load.end();
      // Each client has one request in flight to one of the two processes.
      assert(load.failures.length <= clients, `${load.failures.length} of ${load.requests}: ${load.failures[0]}`);
    },
  });
}
