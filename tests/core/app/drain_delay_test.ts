import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as health from "../../../src/middleware/health/mod.ts";
import { inTime } from "../../in_time.ts";
import { quiet } from "../../serving.ts";

/** Starts an application with a readiness check, stops it, and sends requests during the delay. */
async function stopped(delay: number, during: (url: string, stopping: Promise<void>) => Promise<void>): Promise<void> {
  const app = quiet();
  health.New().Register(app);
  app.Get("/", (ctx) => ctx.WriteString("served"));
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  app.Configure(
    fw.WithDrainDelay(delay),
    fw.WithOnListen((address) => resolve(`http://127.0.0.1:${(address as Deno.NetAddr).port}`)),
  );
  const running = app.Run(fw.Addr("127.0.0.1:0"));
  const url = await listening;
  const before = await fetch(`${url}/readyz`);
  assertEquals([before.status, before.headers.get("connection")], [200, null]);
  await before.body?.cancel();
  const stopping = app.Shutdown();
  try {
    await during(url, stopping);
  } finally {
    await stopping;
    await running;
  }
}

Deno.test("WithDrainDelay() continues to serve requests while readiness responds with 503, and closes their connections", async () => {
  const delay = 300;
  await inTime(delay, (begin) =>
    stopped(delay, async (url) => {
      begin();
      const ready = await fetch(`${url}/readyz`);
      await ready.body?.cancel();
      assertEquals([ready.status, ready.headers.get("connection")], [503, "close"]);
      const page = await fetch(url);
      assertEquals([await page.text(), page.headers.get("connection")], ["served", "close"]);
    }));
});

Deno.test("WithDrainDelay() closes the listener after the delay", async () => {
  await stopped(50, async (url, stopping) => {
    await stopping;
    await assertRejects(() => fetch(url), TypeError);
  });
});

Deno.test("WithDrainDelay() runs the tasks of RegisterOnInterrupt once and waits for them", async () => {
  const app = quiet();
  const done: string[] = [];
  app.RegisterOnInterrupt(async () => {
    done.push("begin");
    await new Promise((resolve) => setTimeout(resolve, 100));
    done.push("end");
  });
  app.RegisterOnShutdown(() => void done.push("shutdown"));
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  app.Configure(fw.WithDrainDelay(20), fw.WithOnListen(() => resolve()));
  const running = app.Run(fw.Addr("127.0.0.1:0"));
  await listening;
  await app.Shutdown();
  await running;
  assertEquals(done, ["begin", "end", "shutdown"]);
});

Deno.test("WithDrainDelay() rejects a negative time", () => {
  let message = "";
  try {
    fw.New().Configure(fw.WithDrainDelay(-1)).Build();
  } catch (error) {
    message = (error as Error).message;
  }
  assertEquals(message.includes("DrainDelay"), true, message);
});
