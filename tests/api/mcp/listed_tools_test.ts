import { assertEquals } from "@std/assert";
import { Client, StreamableHTTPClientTransport } from "npm:@modelcontextprotocol/client@^2";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as jwt from "@fw/web/middleware/jwt";
import * as openapi from "@fw/web/openapi";
import { Agent, serving } from "./agent.ts";

const secret = "a secret for tests only, 32 bytes";
const signer = jwt.NewSigner({ Algorithm: "HS256", Key: secret });
const users = [
  { Name: "ada", Password: "pass", Roles: ["admin"] },
  { Name: "bob", Password: "pass" },
];

const doors: Readonly<Record<string, { guard: fw.Handler; of: (name: string) => string | Promise<string> }>> = {
  "basic authentication": {
    guard: basicauth.New({ Users: users }),
    of: (name) => `Basic ${btoa(`${name}:pass`)}`,
  },
  "tokens": {
    guard: jwt.New({ Algorithms: ["HS256"], Key: secret }),
    of: async (sub) => `Bearer ${await signer.Sign({ sub, roles: sub === "ada" ? ["admin"] : [] })}`,
  },
};

/** Creates an application with a public route, one for users and one for administrators. */
function newApp(guard: fw.Handler, Guards: readonly fw.Handler[] = []): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const say = (ctx: fw.Context) => ctx.WriteString(ctx.User()?.Name ?? "");
  app.Get("/open", say).SetName("open");
  const party = app.Party("/users", guard);
  party.Get("/", say).SetName("user");
  party.Get("/{id:int}", say).SetName("one");
  party.Get("/admin", auth.Allow("admin"), say).SetName("admin");
  const offered = new Set(["open", "user", "one", "admin"]);
  mcp.New(app, {
    Name: "teas",
    Routes: ({ Name }) => offered.has(Name),
    Prompts: ({ Name }) => offered.has(Name),
    Guards,
  });
  return app;
}

async function namesOf(agent: Agent, method: string, list: string): Promise<string[]> {
  const { result } = await agent.ask(method);
  return Object(result[list]).map(({ name }: { name: string }) => name).sort();
}

for (const version of ["2026-07-28", "2025-11-25"]) {
  for (const [name, { guard, of }] of Object.entries(doors)) {
    Deno.test(`mcp.New() lists what the caller may call, with ${name}, in revision ${version}`, async () => {
      const app = newApp(guard);
      const seen: Record<string, string[]> = {};
      for (const user of ["", "bob", "ada"]) {
        const headers: Record<string, string> = user === "" ? {} : { authorization: await of(user) };
        const agent = await new Agent(app, version, headers).connect();
        const tools = await namesOf(agent, "tools/list", "tools");
        assertEquals(await namesOf(agent, "prompts/list", "prompts"), tools);
        const resources = await namesOf(agent, "resources/list", "resources");
        const templates = await namesOf(agent, "resources/templates/list", "resourceTemplates");
        assertEquals([...resources, ...templates].sort(), tools);
        seen[user] = tools;
        // A tool that is not listed is refused as over HTTP.
        const called = await agent.call("admin");
        assertEquals(called.status, user === "" ? 401 : 200);
        assertEquals(called.result["isError"], user === "bob" ? true : undefined);
      }
      assertEquals(seen, {
        "": ["open"],
        bob: ["one", "open", "user"],
        ada: ["admin", "one", "open", "user"],
      });
    });
  }
}

Deno.test("mcp.New() checks roles against the user of the endpoint's guards", async () => {
  const { guard, of } = doors["basic authentication"] ?? { guard: () => {}, of: () => "" };
  const app = newApp((ctx) => ctx.Next(), [guard]);
  const agent = new Agent(app, undefined, { authorization: await of("ada") });
  assertEquals(await namesOf(agent, "tools/list", "tools"), ["admin", "one", "open", "user"]);
  const bob = new Agent(app, undefined, { authorization: await of("bob") });
  assertEquals(await namesOf(bob, "tools/list", "tools"), ["one", "open", "user"]);
});

Deno.test("mcp.New() hides tools behind a guard that openapi.Security documents, and runs it once", async () => {
  let runs = 0;
  const guard = openapi.Security(
    function byKey(ctx: fw.Context) {
      runs++;
      return ctx.GetHeader("x-api-key") === "secret" ? ctx.Next() : ctx.StopWithStatus(401);
    },
    "key",
    { type: "apiKey", in: "header", name: "X-API-Key" },
  );
  const app = newApp(guard);
  assertEquals(await namesOf(new Agent(app), "tools/list", "tools"), ["open"]);
  assertEquals(runs, 2);
  const agent = new Agent(app, undefined, { "x-api-key": "secret" });
  assertEquals(await namesOf(agent, "tools/list", "tools"), ["one", "open", "user"]);
});

Deno.test("mcp.New() does not run the handlers of a route to list it", async () => {
  const app = fw.New();
  let runs = 0;
  app.Get("/", auth.AllowFunc(() => true), () => void runs++).SetName("counted");
  mcp.New(app, {
    Name: "counted",
    Routes: ({ Name }) => Name === "counted",
    Guards: [(ctx) => {
      ctx.SetUser({ ID: "1", Name: "ada", Roles: [], Method: "test" });
      return ctx.Next();
    }],
  });
  assertEquals(await namesOf(new Agent(app), "tools/list", "tools"), ["counted"]);
  assertEquals(runs, 0);
});

Deno.test("mcp.New() hides tools that the caller's address may not use", async () => {
  const app = fw.New();
  const say = (ctx: fw.Context) => ctx.WriteString("said");
  app.Get("/inside", ipfilter.New({ Allow: ["10.0.0.0/8"] }), say).SetName("inside");
  app.Get("/outside", ipfilter.New({ Allow: ["127.0.0.0/8"] }), say).SetName("outside");
  mcp.New(app, { Name: "places", Routes: ({ Name }) => Name.endsWith("side") });
  await serving(app, async (_ask, port) => {
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
    try {
      assertEquals((await client.listTools()).tools.map(({ name }) => name), ["outside"]);
    } finally {
      await client.close();
    }
  });
});
