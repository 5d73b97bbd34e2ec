import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import { Agent, modern, textOf } from "./agent.ts";

function newApp(options: Partial<mcp.Options> = {}): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/teas/{id:int}", (ctx) => ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) })).SetName("tea");
  mcp.New(app, { Name: "teas", Version: "1.2.3", Routes: ({ Name }) => Name === "tea", ...options });
  return app;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const { "io.modelcontextprotocol/clientCapabilities": _, ...withoutCapabilities } = meta;
const good = { "mcp-protocol-version": modern, "mcp-method": "tools/list" };

interface Case {
  readonly name: string;
  readonly headers?: Record<string, string>;
  readonly message?: Record<string, unknown>;
  readonly status: number;
  readonly code: number;
}

const list = { id: 1, method: "tools/list", params: { _meta: meta } };
const cases: readonly Case[] = [
  { name: "without metadata", message: { ...list, params: {} }, status: 400, code: -32602 },
  {
    name: "without capabilities",
    message: { ...list, params: { _meta: withoutCapabilities } },
    status: 400,
    code: -32602,
  },
  { name: "without the header for the version", headers: { "mcp-method": "tools/list" }, status: 400, code: -32020 },
  { name: "without the header for the method", headers: { "mcp-protocol-version": modern }, status: 400, code: -32020 },
  {
    name: "with another method in its header",
    headers: { ...good, "mcp-method": "tools/call" },
    status: 400,
    code: -32020,
  },
  {
    name: "with an older version in its header",
    headers: { ...good, "mcp-protocol-version": "2025-11-25" },
    status: 400,
    code: -32020,
  },
  {
    name: "of a version that does not exist",
    headers: { ...good, "mcp-protocol-version": "1900-01-01" },
    message: { ...list, params: { _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": "1900-01-01" } } },
    status: 400,
    code: -32022,
  },
  {
    name: "of a version that only its header names",
    headers: { "mcp-protocol-version": "2024-11-05" },
    message: { ...list, params: {} },
    status: 400,
    code: -32022,
  },
  {
    name: "with a log level that does not exist",
    message: { ...list, params: { _meta: { ...meta, "io.modelcontextprotocol/logLevel": "loud" } } },
    status: 400,
    code: -32602,
  },
  ...["initialize", "ping", "logging/setLevel", "resources/subscribe", "none", "constructor"].map((method) => ({
    name: `for the method ${method}`,
    headers: { ...good, "mcp-method": method },
    message: { ...list, method },
    status: 404,
    code: -32601,
  })),
  {
    name: "for a tool that its header does not name",
    headers: { ...good, "mcp-method": "tools/call" },
    message: { id: 1, method: "tools/call", params: { name: "tea", _meta: meta } },
    status: 400,
    code: -32020,
  },
  {
    name: "for a resource that does not exist",
    headers: { ...good, "mcp-method": "resources/read", "mcp-name": "app:///none" },
    message: { id: 1, method: "resources/read", params: { uri: "app:///none", _meta: meta } },
    status: 200,
    code: -32602,
  },
  {
    name: "from another origin",
    headers: { ...good, origin: "https://evil.example" },
    status: 403,
    code: -32600,
  },
];
for (const { name, headers = good, message = list, status, code } of cases) {
  Deno.test(`mcp.New() responds to a request ${name} with ${status} and error ${code}`, async () => {
    const response = await new Agent(newApp()).post(message, headers);
    const json = await response.json();
    assertEquals([response.status, json.error.code], [status, code]);
    assertEquals(json.id, status === 403 ? undefined : 1);
    if (code === -32022) {
      assertEquals(json.error.data.supported, [modern, "2025-11-25", "2025-06-18", "2025-03-26"]);
    }
  });
}

Deno.test("mcp.New() describes itself to clients of revision 2026-07-28", async () => {
  const { status, headers, result } = await new Agent(newApp({ Instructions: "Ask for teas." })).ask("server/discover");
  assertEquals([status, headers.get("mcp-session-id")], [200, null]);
  assertEquals(result["supportedVersions"], [modern, "2025-11-25", "2025-06-18", "2025-03-26"]);
  assertEquals([result["resultType"], result["instructions"], result["cacheScope"]], [
    "complete",
    "Ask for teas.",
    "private",
  ]);
  assertEquals(Object(result["_meta"])["io.modelcontextprotocol/serverInfo"], { name: "teas", version: "1.2.3" });
});

for (const version of [modern, "2025-11-25", "2025-06-18", "2025-03-26"]) {
  Deno.test(`mcp.New() serves revision ${version} at the same address`, async () => {
    const app = newApp();
    const agent = await new Agent(app, version).connect();
    const { result } = await agent.ask("tools/list");
    assertEquals(Object(result["tools"])[0].name, "tea");
    const called = await agent.call("tea", { id: 7 });
    assertEquals([called.result["structuredContent"], called.result["resultType"]], [
      { id: 7 },
      version === modern ? "complete" : undefined,
    ]);
    const read = await agent.ask("resources/read", { uri: "app:///teas/7" });
    assertEquals(Object(read.result["contents"])[0].text, '{"id":7}');
    const none = await agent.ask("resources/read", { uri: "app:///teas/x" });
    assertEquals(none.error["code"], version === modern ? -32602 : -32002);
    const wrong = await agent.call("tea", { id: "x" });
    assertEquals([wrong.result["isError"], textOf(wrong).includes("Cannot call")], [true, true]);
  });
}

Deno.test("mcp.New() answers with JSON-RPC errors if a message cannot be read", async () => {
  const app = newApp({ MaxMessage: 200 });
  const send = async (body: string, type = "application/json") => {
    const headers = { "content-type": type };
    const response = await app.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    const { jsonrpc, error } = await response.json();
    return [response.status, jsonrpc, error.code];
  };
  assertEquals(await send("{"), [400, "2.0", -32700]);
  assertEquals(await send("[]"), [400, "2.0", -32600]);
  assertEquals(await send("null"), [400, "2.0", -32600]);
  assertEquals(await send(JSON.stringify({ long: "x".repeat(300) })), [413, "2.0", -32600]);
  assertEquals(await send("{}", "text/plain"), [415, "2.0", -32600]);
});

Deno.test("mcp.New() compares headers with arguments that tools mark", async () => {
  const { newApp } = await import("./everything.ts");
  const agent = new Agent(newApp());
  const call = async (region: unknown, header?: string) => {
    const _meta = meta;
    const response = await agent.post(
      { id: 1, method: "tools/call", params: { name: "test_mirrored_header", arguments: { region }, _meta } },
      {
        ...good,
        "mcp-method": "tools/call",
        "mcp-name": "=?base64?dGVzdF9taXJyb3JlZF9oZWFkZXI=?=",
        ...header === undefined ? {} : { "mcp-param-region": header },
      },
    );
    const { result, error } = await response.json();
    return error === undefined ? result.content[0].text : error.code;
  };
  assertEquals(await call("eu", "eu"), "in eu");
  assertStringIncludes(await call("λ", `=?base64?${btoa("\xce\xbb")}?=`), "in λ");
  assertEquals(await call("eu", "us"), -32020);
  assertEquals(await call("eu"), -32020);
  assertEquals(await call("eu", "=?base64?ZXU?="), -32020);
});
