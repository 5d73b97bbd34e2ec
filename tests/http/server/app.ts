/**
 * An application in a separate process. It is the default export for `deno serve`, and can be run with the argument
 * `run`. Prints its port and its state changes.
 *
 * @module
 */

import * as fw from "@fw/web";

const app: fw.Application = fw.New();
app.Logger().SetTimeFormat("").SetOutput((line) => say(line));
app.Configure(
  fw.WithoutStartupLog,
  fw.WithShutdownTimeout(Number(Deno.env.get("LIMIT") ?? 8_000)),
  fw.WithOnListen((address) => say("port" in address ? `port ${address.port}` : "open")),
);
app.RegisterOnInterrupt(() => say("interrupt"));
app.RegisterOnShutdown(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  say("shutdown");
});
app.Get("/", (ctx) => ctx.WriteString("hello"));
const thread = crypto.randomUUID();
app.Get("/thread", (ctx) => ctx.WriteString(thread));
app.Get("/slow", async (ctx) => {
  say("request");
  await new Promise((resolve) => setTimeout(resolve, 300));
  ctx.WriteString("slow");
});
app.Get("/closing", (ctx) => {
  ctx.OnClose(async () => {
    say("closing");
    await new Promise((resolve) => setTimeout(resolve, 300));
    say("closed");
  });
  ctx.WriteString("sent");
});
app.Get("/never", () => {
  say("request");
  return new Promise(() => {});
});
app.Get("/stray", (ctx) => {
  Promise.reject(new Error("no code awaited this"));
  ctx.WriteString("stray");
});
app.Get("/stop", (ctx) => {
  app.Shutdown();
  ctx.WriteString("stopping");
});

export default app;

const [mode] = Deno.args;
if (mode === "run") say(`result ${await app.Run(fw.Addr("127.0.0.1:0"))}`);
if (mode === "string") say(`result ${await app.Run("127.0.0.1:0")}`);
if (mode === "forgotten") {
  app.Run(fw.Addr("127.0.0.1:0"), fw.WithOnListen(() => {}));
  await new Promise((resolve) => setTimeout(resolve, 100));
  throw new Error("the rest of the program failed");
}

// The console is not used, because --parallel adds the name of the thread to it.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line.trimEnd()}\n`));
}
