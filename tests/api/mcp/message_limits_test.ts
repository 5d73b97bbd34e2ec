import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as store from "@fw/web/store";
import { quiet } from "../../serving.ts";
import { Agent, modern, type Params, textOf } from "./agent.ts";

const users = basicauth.New({ Users: ["ann", "bob"].map((Name) => ({ Name, Password: "tea" })) });
function of(name: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${name}:tea`)}` };
}

/** Sends an array of messages. */
async function batch(app: fw.Application, headers: Record<string, string>): Promise<[number, string]> {
  const response = await app.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "ping" }]),
    }),
  );
  return [response.status, await response.text()];
}

Deno.test("mcp.New() accepts batches of revision 2025-03-26 only", async () => {
  for (const Sessions of [false, undefined] as const) {
    const app = quiet();
    app.Get("/teas", (ctx) => ctx.WriteString("teas"));
    mcp.New(app, { Name: "teas", Routes: () => true, ...Sessions === undefined ? {} : { Sessions } });
    for (const era of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
      const params = { protocolVersion: era, capabilities: {}, clientInfo: { name: "x", version: "1" } };
      const begun = await new Agent(app).post({ id: 1, method: "initialize", params }, {});
      const session = begun.headers.get("mcp-session-id");
      const own: Record<string, string> = session === null ? {} : { "mcp-session-id": session };
      const [status, text] = await batch(app, { ...own, "mcp-protocol-version": era });
      assertEquals(status, era === "2025-03-26" ? 200 : 400, `${era} ${text}`);
      if (status === 400) assertStringIncludes(text, "has no batches");
      // Without the header, the revision is that of the session.
      assertEquals((await batch(app, own))[0], Sessions === false || era === "2025-03-26" ? 200 : 400, era);
    }
    assertEquals((await batch(app, { "mcp-protocol-version": modern }))[0], 400);
    assertEquals((await batch(app, { "mcp-protocol-version": "1999-01-01" }))[0], 400);
  }
});

Deno.test("mcp.New() names MaxMessage in the response to a message that is too large", async () => {
  for (const era of [modern, "2025-11-25"]) {
    const app = quiet();
    app.Get("/teas", (ctx) => ctx.WriteString("teas"));
    mcp.New(app, { Name: "teas", Routes: () => true, MaxMessage: 600, Sessions: false });
    const { status, error } = await new Agent(app, era).call("get_teas", { x: "x".repeat(600) });
    assertEquals(status, 413);
    assertEquals(error["message"], "Cannot read the message: it is larger than 600 bytes (MaxMessage)");
  }
  const app = quiet();
  app.Get("/teas", (ctx) => ctx.WriteString("teas"));
  mcp.New(app, { Name: "teas", Routes: () => true, Guards: [fw.LimitRequestBodySize(300)] });
  const { status, error } = await new Agent(app).call("get_teas", { x: "x".repeat(600) });
  assertEquals([status, String(error["message"]).includes("MaxMessage")], [413, false]);
});

Deno.test("mcp.New() counts MaxCalls per user, and per address for anonymous callers", async () => {
  for (const era of [modern, "2025-11-25"]) {
    const app = quiet();
    let open = Promise.withResolvers<void>();
    app.Get("/slow", async (ctx) => {
      begun.resolve();
      await open.promise;
      ctx.WriteString("done");
    });
    let begun = Promise.withResolvers<void>();
    mcp.New(app, {
      Name: "teas",
      Routes: () => true,
      MaxCalls: 1,
      Guards: [(ctx) => ctx.GetHeader("authorization") === "" ? ctx.Next() : users(ctx)],
    });
    const [ann, bob, nobody] = await Promise.all(
      [of("ann"), of("bob"), {}].map((headers) => new Agent(app, era, headers).connect()),
    ) as [Agent, Agent, Agent];
    for (let round = 0; round < 2; round++) {
      open = Promise.withResolvers();
      const calls: Promise<string>[] = [];
      for (const agent of [ann, bob, nobody]) {
        begun = Promise.withResolvers();
        calls.push(agent.call("get_slow").then(textOf));
        await begun.promise;
        assertStringIncludes(textOf(await agent.call("get_slow")), "too many calls are in flight");
      }
      open.resolve();
      assertEquals(await Promise.all(calls), ["done", "done", "done"]);
    }
  }
});

