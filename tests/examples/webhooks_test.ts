import { assertEquals } from "@std/assert";
import { newApp } from "../../examples/webhooks/main.ts";
import * as jobs from "../../src/jobs/mod.ts";
import { askOverSocket, overSocket } from "../serving.ts";

Deno.test("examples/webhooks passes each payment on to the subscriber once", async () => {
  const queue = jobs.New(jobs.NewMemory());
  const app = newApp(queue);
  app.Logger().SetLevel("disable");
  await overSocket(app, async (_ask, port) => {
    const ask = (method: string, path: string, body?: string) =>
      askOverSocket(port, path, { method, headers: { host: `127.0.0.1:${port}` }, ...body !== undefined && { body } });
    assertEquals((await ask("POST", "/bank/orders/7", "")).status, 202);
    await queue.Drain();
    await queue.Drain();
    assertEquals((await ask("GET", "/subscriber")).text, '[{"paid":7}]');
    for (const path of ["/shop/payments", "/subscriber"]) assertEquals((await ask("POST", path, "{}")).status, 401);
  });
});
