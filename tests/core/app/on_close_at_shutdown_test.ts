import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { besides, Child } from "../../http/server/support.ts";
import { listen, logged, quiet } from "../../serving.ts";

Deno.test("Application.Shutdown() waits for tasks of Context.OnClose() before the shutdown tasks run", async () => {
  const app = quiet();
  const steps: string[] = [];
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  app.RegisterOnInterrupt(() => void steps.push("interrupted"));
  app.RegisterOnShutdown(() => void steps.push("database closed"));
  app.Get("/", (ctx) => {
    ctx.OnClose(async () => {
      started.resolve();
      await gate.promise;
      steps.push("cache refreshed");
    });
    ctx.Text("sent");
  });
  const { url, ended } = await listen(app);
  assertEquals(await (await fetch(url)).text(), "sent");
  await started.promise;
  const stopped = app.Shutdown().then(() => void steps.push("stopped"));
  // When a connection is refused, the server has closed its port.
  while (await fetch(`${url}other`).then((response) => response.body?.cancel().then(() => true), () => false));
  assertEquals(steps, ["interrupted"]);
  gate.resolve();
  await Promise.all([stopped, ended]);
  assertEquals(steps, ["interrupted", "cache refreshed", "database closed", "stopped"]);
});

Deno.test("Application.Shutdown() logs a failed task of Context.OnClose() and continues", async () => {
  const { app, lines } = logged();
  const reported: string[] = [];
  const gate = Promise.withResolvers<void>();
  app.OnError((ctx, error) => void reported.push(`${ctx.Path()}: ${error.message}`));
  app.RegisterOnShutdown(() => void reported.push("database closed"));
  app.Get("/", (ctx) => {
    ctx.OnClose(() => gate.promise);
    ctx.Text("sent");
  });
  const { url, ended } = await listen(app);
  assertEquals(await (await fetch(url)).text(), "sent");
  const stopped = app.Shutdown();
  gate.reject(new Error("The cache is gone"));
  await Promise.all([stopped, ended]);
  assertEquals(reported, ["/: The cache is gone", "database closed"]);
  assertEquals(lines.filter((line) => line.includes("The cache is gone")).length, 1);
});

Deno.test("Application.Shutdown() waits for tasks of Context.OnClose() no longer than WithShutdownTimeout() allows", async () => {
  const app = quiet();
  const steps: string[] = [];
  app.Configure(fw.WithShutdownTimeout(50));
  app.RegisterOnShutdown(() => void steps.push("database closed"));
  app.Get("/", (ctx) => {
    ctx.OnClose(() => new Promise(() => {}));
    ctx.Text("sent");
  });
  const { url, ended } = await listen(app);
  assertEquals(await (await fetch(url)).text(), "sent");
  await Promise.all([app.Shutdown(), ended]);
  assertEquals(steps, ["database closed"]);
});

Deno.test("SIGTERM ends the process after the tasks of Context.OnClose() have finished", async () => {
  await using child = new Child(["run", "-A", "--no-lock", "--no-check", besides("app.ts"), "run"]);
  assertEquals(await (await fetch(`http://127.0.0.1:${await child.port()}/closing`)).text(), "sent");
  assertEquals(await child.line(), "closing");
  child.kill("SIGTERM");
  const { code, lines } = await child.end();
  assertEquals([code, lines.slice(1)], [0, ["interrupt", "closed", "shutdown", "result null"]]);
});

Deno.test("Application.Shutdown() waits for tasks of Context.OnClose() in mounted applications", async () => {
  const steps: string[] = [];
  const released = Promise.withResolvers<void>();
  const inner = fw.New();
  inner.Get("/", (ctx) => {
    ctx.OnClose(async () => {
      await released.promise;
      steps.push("task");
    });
    ctx.WriteString("body");
  });
  const app = fw.New();
  app.Mount("/inner", inner.fetch);
  app.RegisterOnInterrupt(() => void setTimeout(() => released.resolve(), 20));
  app.RegisterOnShutdown(() => void steps.push("shutdown"));
  const { url, ended } = await listen(app);
  assertEquals(await (await fetch(`${url}inner`)).text(), "body");
  await app.Shutdown();
  assertEquals(await ended, null);
  assertEquals(steps, ["task", "shutdown"]);
});
