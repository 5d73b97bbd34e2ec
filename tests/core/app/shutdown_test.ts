import { assertEquals, assertRejects } from "@std/assert";
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

Deno.test("Application.Shutdown() resolves for every caller when the tasks have run", async () => {
  const steps: string[] = [];
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const app = fw.New();
  app.RegisterOnShutdown(async () => {
    await app.Shutdown(); // a task does not wait for itself
    begun.resolve();
    await released.promise;
    steps.push("task");
  });
  const first = app.Shutdown();
  await begun.promise;
  const second = app.Shutdown().then(() => steps.push("second"));
  released.resolve();
  await Promise.all([first, second]);
  assertEquals(steps, ["task", "second"]);
});

Deno.test("Application.Shutdown() waits for the observers of a task of Context.OnClose() that fails", async () => {
  const steps: string[] = [];
  const failing = Promise.withResolvers<void>();
  const observing = Promise.withResolvers<void>();
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.OnError(async () => {
    await observing.promise;
    steps.push("observed");
  });
  app.Get("/", (ctx) => {
    ctx.OnClose(async () => {
      await failing.promise;
      setTimeout(() => observing.resolve(), 20);
      throw new Error("late");
    });
  });
  app.RegisterOnInterrupt(() => failing.resolve());
  app.RegisterOnShutdown(() => void steps.push("shutdown"));
  const { origin, ended } = await run(app);
  await (await fetch(origin)).text();
  await app.Shutdown();
  assertEquals(await ended, null);
  assertEquals(steps, ["observed", "shutdown"]);
});

const streams: Record<string, (chunks: () => AsyncGenerator<Uint8Array<ArrayBuffer>>) => fw.Handler> = {
  "a Response": (chunks) => () => new Response(ReadableStream.from(chunks())),
  "Context.Stream() with a stream": (chunks) => (ctx) => ctx.Stream(ReadableStream.from(chunks())),
  "Context.Stream() with a generator": (chunks) => (ctx) => ctx.Stream(chunks()),
};

for (const [name, newHandler] of Object.entries(streams)) {
  for (const isMounted of [false, true]) {
    Deno.test(`Application.Shutdown() cuts off ${name}${isMounted ? " of a mounted application" : ""} and closes its source`, async () => {
      const lines: string[] = [];
      const closed = Promise.withResolvers<void>();
      async function* chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
        try {
          for (;;) {
            yield new Uint8Array(1);
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        } finally {
          closed.resolve();
        }
      }
      const inner = fw.New();
      inner.Get("/", newHandler(chunks));
      const app = isMounted ? fw.New() : inner;
      if (isMounted) app.Mount("/", inner.fetch);
      for (const each of [app, inner]) each.Logger().SetLevel("error").SetOutput((line) => void lines.push(line));
      app.Configure(fw.WithShutdownTimeout(200));
      const { origin, ended } = await run(app);
      const reader = (await fetch(origin)).body?.getReader();
      await reader?.read();
      await app.Shutdown();
      await closed.promise;
      assertEquals(await ended, null);
      await assertRejects(async () => {
        while (!(await reader?.read())?.done);
      });
      assertEquals(lines, []);
    });
  }
}
