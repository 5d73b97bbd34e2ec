import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Client } from "npm:@modelcontextprotocol/sdk@^1.32/client/index.js";
import { StreamableHTTPClientTransport } from "npm:@modelcontextprotocol/sdk@^1.32/client/streamableHttp.js";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as compress from "@fw/web/middleware/compress";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as jwt from "@fw/web/middleware/jwt";
import * as mvc from "@fw/web/mvc";
import * as sessions from "@fw/web/sessions";
import { serving } from "./agent.ts";

type JSONObject = Record<string, unknown>;

const newTea = z.object({ name: z.string().min(2), grams: z.int().positive() });
const tea = newTea.extend({ id: z.int() });

class TeaController {
  Get({ name, tag = [] } = mvc.Query(z.object({ name: z.string().optional(), tag: z.array(z.string()).optional() }))) {
    return [name ?? "all", ...tag];
  }

  GetBy(id = 0n) {
    return mvc.Tuple({ id, name: "Assam", grams: 100 }, id > 0n);
  }

  Post(tea = mvc.Body(newTea)) {
    return mvc.Tuple({ id: 8, ...tea }, 201);
  }

  DeleteBy(id = 0n) {
    return id > 0n ? 204 : 404;
  }

  GetPicture() {
    return new Response(new Uint8Array([1, 2, 3]), { headers: { "content-type": "image/png" } });
  }

  async PostLabel(form = mvc.Form(z.object({ title: z.string(), file: z.file() }))) {
    return `${form.title}: ${await form.file.text()}`;
  }
}

function newApp(options: Partial<mcp.Options> = {}, ...guards: fw.Handler[]): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  mvc.New(app.Party("/teas", ...guards)).Handle(TeaController).Describe(TeaController, {
    GetBy: { Summary: "Finds a tea", Description: "By its number.", Returns: tea },
    Post: { Summary: "Adds a tea", Returns: tea, Status: 201 },
  });
  mcp.New(app, { Name: "teas", Version: "1.2.3", Controllers: [TeaController], ...options });
  return app;
}

/** Connects the official client to an application over a socket. */
async function withClient(
  app: fw.Application,
  run: (client: Client, transport: StreamableHTTPClientTransport) => Promise<void>,
  headers: Record<string, string> = {},
): Promise<void> {
  await serving(app, async (_ask, port) => {
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
      requestInit: { headers },
    });
    // The types of the package do not support exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    try {
      await run(client, transport);
    } finally {
      await client.close();
    }
  });
}

function textOf(result: unknown): string {
  return String(Object(Object(result)["content"])[0]["text"]);
}

/** Sends a single message without a client. */
async function send(
  app: fw.Application,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; json: JSONObject }> {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const response = await app.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body,
    }),
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text.startsWith("{") ? JSON.parse(text) : {} };
}

function call(name: string, given: JSONObject = {}): JSONObject {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
}

Deno.test("mcp.New() lists controller methods as tools with schemas, descriptions and hints", async () => {
  await withClient(newApp(), async (client) => {
    assertEquals(client.getServerVersion(), { name: "teas", version: "1.2.3" });
    const tools: readonly mcp.Tool[] = (await client.listTools()).tools;
    assertEquals(tools.map(({ name }) => name).sort(), [
      "Tea_DeleteBy",
      "Tea_Get",
      "Tea_GetBy",
      "Tea_GetPicture",
      "Tea_Post",
      "Tea_PostLabel",
    ]);
    const post = tools.find(({ name }) => name === "Tea_Post");
    assertEquals(post?.inputSchema["required"], ["body"]);
    assertEquals(Object(post?.inputSchema["properties"]).body.properties.name, { type: "string", minLength: 2 });
    const find = tools.find(({ name }) => name === "Tea_GetBy");
    assertEquals(find?.title, "Finds a tea");
    assertStringIncludes(find?.description ?? "", "By its number.");
    assertEquals(find?.annotations, { readOnlyHint: true });
    assertEquals(find?.outputSchema?.["type"], "object");
    assertEquals(tools.find(({ name }) => name === "Tea_DeleteBy")?.annotations["destructiveHint"], true);
  });
});

