import { assertEquals } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as mvc from "@fw/web/mvc";
import { Agent } from "./agent.ts";

class ReviewController {
  GetBy(language = "", { style } = mvc.Query(z.object({ style: z.enum(["brief", "broad"]).optional() }))) {
    return [`Review this ${language} code.`, {
      role: "assistant",
      content: { type: "text", text: `In ${style} words.` },
    }];
  }

  GetSecret() {
    return mvc.Tuple("", 403);
  }

  GetDescribed() {
    return { description: "Described", messages: ["Hello"] };
  }
}

function newApp(options: Partial<mcp.Options> = {}): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  mvc.New(app.Party("/reviews")).Handle(ReviewController).Describe(ReviewController, {
    GetBy: { Summary: "Reviews code" },
  });
  mcp.New(app, { Name: "reviews", Prompts: [ReviewController], ...options });
  return app;
}

for (const version of ["2026-07-28", "2025-11-25"]) {
  Deno.test(`mcp.New() offers methods as prompts, in revision ${version}`, async () => {
    const agent = await new Agent(newApp(), version).connect();
    const { result } = await agent.ask("prompts/list");
    assertEquals(Object(result["prompts"]).find(({ name }: { name: string }) => name === "Review_GetBy"), {
      name: "Review_GetBy",
      title: "Reviews code",
      description: "Reviews code",
      arguments: [{ name: "language", required: true }, { name: "style" }],
    });
    const got = await agent.ask("prompts/get", {
      name: "Review_GetBy",
      arguments: { language: "Go", style: "brief" },
    });
    assertEquals(got.result["messages"], [
      { role: "user", content: { type: "text", text: "Review this Go code." } },
      { role: "assistant", content: { type: "text", text: "In brief words." } },
    ]);
    const described = await agent.ask("prompts/get", { name: "Review_GetDescribed" });
    assertEquals([described.result["description"], Object(described.result["messages"]).length], ["Described", 1]);
    for (
      const params of [
        { name: "Review_GetBy" },
        { name: "Review_GetBy", arguments: { language: "Go", style: "loud" } },
        { name: "Review_GetSecret" },
        { name: "None" },
      ]
    ) {
      assertEquals((await agent.ask("prompts/get", params)).error["code"], -32602, JSON.stringify(params));
    }
    assertEquals((await agent.call("Review_GetBy", { language: "Go" })).error["code"], -32602);
  });
}

Deno.test("mcp.New() has no methods for prompts if none are offered", async () => {
  const app = fw.New();
  app.Get("/teas", (ctx) => ctx.WriteString("teas")).SetName("teas");
  mcp.New(app, { Name: "teas", Routes: ({ Name }) => Name === "teas" });
  const agent = new Agent(app);
  assertEquals((await agent.ask("prompts/list")).error["code"], -32601);
  assertEquals("prompts" in Object((await agent.ask("server/discover")).result["capabilities"]), false);
});

Deno.test("mcp.New() suggests the values of enumerations", async () => {
  const agent = new Agent(newApp());
  const complete = async (
    ref: object,
    name: string,
    value: string,
  ) => (await agent.ask("completion/complete", { ref, argument: { name, value } }));
  const prompt = { type: "ref/prompt", name: "Review_GetBy" };
  assertEquals((await complete(prompt, "style", "bri")).result["completion"], {
    values: ["brief"],
    total: 1,
    hasMore: false,
  });
  assertEquals(Object((await complete(prompt, "language", "G")).result["completion"]).values, []);
  assertEquals((await complete({ type: "ref/prompt", name: "None" }, "style", "")).error["code"], -32602);
});

Deno.test("mcp.New() suggests the values that Complete returns", async () => {
  const asked: mcp.Completion[] = [];
  const app = newApp({
    Complete(completion) {
      asked.push(completion);
      return Array.from({ length: 150 }, (_, at) => `${completion.Value}${at}`);
    },
  });
  const { result } = await new Agent(app).ask("completion/complete", {
    ref: { type: "ref/prompt", name: "Review_GetBy" },
    argument: { name: "language", value: "G" },
    context: { arguments: { style: "brief" } },
  });
  const { values, total, hasMore } = Object(result["completion"]);
  assertEquals([values.length, values[0], total, hasMore], [100, "G0", 150, true]);
  assertEquals(asked, [{ Name: "Review_GetBy", Argument: "language", Value: "G", Arguments: { style: "brief" } }]);
});
