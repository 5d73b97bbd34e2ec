/**
 * An application that offers the tools, resources and prompts of the official conformance suite, with fw's own API. It
 * runs in a separate process and prints its port.
 *
 * @module
 */

import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as mvc from "@fw/web/mvc";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const sound = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const image = { type: "image", data: pixel, mimeType: "image/png" };

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  addTools(app);
  addMirrored(app);
  addCalls(app);
  addQuestions(app);
  addForms(app);
  addResources(app);
  addPrompts(app);
  const uris: Readonly<Record<string, string>> = {
    "static_text": "test://static-text",
    "static_binary": "test://static-binary",
    "template": "test://template/{id}/data",
    "watched": "test://watched-resource",
  };
  const server = mcp.New(app, {
    Name: "everything",
    Version: "1.0.0",
    Routes: ({ Name }) => !Name.includes("prompt") || Name === "test_trigger_prompt_change",
    Prompts: ({ Name }) => Name.includes("prompt") && Name !== "test_trigger_prompt_change",
    Resources: ({ Name }) => uris[Name] ?? false,
  });
  app.Post("/changes/tools", () => server.ListChanged("tools")).SetName("test_trigger_tool_change");
  app.Post("/changes/prompts", () => server.ListChanged("prompts")).SetName("test_trigger_prompt_change");
  return app;
}

/** Adds tools with results of all kinds. */
function addTools(app: fw.Application): void {
  const text = "This is a simple text response for testing.";
  app.Get("/text", (ctx) => ctx.WriteString(text)).SetName("test_simple_text")
    .Describe({ Summary: "Tests simple text content" });
  app.Get("/image", () => file(pixel, "image/png")).SetName("test_image_content")
    .Describe({ Summary: "Tests image content" });
  app.Get("/audio", () => file(sound, "audio/wav")).SetName("test_audio_content")
    .Describe({ Summary: "Tests audio content" });
  const resource = { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource." };
  app.Get("/embedded", () => mcp.Content({ type: "resource", resource })).SetName("test_embedded_resource")
    .Describe({ Summary: "Tests embedded resources" });
  const json = { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data"}' };
  app.Get("/mixed", () => mcp.Content("Multiple content types test:", image, { type: "resource", resource: json }))
    .SetName("test_multiple_content_types").Describe({ Summary: "Tests several parts" });
  app.Get("/error", () => {
    throw new fw.HTTPError(409, "This tool intentionally returns an error for testing");
  }).SetName("test_error_handling").Describe({ Summary: "Tests errors" });
}

/** Adds a tool with an argument that clients repeat in a header. */
function addMirrored(app: fw.Application): void {
  const query = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) });
  app.ConfigureContainer().Get("/mirrored", (_ctx, { region } = mvc.Query(query)) => `in ${region}`)
    .SetName("test_mirrored_header").Describe({ Summary: "Tests mirrored headers" });
}

/** Adds tools that send notifications. */
function addCalls(app: fw.Application): void {
  for (const name of ["test_tool_with_logging", "test_logging_tool"]) {
    app.Get(`/calls/${name}`, (ctx) => {
      const call = mcp.CallOf(ctx);
      for (const step of ["started", "processing", "completed"]) call?.Log("info", `Tool execution ${step}`);
      ctx.WriteString("Tool with logging executed successfully");
    }).SetName(name).Describe({ Summary: "Tests log messages" });
  }
  for (const name of ["test_tool_with_progress", "test_streaming_elicitation"]) {
    app.Get(`/calls/${name}`, (ctx) => {
      for (const step of [0, 50, 100]) mcp.CallOf(ctx)?.Progress(step, 100, `Completed step ${step} of 100`);
      ctx.WriteString("done");
    }).SetName(name).Describe({ Summary: "Tests progress" });
  }
}

const named = z.object({ name: z.string() });
const confirmed = z.object({ ok: z.boolean() });
function question(text: string, maxTokens: number): Record<string, unknown> {
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens };
}

/** Adds tools that ask the client. */
function addQuestions(app: fw.Application): void {
  const tool = (name: string, serve: (call: mcp.Call) => Promise<string>) =>
    app.Get(`/questions/${name}`, async (ctx) => {
      const call = mcp.CallOf(ctx);
      ctx.WriteString(call === undefined ? "not a call" : await serve(call));
    }).SetName(name).Describe({ Summary: "Tests questions" });
  tool("test_missing_capability", async (call) => {
    const answers = await call.Ask({ sample: { Sample: question("Hello", 10) } });
    return JSON.stringify(answers);
  });
  tool("test_input_required_result_elicitation", async (call) => {
    const answer = await call.Elicit("user_name", "What is your name?", named);
    return `Hello, ${answer.Content?.name}!`;
  });
  tool("test_input_required_result_sampling", async (call) => {
    const answers = await call.Ask({ capital_question: { Sample: question("What is the capital of France?", 100) } });
    return String(Object(Object(answers["capital_question"]).content).text);
  });
  tool("test_input_required_result_list_roots", async (call) => {
    const answers = await call.Ask({ client_roots: { Roots: true } });
    return `Found ${Object(answers["client_roots"]).roots.length} root(s)`;
  });
  tool("test_input_required_result_request_state", async (call) => {
    const answer = await call.Elicit("confirm", "Please confirm", confirmed);
    return `state-ok: ${answer.Content?.ok}`;
  });
  tool("test_input_required_result_multiple_inputs", async (call) => {
    const answers = await call.Ask({
      user_name: { Elicit: "What is your name?", Schema: named },
      greeting: { Sample: question("Generate a greeting", 50) },
      client_roots: { Roots: true },
    });
    return JSON.stringify(answers);
  });
  tool("test_input_required_result_multi_round", async (call) => {
    const first = await call.Elicit("step1", "Step 1: What is your name?", named);
    const second = await call.Elicit("step2", "Step 2: What is your color?", z.object({ color: z.string() }));
    return `${first.Content?.name} likes ${second.Content?.color}`;
  });
  tool("test_input_required_result_tampered_state", async (call) => {
    return `integrity-ok: ${(await call.Elicit("confirm", "Please confirm", confirmed)).Action}`;
  });
  tool("test_input_required_result_capabilities", async (call) => {
    const questions: Record<string, mcp.Question> = {};
    if ("elicitation" in call.Capabilities) questions["elicit_input"] = { Elicit: "Your name?", Schema: named };
    if ("sampling" in call.Capabilities) questions["sample_input"] = { Sample: question("Sample request", 50) };
    return `capabilities-ok: ${Object.keys(await call.Ask(questions))}`;
  });
}