Deno.test("mcp.New() calls tools through the application, and reports errors to the model", async () => {
  await withClient(newApp(), async (client) => {
    const found = await client.callTool({ name: "Tea_GetBy", arguments: { id: 7 } });
    assertEquals(found.structuredContent, { id: 7, name: "Assam", grams: 100 });
    const added = await client.callTool({ name: "Tea_Post", arguments: { body: { name: "Sencha", grams: 5 } } });
    assertEquals(added.structuredContent, { id: 8, name: "Sencha", grams: 5 });
    const listed = await client.callTool({ name: "Tea_Get", arguments: { name: "x", tag: ["a", "b"] } });
    assertEquals(JSON.parse(textOf(listed)), ["x", "a", "b"]);
    const invalid = await client.callTool({ name: "Tea_Post", arguments: { body: { name: "S", grams: -1 } } });
    assertEquals([invalid.isError, textOf(invalid).split("\n")[0]], [true, "422 Unprocessable Content"]);
    assertStringIncludes(textOf(invalid), "#/grams");
    const missing = await client.callTool({ name: "Tea_GetBy", arguments: { id: 0 } });
    assertEquals([missing.isError, textOf(missing).slice(0, 3)], [true, "404"]);
    const unknown = await client.callTool({ name: "Tea_GetBy", arguments: { id: 7, other: 1 } });
    assertEquals([unknown.isError, textOf(unknown)], [true, 'Cannot use argument "other": the tool has only "id"']);
    assertEquals(textOf(await client.callTool({ name: "Tea_DeleteBy", arguments: { id: 1 } })), "204 No Content");
    await assertRejects(() => client.callTool({ name: "Tea_None" }), Error, "there is no such tool");
  });
});

Deno.test("mcp.New() sends files both ways in base64", async () => {
  await withClient(newApp(), async (client) => {
    const picture = await client.callTool({ name: "Tea_GetPicture" });
    assertEquals(picture.content, [{ type: "image", data: "AQID", mimeType: "image/png" }]);
    const form = { title: "Label", file: btoa("hello") };
    assertEquals(textOf(await client.callTool({ name: "Tea_PostLabel", arguments: { form } })), "Label: hello");
    const bad = await client.callTool({ name: "Tea_PostLabel", arguments: { form: { ...form, file: "?" } } });
    assertEquals(textOf(bad), 'Cannot use argument "file": it is not base64');
  });
});

Deno.test("mcp.New() exposes GET routes as resources", async () => {
  await withClient(newApp(), async (client) => {
    const resources: readonly { uri: string }[] = (await client.listResources()).resources;
    assertEquals(resources.map(({ uri }) => uri).sort(), ["app:///teas", "app:///teas/picture"]);
    const { resourceTemplates }: { resourceTemplates: { uriTemplate: string }[] } = await client
      .listResourceTemplates();
    assertEquals(resourceTemplates.map(({ uriTemplate }) => uriTemplate).sort(), [
      "app:///teas/{id}",
      "app:///teas{?name,tag}",
    ]);
    const { contents: [found] } = await client.readResource({ uri: "app:///teas/7" });
    assertEquals(found, {
      uri: "app:///teas/7",
      mimeType: "application/json",
      text: '{"id":7,"name":"Assam","grams":100}',
    });
    const { contents: [listed] } = await client.readResource({ uri: "app:///teas?tag=a&tag=b" });
    assertEquals(JSON.parse(String(Object(listed)["text"])), ["all", "a", "b"]);
    for (const uri of ["app:///teas/0", "app:///openapi", "app:///teas/..", "http://localhost/teas", "app:///mcp"]) {
      await assertRejects(() => client.readResource({ uri }), Error, "Cannot read");
    }
  });
});

Deno.test("mcp.New() keeps the digits of long integers", async () => {
  const { json } = await send(
    newApp({ Sessions: false }),
    JSON.stringify(call("Tea_GetBy", { id: "ID" })).replace('"ID"', "9007199254740993"),
  );
  assertStringIncludes(textOf(json["result"]), "9007199254740993");
});

