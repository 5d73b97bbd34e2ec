import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as fw from "../../../../mod.ts";
import { bothWays, logged, quiet } from "../../../serving.ts";

bothWays("WithHandlerTimeout responds with 503 if handlers take longer, and aborts Context.Signal()", () => {
  const app = quiet().Configure(fw.WithHandlerTimeout(20));
  app.OnErrorCode(503, (ctx) => ctx.WriteString("too late"));
  app.Get("/never", async (ctx) => {
    await new Promise((resolve) => ctx.Signal().addEventListener("abort", resolve));
    ctx.WriteString(" half");
  });
  app.Get("/soon", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("in time");
  });
  app.Get("/sync", (ctx) => ctx.WriteString("at once"));
  return app;
}, async (ask) => {
  const late = await ask("/never");
  assertEquals([late.status, late.text], [503, "too late"]);
  assertEquals((await ask("/soon")).text, "in time");
  assertEquals((await ask("/sync")).text, "at once");
});

Deno.test("WithHandlerTimeout logs the timeout, and an error that is thrown later", async () => {
  const { app, lines } = logged(fw.New().Configure(fw.WithHandlerTimeout(5)));
  const ended = Promise.withResolvers<void>();
  let gone = 0;
  app.Get("/slow", async (ctx) => {
    ctx.OnConnectionClose(() => gone++);
    await new Promise((resolve) => ctx.Signal().addEventListener("abort", resolve));
    try {
      throw new Error("after all");
    } finally {
      queueMicrotask(() => queueMicrotask(() => queueMicrotask(ended.resolve)));
    }
  });
  const response = await app.fetch(new Request("http://localhost/slow"));
  assertEquals([response.status, await response.text()], [503, "Service Unavailable"]);
  await ended.promise;
  assertEquals(lines[0], "[WARN] Cannot finish GET /slow within 5 ms");
  assertStringIncludes(
    lines[1] ?? "",
    "[ERRO] Cannot finish GET /slow after its response was sent: Error: after all",
  );
  assertEquals(gone, 0);
});

Deno.test("WithHandlerTimeout is disabled by default and rejects negative numbers", () => {
  const app = quiet();
  assertEquals(app.Configuration().HandlerTimeout, 0);
  let code = "";
  try {
    quiet().Configure(fw.WithHandlerTimeout(-1)).Build();
  } catch (error) {
    code = (error as fw.FrameworkError).Code;
  }
  assertEquals(code, "FW_CONFIG");
});

Deno.test("WithHandlerTimeout creates the first timer of the process before the first request", async () => {
  const program = `
    import * as fw from ${JSON.stringify(new URL("../../../../mod.ts", import.meta.url).href)};
    let timers = 0;
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (...args) => (timers++, setTimeout(...args));
    const app = fw.New().Configure(fw.WithHandlerTimeout(1000), fw.WithoutStartupLog);
    app.Get("/", (ctx) => ctx.WriteString(String(timers)));
    app.Run("127.0.0.1:0", fw.WithOnListen(async ({ port }) => {
      console.log(await (await fetch("http://127.0.0.1:" + port)).text());
      await app.Shutdown();
    }));`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--config", fromFileUrl(new URL("../../../../deno.json", import.meta.url)), program],
  }).output();
  assertEquals(new TextDecoder().decode(stdout).trim(), "1");
});
