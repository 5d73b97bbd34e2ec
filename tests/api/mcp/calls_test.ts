import { assertEquals, assertRejects } from "@std/assert";
import { Client } from "npm:@modelcontextprotocol/sdk@^1.32/client/index.js";
import { StreamableHTTPClientTransport } from "npm:@modelcontextprotocol/sdk@^1.32/client/streamableHttp.js";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import { serving } from "./agent.ts";

/** The ways in which a tool can be silent forever. Each reports when it has begun and when it has been closed. */
const silent: Readonly<Record<string, (begun: () => void, closed: () => void) => fw.Handler>> = {
  "a generator of events": (begun, closed) => (ctx) =>
    ctx.Events(async function* () {
      try {
        yield { data: "first" };
        begun();
        await new Promise<void>((_, reject) => {
          ctx.Signal().addEventListener("abort", () => reject(new Error("aborted")));
        });
      } finally {
        closed();
      }
    }()),
  "a stream that ignores the signal": (begun, closed) => () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode("first"));
          begun();
          return new Promise(() => {});
        },
        cancel: closed,
      }),
    ),
  "a handler that waits for the signal": (begun, closed) => async (ctx) => {
    begun();
    await new Promise<void>((resolve) => ctx.Signal().addEventListener("abort", () => resolve()));
    closed();
  },
};

function newApp(handler: fw.Handler): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/silent", handler).SetName("silent");
  mcp.New(app, { Name: "silent", Routes: ({ Name }) => Name === "silent", MaxCalls: 1 });
  return app;
}

for (const [name, create] of Object.entries(silent)) {
  Deno.test(`mcp.New() ends a canceled call of ${name}`, async () => {
    let begun = Promise.withResolvers<void>();
    let closed = Promise.withResolvers<void>();
    const app = newApp(create(() => begun.resolve(), () => closed.resolve()));
    await serving(app, async (_ask, port) => {
      const url = `http://127.0.0.1:${port}/mcp`;
      const headers: Record<string, string> = { "content-type": "application/json" };
      const post = (message: object) =>
        fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
      const started = await post({ id: 0, method: "initialize", params });
      headers["mcp-session-id"] = started.headers.get("mcp-session-id") ?? "";
      await started.body?.cancel();
      // The slot of a canceled call is free again.
      for (const id of [7, "7"]) {
        begun = Promise.withResolvers();
        closed = Promise.withResolvers();
        const calling = post({ id, method: "tools/call", params: { name: "silent" } });
        await begun.promise;
        const other = id === 7 ? "7" : 7;
        await (await post({ method: "notifications/cancelled", params: { requestId: other } })).body?.cancel();
        await (await post({ method: "notifications/cancelled", params: { requestId: id } })).body?.cancel();
        const ended = await (await calling).json();
        assertEquals([ended.id, ended.error.code], [id, -32800]);
        await closed.promise;
      }
    });
  });

  Deno.test(`mcp.New() ends a call of ${name} if the client disconnects`, async () => {
    const begun = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    await serving(newApp(create(begun.resolve, closed.resolve)), async (_ask, port) => {
      const client = new Client({ name: "test", version: "1.0.0" });
      const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
      await client.connect(transport as Parameters<Client["connect"]>[0]);
      const calling = assertRejects(() => client.callTool({ name: "silent" }));
      await begun.promise;
      await client.close();
      await calling;
      await closed.promise;
    });
  });
}