function newShop(Store?: store.Store, Keys?: mcp.Options["Keys"]) {
  const app = quiet();
  const ran: string[] = [];
  app.Post("/orders", async (ctx) => {
    const call = mcp.CallOf(ctx);
    const sort = await call?.Elicit("sort", "Which tea?", z.object({ name: z.string() }));
    const sure = await call?.Elicit("sure", "Sure?", z.object({ yes: z.boolean() }));
    ran.push(`${sort?.Content?.name} ${sure?.Content?.yes}`);
    if (sort?.Content?.name === "fails") throw new fw.HTTPError(409, "no more tea");
    ctx.WriteString("ordered");
  });
  mcp.New(app, {
    Name: "shop",
    Routes: () => true,
    ...Store === undefined ? {} : { Sessions: { Store } },
    ...Keys === undefined ? {} : { Keys },
  });
  const agent = new Agent(app, modern, {}, { elicitation: {} });
  const order = (more: Params = {}) => agent.call("post_orders", {}, more);
  return { order, ran };
}

function accept(content: Params): Params {
  return { action: "accept", content };
}

Deno.test("mcp.New() runs nothing twice if the messages of a completed call are repeated", async () => {
  for (const name of ["Assam", "fails"]) {
    const { order, ran } = newShop();
    const first = await order();
    const one = { requestState: first.result["requestState"], inputResponses: { sort: accept({ name }) } };
    const second = await order(one);
    // The client may repeat a round that has not completed the call.
    assertEquals((await order(one)).result["resultType"], "input_required");
    const two = { requestState: second.result["requestState"], inputResponses: { sure: accept({ yes: true }) } };
    assertEquals((await order(two)).result["isError"] === true, name === "fails");
    assertEquals(ran.length, 1);
    const all = { sort: accept({ name }), sure: accept({ yes: true }) };
    for (const again of [two, one, { ...one, inputResponses: all }, { ...two, inputResponses: all }]) {
      const { error } = await order(again);
      assertEquals([error["code"], String(error["message"]).includes("already been used")], [-32602, true]);
    }
    assertEquals(ran.length, 1);
    // A new call is another one.
    const { result } = await order();
    await order({ requestState: result["requestState"], inputResponses: all });
    assertEquals(ran.length, 2);
  }
});

Deno.test("mcp.New() runs concurrent messages of one call once, also in two processes with a shared store", async () => {
  const shared = store.NewMemory();
  const { New, Generate } = await import("@fw/web/keys");
  const keys = New(Generate());
  const [here, there] = [newShop(shared, keys), newShop(shared, keys)];
  const { result } = await here.order();
  const inputResponses = { sort: accept({ name: "Assam" }), sure: accept({ yes: true }) };
  const more = { requestState: result["requestState"], inputResponses };
  const all = await Promise.all([here, there, here, there].map(({ order }) => order(more)));
  assertEquals(all.filter(({ error }) => error["code"] === -32602).length, 3);
  assertEquals(here.ran.length + there.ran.length, 1);
});

Deno.test("mcp.New() lets a call continue that was refused before its route ran", async () => {
  const app = quiet();
  let isOpen = false;
  let ran = 0;
  app.Post("/orders", (ctx) => isOpen ? ctx.Next() : ctx.StopWithStatus(401), async (ctx) => {
    const sure = await mcp.CallOf(ctx)?.Elicit("sure", "Sure?", z.object({ yes: z.boolean() }));
    ran += sure?.Content?.yes ? 1 : 0;
    ctx.WriteString("ordered");
  });
  mcp.New(app, { Name: "shop", Routes: () => true });
  const agent = new Agent(app, modern, {}, { elicitation: {} });
  isOpen = true;
  const { result } = await agent.call("post_orders");
  const more = { requestState: result["requestState"], inputResponses: { sure: accept({ yes: true }) } };
  isOpen = false;
  assertEquals((await agent.call("post_orders", {}, more)).status, 401);
  isOpen = true;
  assertEquals(textOf(await agent.call("post_orders", {}, more)), "ordered");
  assertEquals(ran, 1);
});

Deno.test("mcp.New() names a tool after OperationID, the route's name, the controller or the path, in this order", async () => {
  const app = quiet();
  const handler: fw.Handler = (ctx) => ctx.WriteString("");
  app.Get("/a", handler).SetName("named").Describe({ OperationID: "find tea!" });
  app.Get("/b", handler).SetName("list.teas");
  app.Get("/c/{id:int}", handler);
  app.Get("/d", handler).Describe({ OperationID: "find tea!" });
  app.Get("/e", handler).SetName("x".repeat(70));
  const tools = await mcp.New(app, { Name: "teas", Routes: () => true }).Tools();
  assertEquals(tools.map(({ name }) => name), ["find_tea_", "list_teas", "get_c_id", "find_tea__2", "x".repeat(64)]);
});
