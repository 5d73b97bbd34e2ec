import { assertEquals } from "@std/assert";
import { overSocket, quiet } from "../../../serving.ts";

const encoder = new TextEncoder();

/** Sends a request and disconnects at a given moment. */
async function leaveAfter(port: number, path: string, moment: Promise<void>): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(encoder.encode(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`));
  await moment;
}

Deno.test("Context.Signal() is aborted when the client disconnects before the response", async () => {
  const app = quiet();
  const arrived = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<unknown>();
  app.Get("/", async (ctx) => {
    const signal = ctx.Signal();
    ctx.OnConnectionClose(() => gone.resolve(signal.reason));
    arrived.resolve();
    await gone.promise;
  });
  await overSocket(app, async (_ask, port) => {
    await leaveAfter(port, "/", arrived.promise);
    assertEquals(String(await gone.promise), "AbortError: The client disconnected");
  });
});

Deno.test("Context.OnConnectionClose() and OnClose() run when the client disconnects during a stream", async () => {
  const app = quiet();
  const begun = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  app.Get("/", (ctx) => {
    ctx.OnConnectionClose(gone.resolve);
    ctx.OnClose(closed.resolve);
    ctx.Stream(async function* () {
      yield "tick ";
      begun.resolve();
      await gone.promise;
    }());
  });
  await overSocket(app, async (_ask, port) => {
    await leaveAfter(port, "/", begun.promise);
    await gone.promise;
    await closed.promise;
  });
});

Deno.test("Context.OnClose() can read the request headers after the response has been sent", async () => {
  const app = quiet();
  const read = Promise.withResolvers<string>();
  app.Get("/", (ctx) => ctx.OnClose(() => read.resolve(ctx.GetHeader("x-asked"))));
  await overSocket(app, async (ask) => {
    await ask("/", { headers: { "x-asked": "early" } });
    assertEquals(await read.promise, "early");
  });
});

Deno.test("Context.OnConnectionClose() does not run if the client stays connected", async () => {
  const app = quiet();
  const events: string[] = [];
  app.Get("/text", (ctx) => {
    ctx.OnConnectionClose(() => events.push("gone"));
    ctx.OnClose(() => void events.push("closed"));
    ctx.WriteString("text");
  });
  app.Get("/stream", (ctx) => {
    ctx.OnConnectionClose(() => events.push("gone"));
    ctx.OnClose(() => void events.push("closed"));
    ctx.Stream(["a", "b"]);
  });
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/text")).text, "text");
    assertEquals((await ask("/stream")).text, "ab");
  });
  assertEquals(events, ["closed", "closed"]);
});