const dots: readonly [name: string, value: unknown][] = [["..", ".."], [".", "."], ["an empty string", ""], [
  "null",
  null,
]];
for (const [name, value] of dots) {
  Deno.test(`mcp.New() does not call another route because of ${name}`, async () => {
    const app = fw.New();
    app.Get("/teas/{name}/picture", (ctx) => ctx.WriteString("picture")).SetName("picture");
    app.Get("/picture", (ctx) => ctx.WriteString("secret"));
    mcp.New(app, { Name: "teas", Routes: (route) => route.Name === "picture", Sessions: false });
    const { json } = await send(app, call("picture", { name: value as string }));
    assertEquals(Object(json["result"])["isError"], true);
    const { json: other } = await send(app, call("picture", { name: "../../picture" }));
    assertEquals(Object(other["result"])["isError"], true);
  });
}

Deno.test("mcp.New() calls only the exposed routes, regardless of the arguments", async () => {
  const app = fw.New();
  app.Get("/teas/{name}", (ctx) => ctx.WriteString(ctx.Params().Get("name"))).SetName("tea");
  app.Get("/teas/export", (ctx) => ctx.WriteString("secret"));
  app.Get("/teas/{id:int}", (ctx) => ctx.WriteString("secret"));
  mcp.New(app, { Name: "teas", Routes: ({ Name }) => Name === "tea", Sessions: false });
  for (const name of ["export", "7", 7, "%65xport"]) {
    const { json } = await send(app, call("tea", { name }));
    assertEquals(textOf(json["result"]).includes("secret"), false);
    const uri = `app:///teas/${name}`;
    const read = await send(app, { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } });
    assertEquals(JSON.stringify(read.json).includes("secret"), false);
  }
  assertEquals(textOf((await send(app, call("tea", { name: "a/b" }))).json["result"]), "a/b");
});

Deno.test("mcp.New() rejects form fields that the schema does not have", async () => {
  const { json } = await send(
    newApp({ Sessions: false }),
    call("Tea_PostLabel", { form: { title: "x", file: "", _method: "DELETE" } }),
  );
  assertEquals(textOf(json["result"]), 'Cannot use argument "_method": the form does not have it');
});

Deno.test("mcp.New() exposes handlers of ConfigureContainer listed in Routes", async () => {
  const app = fw.New();
  app.ConfigureContainer().Post(
    "/sum",
    (_ctx, body = mvc.Body(z.object({ a: z.number(), b: z.number() }))) => ({ sum: body.a + body.b }),
  );
  const server = mcp.New(app, { Name: "sums", Routes: ({ Path }) => Path === "/sum", Sessions: false });
  assertEquals((await server.Tools()).map(({ name }) => name), ["post_sum"]);
  const { json } = await send(app, call("post_sum", { body: { a: 1, b: 2 } }));
  assertEquals(textOf(json["result"]), '{"sum":3}');
});

Deno.test("mcp.New() forwards credentials and responds with 401 if a guard requires them", async () => {
  const secret = "a secret for tests only, 32 bytes";
  const signer = jwt.NewSigner({ Algorithm: "HS256", Key: secret });
  const guard = jwt.New({ Algorithms: ["HS256"], Key: secret });
  const Authorization = { Servers: ["https://login.example.com"], Scopes: ["teas"] };
  const app = newApp({ Authorization, Sessions: false }, guard);
  const refused = await send(app, call("Tea_GetBy", { id: 7 }));
  assertEquals(refused.status, 401);
  const metadata = "http://localhost/.well-known/oauth-protected-resource/mcp";
  assertEquals(refused.headers.get("www-authenticate"), `Bearer resource_metadata="${metadata}", scope="teas"`);
  assertEquals(await (await app.fetch(new Request(metadata))).json(), {
    resource: "http://localhost/mcp",
    authorization_servers: ["https://login.example.com"],
    scopes_supported: ["teas"],
    bearer_methods_supported: ["header"],
    resource_name: "teas",
  });
  const authorization = `Bearer ${await signer.Sign({ sub: "ann" })}`;
  await withClient(newApp({ Guards: [guard] }, guard), async (client) => {
    assertEquals(
      Object((await client.callTool({ name: "Tea_GetBy", arguments: { id: 7 } })).structuredContent)["id"],
      7,
    );
  }, { authorization });
  await assertRejects(() => withClient(newApp({ Guards: [guard] }), () => Promise.resolve()), Error, "401");
});

