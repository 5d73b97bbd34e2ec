import { assertEquals, assertRejects } from "@std/assert";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from "npm:@modelcontextprotocol/client@^2";
import { Provider } from "npm:oidc-provider@^9";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as jwt from "@fw/web/middleware/jwt";
import { quiet } from "../../serving.ts";
import { Agent, serving } from "./agent.ts";

/** Starts a real authorization server that issues tokens for any resource. */
async function withProvider(run: (issuer: string) => Promise<void>): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "agent",
      client_secret: "a secret for tests only",
      grant_types: ["client_credentials"],
      response_types: [],
      redirect_uris: [],
      scope: "teas",
    }],
    scopes: ["teas"],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx: unknown, audience: string) => ({
          scope: "teas",
          audience,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
  server.on("request", provider.callback() as () => void);
  try {
    await run(issuer);
  } finally {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}

Deno.test("mcp.New() directs clients to a real authorization server, and accepts its tokens", async () => {
  await withProvider(async (issuer) => {
    const app = fw.New();
    app.Logger().SetLevel("disable");
    let audience = "";
    const guard: fw.Handler = (ctx) =>
      jwt.New({ Algorithms: ["RS256"], JWKS: `${issuer}/jwks`, Issuer: issuer, Audience: audience })(ctx);
    app.Get("/me", guard, (ctx) => ctx.WriteString(ctx.User()?.ID ?? "")).SetName("me");
    mcp.New(app, {
      Name: "teas",
      Routes: ({ Name }) => Name === "me",
      Guards: [guard],
      Authorization: { Servers: [issuer], Scopes: ["teas"] },
    });
    await serving(app, async (_ask, port) => {
      const url = new URL(`http://127.0.0.1:${port}/mcp`);
      audience = url.href;
      for (const mode of ["legacy", "auto"] as const) {
        const connect = async (secret: string) => {
          const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
          const authProvider = new ClientCredentialsProvider({
            clientId: "agent",
            clientSecret: secret,
            expectedIssuer: issuer,
          });
          await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
          return client;
        };
        const client = await connect("a secret for tests only");
        try {
          const { content } = await client.callTool({ name: "me", arguments: {} });
          assertEquals(content, [{ type: "text", text: "agent" }]);
        } finally {
          await client.close();
        }
        await assertRejects(() => connect("another secret"));
      }
      audience = "https://another.example/mcp";
      const refused = await fetch(url, { method: "POST", body: "{}" });
      assertEquals(refused.status, 401);
      await refused.body?.cancel();
    });
  });
});

Deno.test("mcp.New() names the metadata if a token lacks a scope", async () => {
  const app = fw.New();
  app.Get("/teas", (ctx) => {
    ctx.Header("www-authenticate", 'Bearer error="insufficient_scope", scope="teas:write"');
    ctx.StopWithStatus(403);
  }).SetName("teas");
  mcp.New(app, {
    Name: "teas",
    Routes: ({ Name }) => Name === "teas",
    Authorization: { Servers: ["https://login.example.com"], Scopes: ["teas"] },
  });
  const { status, headers } = await new Agent(app).call("teas");
  const metadata = "http://localhost/.well-known/oauth-protected-resource/mcp";
  assertEquals([status, headers.get("www-authenticate")], [
    403,
    `Bearer error="insufficient_scope", scope="teas:write", resource_metadata="${metadata}"`,
  ]);
});

/** Guards that refuse a client without a token, in different ways. */
const guards: Readonly<Record<string, fw.Handler>> = {
  "sets the status": (ctx) => ctx.StopWithStatus(401),
  "returns a response": () => new Response("", { status: 401 }),
  "throws": () => {
    throw new fw.HTTPError(401);
  },
  "rejects, as policy.Require does": () => Promise.reject(new fw.HTTPError(401)),
};

for (const [name, guard] of Object.entries(guards)) {
  Deno.test(`mcp.New() names the metadata if a guard ${name}, also in a mounted application`, async () => {
    const [app, inner] = [quiet(), quiet()];
    inner.Get("/teas", (ctx) => ctx.WriteString("Assam")).SetName("teas");
    mcp.New(inner, {
      Name: "teas",
      Routes: ({ Name }) => Name === "teas",
      Guards: [guard],
      Authorization: { Servers: ["https://login.example.com"] },
    });
    app.Mount("/m", inner);
    for (const [outermost, prefix] of [[inner, ""], [app, "/m"]] as const) {
      const request = new Request(`http://localhost${prefix}/mcp`, { method: "POST", body: "{}" });
      const refused = await outermost.fetch(request);
      await refused.body?.cancel();
      const metadata = `http://localhost${prefix}/.well-known/oauth-protected-resource/mcp`;
      assertEquals([refused.status, refused.headers.get("www-authenticate")], [
        401,
        `Bearer resource_metadata="${metadata}"`,
      ]);
      assertEquals((await outermost.fetch(new Request(metadata))).status, 200);
    }
  });
}
