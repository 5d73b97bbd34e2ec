import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as mcp from "@fw/web/mcp";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";
import { assertEquals, assertRejects } from "@std/assert";
import { quiet } from "../../serving.ts";

class Tea {
  readonly ctx = mvc.Inject(fw.Context);
  GetBy(name = ""): { name: string; path: string } {
    return { name, path: this.ctx.RequestPath() };
  }
}

/** Sends a message to the endpoint and returns the result. */
async function ask(app: fw.Application, method: string, params: object, headers: Record<string, string> = {}) {
  const response = await app.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }),
  );
  return (await response.json()).result;
}

async function namesOf(app: fw.Application, headers: Record<string, string> = {}): Promise<string[]> {
  return (await ask(app, "tools/list", {}, headers)).tools.map(({ name }: { name: string }) => name);
}

function teas(): fw.Application {
  const app = quiet();
  mvc.New(app.Party("/teas")).Handle(Tea);
  return app;
}

Deno.test("mcp offers the routes of mounted applications, and calls reach them", async () => {
  const [middle, app] = [quiet(), quiet()];
  middle.Mount("/b", teas());
  app.Mount("/a", middle);
  mcp.New(app, { Name: "teas", Controllers: [Tea], Sessions: false });
  assertEquals(await namesOf(app), ["Tea_GetBy"]);
  const { structuredContent } = await ask(app, "tools/call", { name: "Tea_GetBy", arguments: { name: "assam" } });
  assertEquals(structuredContent, { name: "assam", path: "/teas/assam" });
});

Deno.test("mcp: an argument of a mounted tool does not select a route of the outer application", async () => {
  const app = quiet();
  let runs = 0;
  app.Get("/a/teas/secret", (ctx) => ctx.WriteString(`run ${++runs}`));
  app.Mount("/a", teas());
  mcp.New(app, { Name: "teas", Controllers: [Tea], Sessions: false });
  const result = await ask(app, "tools/call", { name: "Tea_GetBy", arguments: { name: "secret" } });
  assertEquals([result.isError, runs], [true, 0]);
});

Deno.test("mcp: guards of the outer application apply to mounted tools", async () => {
  const app = quiet();
  app.Use((ctx) => ctx.GetHeader("x-key") === "open" ? ctx.Next() : ctx.StopWithStatus(403));
  app.Mount("/a", teas());
  mcp.New(app, { Name: "teas", Controllers: [Tea], Sessions: false });
  const call = { name: "Tea_GetBy", arguments: { name: "assam" } };
  const open = { "x-key": "open" };
  assertEquals((await ask(app, "tools/call", call, open)).structuredContent.name, "assam");
  assertEquals(await ask(app, "tools/call", call).catch(() => undefined), undefined);
});

Deno.test("mcp: a mounted tool carries its own version", async () => {
  const [inner, app] = [quiet(), quiet()];
  const group = versioning.NewGroup(inner, ">=2.0.0 <3.0.0");
  group.Get("/teas", (ctx) => ctx.JSON({ version: versioning.GetVersion(ctx) })).SetName("teas");
  app.Mount("/a", inner);
  mcp.New(app, { Name: "teas", Routes: () => true, Sessions: false });
  const { structuredContent } = await ask(app, "tools/call", { name: "teas", arguments: {} });
  assertEquals(structuredContent, { version: "2.0.0" });
});

Deno.test("mcp does not offer the routes of switched applications, which belong to other hosts", async () => {
  const app = apps.Switch([{ Pattern: "tea.example", Target: teas() }]);
  mcp.New(app, { Name: "teas", Routes: () => true, Sessions: false });
  assertEquals(await namesOf(app), []);
  const other = apps.Switch([{ Pattern: "tea.example", Target: teas() }]);
  mcp.New(other, { Name: "teas", Controllers: [Tea] });
  const message = 'Cannot offer "Tea" as tools: it serves no routes here';
  await assertRejects(async () => await other.Build(), fw.FrameworkError, message);
});
