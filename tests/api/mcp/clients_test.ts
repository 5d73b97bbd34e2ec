import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { createMCPClient } from "npm:@ai-sdk/mcp@^2";
import { Client, StreamableHTTPClientTransport } from "npm:@modelcontextprotocol/client@^2";
import { Client as Client1 } from "npm:@modelcontextprotocol/sdk@^1.32/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "npm:@modelcontextprotocol/sdk@^1.32/client/streamableHttp.js";
import * as mcp from "../../../src/api/mcp/mod.ts";
import * as jwt from "../../../src/middleware/jwt/mod.ts";
import { quiet } from "../../serving.ts";
import { newApp } from "./everything.ts";
import { serving } from "./agent.ts";

const simple = "This is a simple text response for testing.";

/** The versions that the official client negotiates, by its mode. */
const modes = { legacy: "2025-11-25", auto: "2026-07-28" } as const;
for (const mode of ["legacy", "auto"] as const) {
  Deno.test(`mcp.New() serves the official client in its mode "${mode}"`, async () => {
    await serving(newApp(), async (_ask, port) => {
      const versions = new Set<string | null>();
      const client = new Client({ name: "test", version: "1.0.0" }, {
        capabilities: { elicitation: {} },
        versionNegotiation: { mode },
      });
      client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
      const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
        fetch(url, init) {
          versions.add(new Headers(init?.headers).get("mcp-protocol-version"));
          return fetch(url, init);
        },
      });
      await client.connect(transport);
      try {
        assertEquals((await client.listTools()).tools.some(({ name }) => name === "test_simple_text"), true);
        const called = await client.callTool({ name: "test_simple_text", arguments: {} });
        assertEquals(called.content, [{ type: "text", text: simple }]);
        const asked = await client.callTool({ name: "test_input_required_result_elicitation", arguments: {} });
        assertEquals(asked.content, [{ type: "text", text: "Hello, Ada!" }]);
        const progress: number[] = [];
        await client.callTool({ name: "test_tool_with_progress", arguments: {} }, {
          onprogress: (each) => void progress.push(each.progress),
        });
        assertEquals(progress, [0, 50, 100]);
        const { contents } = await client.readResource({ uri: "test://template/7/data" });
        assertStringIncludes(JSON.stringify(contents), "Data for ID: 7");
        const { messages } = await client.getPrompt({
          name: "test_prompt_with_arguments",
          arguments: { arg1: "a", arg2: "b" },
        });
        assertStringIncludes(JSON.stringify(messages), "arg1='a', arg2='b'");
        assertEquals([...versions].at(-1), modes[mode]);
      } finally {
        await client.close();
      }
    });
  });
}

Deno.test("mcp.New() serves version 1 of the official client as its user, behind a guard", async () => {
  const Key = "a secret for tests only, 32 bytes";
  const guard = jwt.New({ Algorithms: ["HS256"], Key });
  const app = quiet();
  app.Get("/me", guard, (ctx) => ctx.JSON({ name: ctx.User()?.Name })).SetName("me");
  mcp.New(app, { Name: "users", Routes: ({ Name }) => Name === "me", Guards: [guard] });
  await serving(app, async (_ask, port) => {
    const connect = async (headers: Record<string, string>): Promise<Client1> => {
      const client = new Client1({ name: "test", version: "1.0.0" });
      await client.connect(new Transport1(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } }));
      return client;
    };
    for (const sub of ["ada", "bob"]) {
      const token = await jwt.NewSigner({ Algorithm: "HS256", Key }).Sign({ sub });
      const client = await connect({ authorization: `Bearer ${token}` });
      assertEquals((await client.callTool({ name: "me" })).structuredContent, { name: sub });
      await client.close();
    }
    await assertRejects(() => connect({}), Error, "401");
  });
});

Deno.test("mcp.New() serves the client of the AI SDK", async () => {
  await serving(newApp(), async (_ask, port) => {
    const client = await createMCPClient({ transport: { type: "http", url: `http://127.0.0.1:${port}/mcp` } });
    try {
      const tools = await client.tools();
      const result = await tools["test_simple_text"]?.execute?.({}, { messages: [], toolCallId: "1" } as never);
      assertStringIncludes(JSON.stringify(result), simple);
    } finally {
      await client.close();
    }
  });
});

Deno.test("mcp.New() serves mcporter on the command line", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await serving(newApp(), async (_ask, port) => {
      const call = `http://127.0.0.1:${port}/mcp.test_simple_text`;
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-lock", "npm:mcporter@^0.12", "call", call, "--allow-http"],
        cwd: folder,
      }).output();
      assertStringIncludes(new TextDecoder().decode(stdout), simple, new TextDecoder().decode(stderr));
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
