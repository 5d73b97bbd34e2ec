import { assertEquals, assertRejects } from "@std/assert";
import { boundedFetch } from "../../src/middleware/bounded_fetch.ts";
import { inTime } from "../in_time.ts";

/** Starts a server in another thread, which responds after 200 ms. */
async function startServer(): Promise<{ url: string } & Disposable> {
  const worker = new Worker(
    "data:text/javascript," + encodeURIComponent(`
      Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => postMessage(port) }, async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        return new Response("late");
      });
    `),
    { type: "module" },
  );
  const { data } = await new Promise<MessageEvent>((resolve) => worker.onmessage = resolve);
  return { url: `http://127.0.0.1:${data}`, [Symbol.dispose]: () => worker.terminate() };
}

Deno.test("boundedFetch() fails if the response takes too long", async () => {
  using server = await startServer();
  await assertRejects(
    () => boundedFetch(server.url, {}, { time: 60, size: 100 }),
    DOMException,
    "No complete response within 60 ms",
  );
});

Deno.test("boundedFetch() does not take a pause of this process for one of the server", async () => {
  using server = await startServer();
  const time = 400;
  await inTime(time + 150, async () => {
    const fetching = boundedFetch(server.url, {}, { time, size: 100 });
    fetching.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begin = performance.now();
    while (performance.now() - begin < time); // Simulates a heavy computation, during which the response arrives.
    assertEquals(await (await fetching).text(), "late");
  });
});
