import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as mcp from "@fw/web/mcp";
import * as basicauth from "@fw/web/middleware/basicauth";
import { Agent, Events, modern, type Params, textOf } from "./agent.ts";

const older = "2025-11-25";
const named = z.object({ name: z.string().min(2) });

function newApp(options: Partial<mcp.Options> = {}): { app: fw.Application; ran: string[] } {
  const ran: string[] = [];
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.OnError((error) => void ran.push(`error ${error}`));
  app.Get("/steps", (ctx) => {
    const call = mcp.CallOf(ctx);
    call?.Log("debug", "begun", "steps");
    call?.Log("warning", { slow: true });
    call?.Progress(1, 2, "half");
    ctx.WriteString("done");
  }).SetName("steps");
  app.Post("/greet/{greeting}", async (ctx) => {
    ran.push("asked");
    const reply = await mcp.CallOf(ctx)?.Elicit("name", "Your name?", named);
    const color = await mcp.CallOf(ctx)?.Elicit("color", "Your color?", z.object({ color: z.string() }));
    ran.push("replied");
    const greeting = ctx.Params().Get("greeting");
    ctx.WriteString(`${greeting} ${reply?.Content?.name ?? reply?.Action}, ${color?.Content?.color}`);
  }).SetName("greet");
  mcp.New(app, { Name: "calls", Routes: ({ Name }) => Name === "steps" || Name === "greet", ...options });
  return { app, ran };
}

for (const version of [modern, older]) {
  Deno.test(`Call.Progress() and Call.Log() send what the client asks for, in revision ${version}`, async () => {
    const { app } = newApp();
    const agent = await new Agent(app, version).connect();
    const quiet = await agent.call("steps");
    assertEquals([quiet.headers.get("content-type"), quiet.messages.length], ["application/json", 1]);
    agent.meta = { progressToken: "p" };
    if (version === modern) agent.meta["io.modelcontextprotocol/logLevel"] = "info";
    else await agent.ask("logging/setLevel", { level: "info" });
    const loud = await agent.call("steps");
    assertEquals(loud.headers.get("content-type"), "text/event-stream");
    assertEquals(loud.messages.slice(0, -1).map(({ method, params }) => [method, params]), [
      ["notifications/message", { level: "warning", data: { slow: true } }],
      ["notifications/progress", { progressToken: "p", progress: 1, total: 2, message: "half" }],
    ]);
    assertEquals(textOf(loud), "done");
  });
}

Deno.test("CallOf() returns undefined if the request was not made by an agent", async () => {
  const { app } = newApp();
  const response = await app.fetch(new Request("http://localhost/greet/Hi", { method: "POST" }));
  assertEquals(await response.text(), "Hi undefined, undefined");
});

const capable = { elicitation: {} };

Deno.test("Call.Elicit() returns its question as an interim result, and continues with the reply", async () => {
  const { app, ran } = newApp();
  const agent = new Agent(app, modern, {}, capable);
  const first = await agent.call("greet", { greeting: "Hi" });
  assertEquals(first.result["resultType"], "input_required");
  assertEquals(Object(first.result["inputRequests"]).name, {
    method: "elicitation/create",
    params: {
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string", minLength: 2 } }, required: ["name"] },
    },
  });
  const accept = (content: Params) => ({ action: "accept", content });
  const again = await agent.call("greet", { greeting: "Hi" }, {
    inputResponses: { name: accept({ name: "x" }) },
    requestState: first.result["requestState"],
  });
  assertEquals(Object.keys(Object(again.result["inputRequests"])), ["name"]);
  const second = await agent.call("greet", { greeting: "Hi" }, {
    inputResponses: { name: accept({ name: "Ada" }) },
    requestState: first.result["requestState"],
  });
  assertEquals(Object.keys(Object(second.result["inputRequests"])), ["color"]);
  const third = await agent.call("greet", { greeting: "Hi" }, {
    inputResponses: { color: accept({ color: "blue" }) },
    requestState: second.result["requestState"],
  });
  assertEquals([textOf(third), third.result["resultType"]], ["Hi Ada, blue", "complete"]);
  assertEquals(ran, ["asked", "asked", "asked", "asked", "replied"]);
});

