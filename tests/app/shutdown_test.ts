import { assertEquals } from "@std/assert";
import * as fw from "@fw/web";

/** Runs an application on a free port and waits until it is listening. */
async function run(app: fw.Application): Promise<{ origin: string; ended: Promise<Error | null> }> {
  const listening = Promise.withResolvers<Deno.NetAddr>();
  const ended = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithOnListen((addr) => listening.resolve(addr as Deno.NetAddr)),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
  );
  const { port } = await listening.promise;
  return { origin: `http://127.0.0.1:${port}`, ended };
}

Deno.test("Application.RegisterOnInterrupt() runs tasks while requests are served, and RegisterOnShutdown() after the last one", async () => {
  const steps: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const app = fw.New();
  app.Get("/slow", async (ctx) => {
    arrived.resolve();
    await released.promise;
    steps.push("served");
    ctx.WriteString("done");
  });
  app.RegisterOnInterrupt(() => {
    steps.push("interrupt");
    released.resolve();
  });
  app.RegisterOnShutdown(() => void steps.push("first registered"));
  app.RegisterOnShutdown(async () => {
    await Promise.resolve();
    steps.push("last registered");
  });
  const { origin, ended } = await run(app);
  const asked = fetch(`${origin}/slow`);
  await arrived.promise;
  const stopped = app.Shutdown();
  const response = await asked;
  assertEquals(await response.text(), "done");
  await stopped;
  assertEquals(await ended, null);
  assertEquals(steps, ["interrupt", "served", "last registered", "first registered"]);
});

Deno.test("Application.RegisterOnShutdown() runs all tasks, even if one of them throws", async () => {
  const lines: string[] = [];
  const app = fw.New();
  app.Logger().SetOutput((line) => lines.push(line)).SetTimeFormat("");
  let hasRun = false;
  app.RegisterOnShutdown(() => void (hasRun = true));
  app.RegisterOnShutdown(() => Promise.reject(new Error("no")));
  const { ended } = await run(app);
  await app.Shutdown();
  assertEquals(await ended, null);
  assertEquals(hasRun, true);
  assertEquals(lines[0]?.split("\n")[0], "[ERRO] Cannot finish a shutdown task: Error: no");
});

Deno.test("Application sends Connection: close with responses that end during a shutdown", async () => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const app = fw.New();
  app.Get("/slow", async (ctx) => {
    arrived.resolve();
    await released.promise;
    ctx.WriteString("done");
  });
  const { origin, ended } = await run(app);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
  await connection.write(new TextEncoder().encode("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"));
  await arrived.promise;
  const stopped = app.Shutdown();
  released.resolve();
  const response = await new Response(connection.readable).text();
  assertEquals(/^connection: close\r$/im.test(response), true, response);
  assertEquals(response.endsWith("done"), true, response);
  await stopped;
  await ended;
});

Deno.test("Application.Run() serves one application on several addresses until all are shut down", async () => {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString("here"));
  let shutdowns = 0;
  app.RegisterOnShutdown(() => void shutdowns++);
  const listening = [Promise.withResolvers<Deno.NetAddr>(), Promise.withResolvers<Deno.NetAddr>()];
  let at = 0;
  app.Configure(fw.WithoutStartupLog, fw.WithOnListen((addr) => listening[at++]?.resolve(addr as Deno.NetAddr)));
  const ended = [app.Run(fw.Addr("127.0.0.1:0")), app.Run(fw.Addr("127.0.0.1:0"))];
  for (const { promise } of listening) {
    const { port } = await promise;
    assertEquals(await (await fetch(`http://127.0.0.1:${port}/`)).text(), "here");
  }
  await app.Shutdown();
  assertEquals(await Promise.all(ended), [null, null]);
  assertEquals(shutdowns, 1);
});

Deno.test("Application.RegisterOnShutdown(), Context.OnClose() and Recorder.OnSend() wait for promises of any value", async () => {
  const steps: string[] = [];
  const later = (step: string) => Promise.resolve().then(() => steps.push(step));
  const app = fw.New();
  app.Get("/", (ctx) => {
    ctx.OnClose(() => Promise.all([later("closed"), later("closed")]));
    ctx.Recorder().OnSend(() => later("sent"));
    ctx.SetUser({ ID: "1", Name: "Ada", Roles: [], Method: "test" }, () => later("logged out"));
    return ctx.Logout();
  });
  app.RegisterOnInterrupt(() => later("interrupted"));
  app.RegisterOnShutdown(() => Promise.all([later("stopped"), later("stopped")]));
  app.RegisterOnShutdown(() => steps.push("released"));
  const { origin, ended } = await run(app);
  await (await fetch(origin)).body?.cancel();
  await app.Shutdown();
  await ended;
  assertEquals(steps, [
    ...["logged out", "sent", "closed", "closed"],
    ...["interrupted", "released", "stopped", "stopped"],
  ]);
});