/** Adds tools of the older revisions that ask the client. */
function addForms(app: fw.Application): void {
  const asked = z.object({ prompt: z.string() });
  const container = app.ConfigureContainer();
  container.Get("/sampling", async (ctx, query = mvc.Query(asked)) => {
    const answers = await mcp.CallOf(ctx)?.Ask({ sample: { Sample: question(query.prompt, 100) } });
    return `LLM response: ${Object(Object(answers?.["sample"]).content).text}`;
  }).SetName("test_sampling").Describe({ Summary: "Tests sampling" });
  container.Get("/elicitation", async (ctx, query = mvc.Query(z.object({ message: z.string() }))) => {
    const schema = z.object({ username: z.string(), email: z.string() });
    const answer = await mcp.CallOf(ctx)?.Elicit("user", query.message, schema);
    return `User response: ${JSON.stringify(answer)}`;
  }).SetName("test_elicitation").Describe({ Summary: "Tests elicitation" });
  const defaults = z.object({
    name: z.string().default("John Doe"),
    age: z.int().default(30),
    score: z.number().default(95.5),
    status: z.enum(["active", "inactive", "pending"]).default("active"),
    verified: z.boolean().default(true),
  });
  app.Get("/defaults", async (ctx) => {
    const answer = await mcp.CallOf(ctx)?.Elicit("form", "Please review the form", defaults);
    ctx.WriteString(`Elicitation completed: ${JSON.stringify(answer)}`);
  }).SetName("test_elicitation_sep1034_defaults").Describe({ Summary: "Tests defaults" });
  const titled = (...titles: string[]) => titles.map((title, at) => ({ const: `value${at + 1}`, title }));
  const options = ["option1", "option2", "option3"];
  const enums = {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled("First Option", "Second Option", "Third Option") },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
      untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: options } },
      titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled("First", "Second", "Third") } },
    },
    required: [],
  };
  app.Get("/enums", async (ctx) => {
    const answer = await mcp.CallOf(ctx)?.Elicit("form", "Please select options", enums);
    ctx.WriteString(`Elicitation completed: ${JSON.stringify(answer)}`);
  }).SetName("test_elicitation_sep1330_enums").Describe({ Summary: "Tests enumerations" });
}

function addResources(app: fw.Application): void {
  const text = "This is the content of the static text resource.";
  app.Get("/resources/text", (ctx) => ctx.WriteString(text)).SetName("static_text");
  app.Get("/resources/binary", () => file(pixel, "image/png")).SetName("static_binary");
  app.Get("/resources/template/{id}", (ctx) => {
    const id = ctx.Params().Get("id");
    return ctx.JSON({ id, templateTest: true, data: `Data for ID: ${id}` });
  }).SetName("template");
  app.Get("/resources/watched", (ctx) => ctx.WriteString("Watched resource content")).SetName("watched");
}

function addPrompts(app: fw.Application): void {
  const prompts = app.Party("/prompts").ConfigureContainer();
  prompts.Get("/simple", () => "This is a simple prompt for testing.").SetName("test_simple_prompt")
    .Describe({ Summary: "A simple prompt" });
  prompts.Get(
    "/arguments",
    (_ctx, { arg1, arg2 } = mvc.Query(z.object({ arg1: z.string(), arg2: z.string() }))) =>
      `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  ).SetName("test_prompt_with_arguments").Describe({ Summary: "A prompt with arguments" });
  prompts.Get(
    "/embedded",
    (_ctx, { resourceUri: uri } = mvc.Query(z.object({ resourceUri: z.string() }))) =>
      mcp.Content(
        { type: "resource", resource: { uri, mimeType: "text/plain", text: "Embedded" } },
        "Please process it.",
      ),
  )
    .SetName("test_prompt_with_embedded_resource").Describe({ Summary: "A prompt with a resource" });
  prompts.Get("/image", () => mcp.Content(image, "Please analyze the image above.")).SetName("test_prompt_with_image")
    .Describe({ Summary: "A prompt with an image" });
  prompts.Get("/asking", async (ctx) => {
    const schema = z.object({ context: z.string() });
    const answer = await mcp.CallOf(ctx)?.Elicit("user_context", "What context should the prompt use?", schema);
    return [{ role: "user", content: { type: "text", text: `Prompt with context: ${answer?.Content?.context}` } }];
  }).SetName("test_input_required_result_prompt").Describe({ Summary: "A prompt that asks" });
}

function file(base64: string, type: string): Response {
  return new Response(Uint8Array.fromBase64(base64), { headers: { "content-type": type } });
}

if (import.meta.main) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.args[0] ?? 0) }, newApp().fetch);
  await server.finished;
}
