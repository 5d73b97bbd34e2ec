import { assertEquals } from "@std/assert";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as jwt from "@fw/web/middleware/jwt";

const secret = "a secret for tests only, 32 bytes";
const signer = jwt.NewSigner({ Algorithm: "HS256", Key: secret });

function newApp(Guards: readonly fw.Handler[]): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/teas", (ctx) => ctx.WriteString("teas")).SetName("teas");
  mcp.New(app, { Name: "teas", Routes: ({ Name }) => Name === "teas", Guards });
  return app;
}

async function send(app: fw.Application, credentials: string, session: string, message?: object): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (credentials !== "") headers["authorization"] = credentials;
  if (session !== "") headers["mcp-session-id"] = session;
  const body = message === undefined ? null : JSON.stringify({ jsonrpc: "2.0", ...message });
  const method = message === undefined ? "DELETE" : "POST";
  const response = await app.fetch(new Request("http://localhost/mcp", { method, headers, body }));
  await response.body?.cancel();
  return response;
}

const ping = { id: 1, method: "ping" };
const cancelled = { method: "notifications/cancelled", params: { requestId: 1 } };

async function begin(app: fw.Application, credentials: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const response = await send(app, credentials, "", { id: 0, method: "initialize", params });
  return response.headers.get("mcp-session-id") ?? "";
}

function basic(name: string): string {
  return `Basic ${btoa(`${name}:pass`)}`;
}

const doors: Readonly<Record<string, { guards: fw.Handler[]; of: (name: string) => string | Promise<string> }>> = {
  "basic authentication": {
    guards: [basicauth.New({ Users: ["ada", "bob"].map((Name) => ({ Name, Password: "pass" })) })],
    of: basic,
  },
  "tokens": {
    guards: [jwt.New({ Algorithms: ["HS256"], Key: secret })],
    // Every call has another token, as after a refresh.
    of: async (sub) => `Bearer ${await signer.Sign({ sub, jti: crypto.randomUUID() })}`,
  },
  "credentials that only the tools check": { guards: [], of: basic },
};
for (const [name, { guards, of }] of Object.entries(doors)) {
  Deno.test(`ProtocolSessions belong to the user who began them, with ${name}`, async () => {
    const app = newApp(guards);
    const session = await begin(app, await of("ada"));
    assertEquals((await send(app, await of("ada"), session, ping)).status, 200);
    const unknown = await send(app, await of("bob"), "made-up", ping);
    const foreign = await send(app, await of("bob"), session, ping);
    assertEquals([unknown.status, foreign.status], [404, 404]);
    assertEquals((await send(app, await of("bob"), session, cancelled)).status, 404);
    assertEquals((await send(app, await of("bob"), session)).status, 404);
    assertEquals((await send(app, await of("ada"), session, ping)).status, 200);
    assertEquals((await send(app, await of("ada"), session)).status, 204);
    assertEquals((await send(app, await of("ada"), session)).status, 404);
  });
}

Deno.test("ProtocolSessions that were begun before a login belong to the first user who continues them", async () => {
  const app = newApp([]);
  const session = await begin(app, "");
  assertEquals((await send(app, "", session, ping)).status, 200);
  assertEquals((await send(app, basic("ada"), session, ping)).status, 200);
  assertEquals((await send(app, "", session, ping)).status, 404);
  assertEquals((await send(app, basic("bob"), session)).status, 404);
  assertEquals((await send(app, basic("ada"), session)).status, 204);
});
