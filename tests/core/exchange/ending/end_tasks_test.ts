import { assertEquals } from "@std/assert";
import { exchangeOf } from "../../../../src/core/context/context.ts";
import { afterResponse } from "../../../../src/core/exchange/ending/end_tasks.ts";
import { logged, overSocket, quiet } from "../../../serving.ts";

Deno.test("afterResponse() runs tasks in reverse order in process, even if some fail", async () => {
  const { app, lines } = logged();
  const done: string[] = [];
  app.Get("/{how}", (ctx) => {
    afterResponse(exchangeOf(ctx), () => void done.push("a"));
    afterResponse(exchangeOf(ctx), () => Promise.reject(new Error("task")));
    afterResponse(exchangeOf(ctx), async () => {
      await Promise.resolve();
      done.push("b");
    });
    if (ctx.Params().Get("how") === "throw") throw new Error("handler");
    if (ctx.Params().Get("how") === "stream") return ctx.Stream(["x", "y"]);
    ctx.WriteString("text");
  });
  for (const how of ["text", "throw", "stream"]) {
    done.length = 0;
    const response = await app.fetch(new Request(`http://localhost/${how}`));
    if (how === "stream") assertEquals(done, []);
    await response.text();
    assertEquals(done, ["b", "a"], how);
  }
  assertEquals(lines.filter((line) => line.startsWith("[ERRO] Cannot run an end task of a request:")).length, 3);
});

Deno.test("afterResponse() runs tasks if a stream is canceled or fails", async () => {
  const app = quiet();
  const done: string[] = [];
  app.Get("/{how}", (ctx) => {
    const how = ctx.Params().Get("how");
    afterResponse(exchangeOf(ctx), () => void done.push(how));
    ctx.Stream(
      new ReadableStream({
        pull: (controller) =>
          how === "broken" ? controller.error(new Error("no")) : controller.enqueue(new Uint8Array(1)),
      }),
    );
  });
  const canceled = await app.fetch(new Request("http://localhost/canceled"));
  await canceled.body?.cancel();
  const broken = await app.fetch(new Request("http://localhost/broken"));
  await broken.text().catch(() => {});
  assertEquals(done, ["canceled", "broken"]);
});

Deno.test("afterResponse() runs tasks after the response has been sent", async () => {
  const app = quiet();
  const ended = Promise.withResolvers<void>();
  const order: string[] = [];
  app.Get("/", (ctx) => {
    afterResponse(exchangeOf(ctx), () => {
      order.push("after");
      ended.resolve();
    });
    ctx.Stream((async function* () {
      yield "a";
      await Promise.resolve();
      yield "b";
      order.push("sent");
    })());
  });
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/")).text, "ab");
    await ended.promise;
    assertEquals(order, ["sent", "after"]);
  });
});

Deno.test("afterResponse() runs tasks when the client disconnects", async () => {
  const app = quiet();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  app.Get("/", (ctx) => {
    afterResponse(exchangeOf(ctx), () => ended.resolve());
    ctx.Stream(
      new ReadableStream({
        pull(controller) {
          begun.resolve();
          controller.enqueue(new Uint8Array(1 << 16));
        },
      }),
    );
  });
  await overSocket(app, async (_ask, port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    await begun.promise;
    connection.close();
    await ended.promise;
  });
});