Deno.test("mcp.New() works behind compression and rewritten paths", async () => {
  const app = newApp();
  app.UseRouter(compress.New({ MinBody: 1 }));
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/v1/{rest:path}", To: "/{rest}" }] }));
  await withClient(app, async (client) => {
    assertEquals(JSON.parse(textOf(await client.callTool({ name: "Tea_Get" }))), ["all"]);
  }, { "accept-encoding": "gzip" });
});

Deno.test("mcp.New() forwards cookies, so that sessions work", async () => {
  const app = fw.New();
  const manager = sessions.New();
  app.Use(manager.Handler());
  app.Post("/count", (ctx) => ctx.JSON(manager.Get(ctx)?.Increment("n"))).SetName("count");
  mcp.New(app, { Name: "counter", Routes: ({ Name }) => Name === "count", Sessions: false });
  const first = await send(app, call("count"));
  const cookie = first.headers.getSetCookie().at(-1)?.split(";")[0] ?? "";
  const second = await send(app, call("count"), { cookie });
  assertEquals([textOf(first.json["result"]), textOf(second.json["result"])], ["1", "2"]);
});

const origins: readonly [origin: string, host: string, status: number][] = [
  ["", "127.0.0.1:8080", 200],
  ["http://localhost:6274", "127.0.0.1:8080", 200],
  ["https://chat.example.com", "api.example.com", 200],
  ["http://evil.example", "evil.example", 403],
  ["http://evil.example", "127.0.0.1", 403],
  ["http://localhost:3000", "api.example.com", 403],
  ["http://127.0.0.1.evil.example", "127.0.0.1", 403],
  ["null", "127.0.0.1", 403],
];
for (const [origin, host, status] of origins) {
  Deno.test(`mcp.New() responds with ${status} to a page of "${origin}" on "${host}"`, async () => {
    const app = newApp({ Sessions: false, Origins: ["https://chat.example.com"] });
    const headers = { host, ...origin === "" ? {} : { origin } };
    assertEquals((await send(app, { jsonrpc: "2.0", id: 1, method: "ping" }, headers)).status, status);
  });
}

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

Deno.test("mcp.New() starts, requires and ends sessions", async () => {
  const app = newApp();
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  assertEquals((await send(app, ping)).status, 400);
  assertEquals((await send(app, ping, { "mcp-session-id": "made-up" })).status, 404);
  const begun = await send(app, initialize);
  assertEquals(Object(begun.json["result"])["protocolVersion"], "2025-06-18");
  const headers = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  assertEquals((await send(app, ping, headers)).json, { jsonrpc: "2.0", id: 1, result: {} });
  assertEquals((await send(app, { jsonrpc: "2.0", method: "notifications/initialized" }, headers)).status, 202);
  const end = () => app.fetch(new Request("http://localhost/mcp", { method: "DELETE", headers }));
  assertEquals([(await end()).status, (await end()).status], [204, 404]);
  assertEquals((await send(app, ping, headers)).status, 404);
  const stream = await app.fetch(new Request("http://localhost/mcp", { headers }));
  assertEquals([stream.status, stream.headers.get("allow")], [405, "POST, DELETE"]);
  await stream.body?.cancel();
});

const messages: readonly [message: unknown, status: number, code: number][] = [
  ["{", 400, -32700],
  ["[]", 400, -32600],
  [{ id: 1, method: "ping" }, 400, -32600],
  [{ jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32600],
  [{ jsonrpc: "2.0", id: 1, method: "constructor" }, 200, -32601],
  [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Tea_Get", arguments: [] } }, 200, -32602],
  [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: "x" } }, 200, -32602],
];
for (const [message, status, code] of messages) {
  Deno.test(`mcp.New() responds to ${JSON.stringify(message)} with error ${code}`, async () => {
    const received = await send(newApp({ Sessions: false }), message);
    assertEquals([received.status, Object(received.json["error"])["code"]], [status, code]);
  });
}

