import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Client } from "npm:@modelcontextprotocol/sdk@^1.32/client/index.js";
import { StreamableHTTPClientTransport } from "npm:@modelcontextprotocol/sdk@^1.32/client/streamableHttp.js";
import * as jwt from "../../src/middleware/jwt/mod.ts";
import { serving } from "../mcp/agent.ts";

const secret = "a secret for tests only, 32 bytes";

async function connect(port: number, user?: string): Promise<Client> {
  const headers: Record<string, string> = {};
  if (user !== undefined) {
    const token = await jwt.NewSigner({ Algorithm: "HS256", Key: secret }).Sign({ sub: user });
    headers["authorization"] = `Bearer ${token}`;
  }
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

Deno.test("examples/mcp_tools serves the official client and separates the notes of its users", async () => {
  // The types of zod are not checked in this workspace member.
  const { newApp } = await import(new URL("../../examples/mcp_tools/main.ts", import.meta.url).href);
  const app = newApp(secret);
  app.Logger().SetLevel("disable");
  await serving(app, async (_ask, port) => {
    const ada = await connect(port, "ada");
    const bob = await connect(port, "bob");
    try {
      const tools: readonly { name: string }[] = (await ada.listTools()).tools;
      assertEquals(tools.map(({ name }) => name).sort(), ["Note_Get", "Note_Post"]);
      const added = await ada.callTool({ name: "Note_Post", arguments: { body: { text: "Buy tea" } } });
      assertEquals(added.structuredContent, { id: 1 });
      const found = await ada.callTool({ name: "Note_Get", arguments: { word: "tea" } });
      assertEquals(found.structuredContent, { notes: ["Buy tea"] });
      assertEquals((await bob.callTool({ name: "Note_Get" })).structuredContent, { notes: [] });
      const refused = await ada.callTool({ name: "Note_Post", arguments: { body: { text: "" } } });
      assertEquals(refused.isError, true);
      assertStringIncludes(JSON.stringify(refused.content), "#/text");
      await assertRejects(() => connect(port), Error, "401");
    } finally {
      await ada.close();
      await bob.close();
    }
  });
});
