import { assertEquals } from "@std/assert";
import * as threads from "../../../src/live/hub/threads.ts";

Deno.test("threads.New() delivers every message once and in order to a busy thread, even if its BroadcastChannel drops some", async () => {
  const Name = `fw.test.${crypto.randomUUID()}`;
  const wanted = 2_000;
  const backplane = threads.New({ Name });
  const worker = new Worker(new URL("threads_worker.ts", import.meta.url).href, { type: "module" });
  try {
    const next = () => new Promise<unknown>((resolve) => worker.onmessage = ({ data }) => resolve(data));
    worker.postMessage({ Name, wanted });
    assertEquals(await next(), "ready");
    const received = next();
    for (let n = 0; n < wanted; n++) {
      await backplane.Publish("news", String(n), { History: 5_000, For: 60_000 });
    }
    assertEquals(await received, Array.from({ length: wanted }, (_, n) => String(n)));
  } finally {
    worker.terminate();
    await backplane.Close();
  }
});
