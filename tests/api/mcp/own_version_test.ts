import { assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";
import { quiet } from "../../serving.ts";
import { Agent, textOf } from "./agent.ts";

/** Ranges, and the part of a version that each of them must be called with. */
const ranges = [
  "1.x",
  "2.3.x",
  "1.0.0",
  ">=1.0.0 <2.0.0",
  ">1.0.0",
  "<2.0.0",
  "<=0.0.1",
  "!1.0.0",
  ">=1.0.0, !1.x",
  "0.9.0-beta.1",
  "1.x || 3.x",
];

/** The ways in which an application assumes a version for requests that do not ask for one. */
const defaults: Readonly<Record<string, (app: fw.Application) => unknown>> = {
  "no default": () => {},
  "a default of FromQuery": (app) => app.Use(versioning.FromQuery("v", "9.9.9")),
  "an alias for requests without a version": (app) => app.Use(versioning.Aliases({ [versioning.Empty]: "9.9.9" })),
  "middleware that sets a version": (app) => {
    app.UseRouter((ctx) => {
      versioning.SetVersion(ctx, "9.9.9");
      return ctx.Next();
    });
  },
};

class Versioned {
  Ctx!: fw.Context;
  Get(): string {
    return `versioned ${versioning.GetVersion(this.Ctx)}`;
  }
}

class Rest {
  Get(): string {
    return "rest";
  }
}

for (const era of ["2026-07-28", "2025-11-25"]) {
  for (const [name, add] of Object.entries(defaults)) {
    Deno.test(`mcp.New() calls each version of a route that it lists, with ${name}, in revision ${era}`, async () => {
      for (const range of ranges) {
        const app = quiet();
        add(app);
        const server = mcp.New(app, {
          Name: "teas",
          Controllers: [Versioned, Rest],
          Routes: ({ Path }) => Path === "/g",
        });
        const m = mvc.New(app.Party("/teas"));
        m.Handle(Versioned, mvc.Version(range));
        m.Handle(Rest);
        versioning.NewGroup(app, range).Get("/g", (ctx) => {
          ctx.WriteString(`group ${versioning.If(versioning.GetVersion(ctx), range)}`);
        });
        const tools = (await server.Tools()).map((tool) => tool.name);
        assertEquals(tools.toSorted(), ["Rest_Get", "Versioned_Get", "get_g"], range);
        const agent = await new Agent(app, era).connect();
        const called = textOf(await agent.call("Versioned_Get"));
        assertStringIncludes(called, "versioned ", `${range}: ${called}`);
        assertEquals(versioning.If(called.slice("versioned ".length), range), true, `${range}: ${called}`);
        assertEquals(textOf(await agent.call("Rest_Get")), "rest", range);
        assertEquals(textOf(await agent.call("get_g")), "group true", range);
        const read = await agent.ask("resources/read", { uri: "app:///g" });
        assertEquals(Object(read.result["contents"])[0]?.text, "group true", range);
      }
    });
  }

  Deno.test(`mcp.New() refuses a call whose caller asks for another version, in revision ${era}`, async () => {
    const app = quiet();
    versioning.NewGroup(app, "1.x").Get("/g", (ctx) => ctx.WriteString("one"));
    mcp.New(app, { Name: "teas", Routes: () => true });
    const call = async (version: string) => {
      const agent = await new Agent(app, era, { "accept-version": version }).connect();
      return textOf(await agent.call("get_g"));
    };
    assertEquals(await call("1.2.0"), "one");
    assertStringIncludes(await call("3.0.0"), "501");
  });
}

Deno.test("mcp.New() calls nested groups, mounted applications keep their own versions", async () => {
  const inner = quiet();
  versioning.NewGroup(inner, "5.x").Get("/in", (ctx) => ctx.WriteString("inner"));
  const app = quiet();
  const outer = versioning.NewGroup(app, ">=2.0.0");
  versioning.NewGroup(outer as never, "<3.0.0").Get("/nested", (ctx) => {
    ctx.WriteString(versioning.GetVersion(ctx));
  });
  app.Mount("/m", inner.fetch);
  versioning.NewGroup(app, "1.x").Get("/out", async (ctx) => {
    const response = await inner.fetch(new Request("http://localhost/in", { headers: { "accept-version": "5.0.0" } }));
    ctx.WriteString(await response.text());
  });
  mcp.New(app, { Name: "teas", Routes: ({ Path }) => !Path.startsWith("/m") });
  const agent = new Agent(app);
  assertEquals(textOf(await agent.call("get_nested")), "2.0.0");
  assertEquals(textOf(await agent.call("get_out")), "inner");
});