Deno.test("mcp.New() limits messages, results and calls in flight", async () => {
  const small = newApp({ Sessions: false, MaxMessage: 200, MaxResult: 20 });
  assertEquals((await send(small, call("Tea_Get", { name: "x".repeat(300) }))).status, 413);
  assertEquals((await send(small, call("Tea_Get"), { "content-type": "text/plain" })).status, 415);
  const large = await send(small, call("Tea_GetBy", { id: 7 }));
  assertEquals(textOf(large.json["result"]), "Cannot return the result: it is larger than 20 bytes");

  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const app = fw.New();
  app.Get("/slow", async (ctx) => {
    entered.resolve();
    await leave.promise;
    ctx.WriteString("done");
  });
  mcp.New(app, { Name: "slow", Routes: ({ Path }) => Path === "/slow", Sessions: false, MaxCalls: 1 });
  const first = send(app, call("get_slow"));
  await entered.promise;
  const second = await send(app, call("get_slow"));
  assertStringIncludes(textOf(second.json["result"]), "too many calls are in flight");
  leave.resolve();
  assertEquals(textOf((await first).json["result"]), "done");
});

Deno.test("mcp.New() aborts a call that its client cancels", async () => {
  const entered = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const app = fw.New();
  app.Get("/slow", async (ctx) => {
    ctx.Signal().addEventListener("abort", () => aborted.resolve());
    entered.resolve();
    await aborted.promise;
    ctx.WriteString("late");
  });
  mcp.New(app, { Name: "slow", Routes: ({ Path }) => Path === "/slow" });
  await withClient(app, async (client) => {
    const controller = new AbortController();
    const calling = client.callTool({ name: "get_slow" }, undefined, { signal: controller.signal });
    await entered.promise;
    controller.abort("enough");
    await assertRejects(() => calling);
    await aborted.promise;
  });
});

Deno.test("mcp.New() does not expose handler errors", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/broken", () => {
    throw new Error("the password is tea");
  });
  mcp.New(app, { Name: "broken", Routes: ({ Path }) => Path === "/broken", Sessions: false });
  const { json } = await send(app, call("get_broken"));
  assertEquals(Object(json["result"])["isError"], true);
  assert(!JSON.stringify(json).includes("password"));
});

Deno.test("mcp.New() rejects options that expose nothing at start-up", async () => {
  class LostController {
    Get() {
      return "";
    }
  }
  await assertRejects(() => Promise.try(() => mcp.New(fw.New(), { Name: "x" })), fw.FrameworkError, "Cannot create");
  const unnamed = { Name: "", Controllers: [] };
  await assertRejects(() => Promise.try(() => mcp.New(fw.New(), unnamed)), fw.FrameworkError, '"Name" of mcp');
  const wrong = { Name: "x", Controllers: [], MaxCalls: 0 };
  await assertRejects(() => Promise.try(() => mcp.New(fw.New(), wrong)), fw.FrameworkError, '"MaxCalls" of mcp');
  const app = fw.New();
  mcp.New(app, { Name: "x", Controllers: [LostController] });
  await assertRejects(() => Promise.try(() => app.Build()), fw.FrameworkError, 'Cannot offer "LostController"');
});

Deno.test("mcp.New() passes numbers, booleans and lists to a query that expects them", async () => {
  class Shelf {
    Get(query = mvc.Query(z.object({ limit: z.int(), isNew: z.boolean(), ids: z.array(z.number()) }))) {
      return query;
    }
    PutBy(id = 0, form = mvc.Form(z.object({ grams: z.number(), isNew: z.boolean() }))) {
      return { id, ...form };
    }
  }
  const app = fw.New();
  mvc.New(app.Party("/shelf")).Handle(Shelf);
  mcp.New(app, { Name: "shelf", Version: "1", Controllers: [Shelf] });
  await withClient(app, async (client) => {
    const ask = async (name: string, given: JSONObject) =>
      JSON.parse(textOf(await client.callTool({ name, arguments: given })));
    const query = { limit: 3, isNew: false, ids: [1] };
    assertEquals(await ask("Shelf_Get", query), query);
    const form = { grams: 2.5, isNew: true };
    assertEquals(await ask("Shelf_PutBy", { id: 4, form }), { id: 4, ...form });
  });
});
