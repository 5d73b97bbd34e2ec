import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import { Agent, Events } from "./agent.ts";

function newApp(options: Partial<mcp.Options> = {}): { app: fw.Application; server: mcp.Server } {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/teas", (ctx) => ctx.WriteString("teas")).SetName("teas");
  const server = mcp.New(app, { Name: "teas", Routes: ({ Name }) => Name === "teas", ...options });
  return { app, server };
}

const subscription = "io.modelcontextprotocol/subscriptionId";

Deno.test("Server.ResourceChanged() notifies the subscriptions of revision 2026-07-28 that ask for it", async () => {
  const { app, server } = newApp();
  const agent = new Agent(app);
  const notifications = { toolsListChanged: true, resourceSubscriptions: ["app:///teas"], other: true };
  await using events = new Events(await agent.open("subscriptions/listen", { notifications }));
  const { other: _, ...accepted } = notifications;
  assertEquals(await events.next(), {
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { _meta: { [subscription]: 1 }, notifications: accepted },
  });
  server.ListChanged("prompts");
  server.ResourceChanged("app:///others");
  server.ResourceChanged("app:///teas");
  server.ListChanged("tools");
  assertEquals(await events.next(), {
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { uri: "app:///teas", _meta: { [subscription]: 1 } },
  });
  assertEquals((await events.next())?.["method"], "notifications/tools/list_changed");
});

Deno.test("Server.ResourceChanged() notifies the sessions that have subscribed", async () => {
  const { app, server } = newApp();
  const agent = await new Agent(app, "2025-11-25").connect();
  const other = await new Agent(app, "2025-11-25").connect();
  await agent.ask("resources/subscribe", { uri: "app:///teas" });
  await using mine = new Events(await agent.stream());
  await using theirs = new Events(await other.stream());
  server.ResourceChanged("app:///teas");
  assertEquals(Object(await mine.next())["params"], { uri: "app:///teas" });
  server.ListChanged("resources");
  assertEquals((await theirs.next())?.["method"], "notifications/resources/list_changed");
  assertEquals((await mine.next())?.["method"], "notifications/resources/list_changed");
  await agent.ask("resources/unsubscribe", { uri: "app:///teas" });
  server.ResourceChanged("app:///teas");
  server.ListChanged("tools");
  assertEquals((await mine.next())?.["method"], "notifications/tools/list_changed");
});

Deno.test("mcp.New() limits streams, and refuses those of unknown sessions", async () => {
  const { app } = newApp({ MaxStreams: 1 });
  const agent = new Agent(app);
  const first = await agent.open("subscriptions/listen", { notifications: {} });
  const second = await agent.open("subscriptions/listen", { notifications: {} });
  assertEquals([first.status, second.status, (await second.json()).error.code], [200, 503, -32603]);
  await first.body?.cancel();
  await using third = new Events(await agent.open("subscriptions/listen", { notifications: {} }));
  assertEquals((await third.next())?.["method"], "notifications/subscriptions/acknowledged");
  const agentOfSession = await new Agent(app, "2025-11-25").connect();
  const head = await agentOfSession.stream("HEAD");
  assertEquals([head.status, head.headers.get("allow")], [405, "POST, DELETE"]);
  const stranger = new Agent(app, "2025-11-25", { "mcp-session-id": "made-up" });
  const refused = await stranger.stream();
  assertEquals([refused.status, (await refused.json()).error.code], [404, -32600]);
});

Deno.test("Application.Shutdown() ends subscriptions with a result", async () => {
  const { app } = newApp();
  const listening = Promise.withResolvers<number>();
  const onListen = fw.WithOnListen((addr) => listening.resolve("port" in addr ? addr.port : 0));
  const running = app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithoutInterruptHandler, onListen);
  const port = await listening.promise;
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "s",
      method: "subscriptions/listen",
      params: {
        notifications: {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  await using events = new Events(response);
  await events.next();
  const stopping = app.Shutdown();
  assertEquals(await events.next(), {
    jsonrpc: "2.0",
    id: "s",
    result: { resultType: "complete", _meta: { [subscription]: "s" } },
  });
  assertEquals(await events.next(), undefined);
  await stopping;
  await running;
});

Deno.test("Server.ListChanged() closes the stream of a client that does not read", async () => {
  const { app, server } = newApp({ MaxStreams: 1 });
  const agent = new Agent(app);
  const notifications = { toolsListChanged: true };
  const slow = await agent.open("subscriptions/listen", { notifications });
  for (let at = 0; at < 2000; at++) server.ListChanged("tools");
  await using events = new Events(await agent.open("subscriptions/listen", { notifications }));
  assertEquals((await events.next())?.["method"], "notifications/subscriptions/acknowledged");
  await assertRejects(() => slow.text(), Error, "the client is too slow");
});

Deno.test("mcp.New() ends the stream of a session with the session", async () => {
  const { app, server } = newApp();
  const agent = await new Agent(app, "2025-11-25").connect();
  const other = await new Agent(app, "2025-11-25").connect();
  await using mine = new Events(await agent.stream());
  await using theirs = new Events(await other.stream());
  assertEquals((await agent.stream("DELETE")).status, 204);
  assertEquals(await mine.next(), undefined);
  server.ListChanged("tools");
  assertEquals((await theirs.next())?.["method"], "notifications/tools/list_changed");
});