Deno.test("Call.Elicit() rejects the state of another call, another user and another key", async () => {
  const Guards = [basicauth.New({ Users: ["ada", "bob"].map((Name) => ({ Name, Password: "pass" })) })];
  const Keys = keys.New(keys.Generate());
  const { app } = newApp({ Guards, Keys });
  const of = (name: string) => ({ authorization: `Basic ${btoa(`${name}:pass`)}` });
  const ada = new Agent(app, modern, of("ada"), capable);
  const { result: { requestState } } = await ada.call("greet", { greeting: "Hi" });
  const retry = async (agent: Agent, greeting: string, state: unknown) => {
    const reply = await agent.call("greet", { greeting }, { inputResponses: {}, requestState: state });
    return reply.error["code"] ?? reply.result["resultType"];
  };
  assertEquals(await retry(ada, "Hi", requestState), "input_required");
  assertEquals(await retry(ada, "Ho", requestState), -32602);
  assertEquals(await retry(ada, "Hi", `${requestState}x`), -32602);
  assertEquals(await retry(ada, "Hi", 7), -32602);
  assertEquals(await retry(new Agent(app, modern, of("bob"), capable), "Hi", requestState), -32602);
  assertEquals(
    await retry(new Agent(newApp({ Guards, Keys }).app, modern, of("ada"), capable), "Hi", requestState),
    "input_required",
  );
  assertEquals(await retry(new Agent(newApp({ Guards }).app, modern, of("ada"), capable), "Hi", requestState), -32602);
});

Deno.test("Call.Elicit() does not ask clients that cannot reply", async () => {
  const { app, ran } = newApp();
  const refused = await new Agent(app).call("greet", { greeting: "Hi" });
  assertEquals([refused.status, refused.error["code"], refused.error["data"]], [400, -32021, {
    requiredCapabilities: capable,
  }]);
  const agent = await new Agent(app, older).connect();
  const failed = await agent.call("greet", { greeting: "Hi" });
  assertEquals(failed.result["isError"], true);
  assertStringIncludes(textOf(failed), "it does not support elicitation");
  assertEquals(ran, ["asked", "asked"]);
});

Deno.test("Call.Elicit() waits for the reply in revisions with sessions", async () => {
  const { app, ran } = newApp();
  const agent = await new Agent(app, older, {}, capable).connect();
  const other = await new Agent(app, older, {}, capable).connect();
  await using events = new Events(await agent.open("tools/call", { name: "greet", arguments: { greeting: "Hi" } }));
  const first = await events.next();
  assertEquals([first?.["method"], Object(first?.["params"]).message], ["elicitation/create", "Your name?"]);
  const reply = { id: first?.["id"], result: { action: "decline" } };
  assertEquals((await other.post(reply)).status, 202);
  assertEquals((await agent.post(reply)).status, 202);
  const second = await events.next();
  await agent.post({ id: second?.["id"], result: { action: "accept", content: { color: "red" } } });
  const last = await events.next();
  assertEquals(Object(last?.["result"]).content[0].text, "Hi decline, red");
  assertEquals(await events.next(), undefined);
  assertEquals(ran, ["asked", "replied"]);
});

Deno.test("Call.Elicit() waits for longer than the time limit of handlers, which still applies to their work", async () => {
  const { app } = newApp();
  app.Configure(fw.WithHandlerTimeout(40));
  app.Get("/slow", (ctx) => new Promise((resolve) => ctx.Signal().addEventListener("abort", () => resolve())));
  const agent = await new Agent(app, older, {}, capable).connect();
  await using events = new Events(await agent.open("tools/call", { name: "greet", arguments: { greeting: "Hi" } }));
  const first = await events.next();
  for (let i = 0; i < 2; i++) {
    const slow = await app.fetch(new Request("http://localhost/slow"));
    assertEquals([slow.status, await slow.text()], [503, "Service Unavailable"]);
  }
  await agent.post({ id: first?.["id"], result: { action: "accept", content: { name: "Ada" } } });
  const second = await events.next();
  await agent.post({ id: second?.["id"], result: { action: "decline" } });
  assertEquals(Object((await events.next())?.["result"]).content[0].text, "Hi Ada, undefined");
});

Deno.test("Call.Elicit() ends if the client cancels the call or closes its stream", async () => {
  const ended: string[] = [];
  const closed = Promise.withResolvers<void>();
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/ask", async (ctx) => {
    try {
      await mcp.CallOf(ctx)?.Elicit("name", "Your name?", named);
    } catch (error) {
      ended.push(Object(error).name);
      if (ended.length === 2) closed.resolve();
      throw error;
    }
  }).SetName("ask");
  mcp.New(app, { Name: "ask", Routes: ({ Name }) => Name === "ask" });
  const agent = await new Agent(app, older, {}, capable).connect();
  await using events = new Events(await agent.open("tools/call", { name: "ask", arguments: {} }));
  await events.next();
  await agent.post({ method: "notifications/cancelled", params: { requestId: 2 } });
  assertEquals(Object((await events.next())?.["error"]).code, -32800);
  const stream = new Events(await agent.open("tools/call", { name: "ask", arguments: {} }));
  await stream.next();
  await stream[Symbol.asyncDispose]();
  await closed.promise;
  assertEquals(ended, ["AbortError", "AbortError"]);
});
