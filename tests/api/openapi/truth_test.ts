import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type } from "npm:arktype@^2";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import { quiet } from "../../serving.ts";

/** Returns a value inside a document, following references. */
function at(document: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((found, key) => {
    const value = Object(found)[key];
    const reference = Object(value)["$ref"];
    return typeof reference === "string" ? at(document, ...reference.slice(2).split("/")) : value;
  }, document);
}

async function build(app: fw.Application, options: Partial<openapi.Options> = {}, of: fw.Party = app) {
  await app.Build();
  return await openapi.New({ Title: "Teas", Version: "1.0.0", ...options }).Build(of);
}

function schemasOf(document: unknown): string[] {
  return Object.keys(Object(at(document, "components", "schemas")));
}

const tea = z.object({ name: z.string() }).meta({ id: "Tea" });

Deno.test("Document.Build() hoists definitions and uses the IDs of schemas as names", async () => {
  interface Tree {
    in: Tree[];
    tea: { name: string };
  }
  const tree: z.ZodType<Tree, Tree> = z.object({
    get in() {
      return z.array(tree);
    },
    tea,
  });
  class Trees {
    Post(_input = mvc.Body(tree)) {
      return "";
    }
    Put(_input = mvc.Body(z.array(tree))) {
      return "";
    }
    PostTea(_input = mvc.Body(tea)) {
      return "";
    }
  }
  const app = quiet();
  mvc.New(app).Handle(Trees);
  const document = await build(app);
  assertEquals(schemasOf(document), ["Problem", "Tea", "Trees_Post_Body"]);
  assert(!JSON.stringify(document).includes("$defs"));
  const body = ["requestBody", "content", "application/json", "schema"];
  assertEquals(Object(document["paths"])["/tea"].post.requestBody.content["application/json"].schema, {
    $ref: "#/components/schemas/Tea",
  });
  assertEquals(at(document, "paths", "/", "put", ...body, "items", "properties", "tea", "properties", "name"), {
    type: "string",
  });
});

Deno.test("Document.Build() shares equal schemas, and leaves the name Problem to the application", async () => {
  const app = quiet();
  const same = () => z.object({ a: z.string(), b: z.int() });
  app.Get("/one", (ctx) => ctx.JSON({})).Describe({ Returns: same() });
  app.Get("/two", (ctx) => ctx.JSON([])).Describe({ Returns: z.array(same()) });
  app.Get("/three", (ctx) => ctx.JSON({})).Describe({ Returns: z.object({ x: z.int() }).meta({ id: "Problem" }) });
  const document = await build(app);
  assertEquals(schemasOf(document), ["Problem", "ProblemDetails", "get_one_Returns"]);
  assertEquals(at(document, "components", "schemas", "Problem", "properties", "x", "type"), "integer");
  const items = at(
    document,
    "paths",
    "/two",
    "get",
    "responses",
    "200",
    "content",
    "application/json",
    "schema",
    "items",
  );
  assertEquals(
    items,
    at(document, "paths", "/one", "get", "responses", "200", "content", "application/json", "schema"),
  );
});

function newController(word: string) {
  return class UserController {
    Get() {
      return word;
    }
  };
}

Deno.test("Document.Build() distinguishes controllers with the same name", async () => {
  const [First, Second] = [newController("1"), newController("2")];
  const app = quiet();
  mvc.New(app.Party("/v1")).Handle(First).Describe(First, { Get: { Summary: "Version 1" } });
  mvc.New(app.Party("/v2")).Handle(Second).Describe(Second, { Get: { Summary: "Version 2" } });
  const document = await build(app);
  assertEquals(at(document, "paths", "/v1", "get", "summary"), "Version 1");
  assertEquals(at(document, "paths", "/v2", "get", "summary"), "Version 2");
});

Deno.test("Document.Build() leaves schemas without JSON Schema open, with one warning each", async () => {
  const broken = {
    "~standard": {
      version: 1 as const,
      vendor: "broken",
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input() {
          throw new Error("It is not possible");
        },
      },
    },
  };
  const bare = v.object({ name: v.string() });
  class Bare {
    Post(_input = mvc.Body(bare)) {
      return "";
    }
    Put(_input = mvc.Body(broken)) {
      return "";
    }
  }
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line: string) => lines.push(line));
  mvc.New(app).Handle(Bare);
  const document = await build(app);
  const schema = (method: string) =>
    at(document, "paths", "/", method, "requestBody", "content", "application/json", "schema");
  assertEquals([schema("post"), schema("put")], [{}, {}]);
  assertEquals(lines.filter((line) => line.includes("Cannot describe")).length, 2);
  assertStringIncludes(lines.join(), 'the Body of "POST /": its library "valibot" does not support JSON Schema');
  assertStringIncludes(lines.join(), "It is not possible");
});

Deno.test("Document.Build() describes inputs as they are read", async (t) => {
  const remove = z.object({ ids: z.array(z.int()) });
  const union = z.union([z.object({ by: z.string(), a: z.string() }), z.object({ by: z.string(), b: z.string() })]);
  const record = z.record(z.string(), z.string());
  const codes = z.object({ code: z.string().length(2) });
  const zodFile = z.object({ file: z.instanceof(File), more: z.array(z.file().max(10)) });
  const arktypeFile = type({ file: "File" });
  const optional = tea.optional();
  const header = z.object({ "X-Key": z.string(), Authorization: z.string() });
  const query = z.object({
    tag: z.array(z.string()),
    at: z.coerce.date().optional(),
    big: z.coerce.bigint().optional(),
  });
  class Inputs {
    Delete(_input = mvc.Body(remove)) {
      return 204;
    }
    GetUnion(_query = mvc.Query(union)) {
      return "";
    }
    GetRecord(_query = mvc.Query(record)) {
      return "";
    }
    GetBy(code = "", _where = mvc.Params(codes)) {
      return code;
    }
    PostZod(_form = mvc.Form(zodFile)) {
      return "";
    }
    PostArktype(_form = mvc.Form(arktypeFile)) {
      return "";
    }
    PostOptional(_input = mvc.Body(optional)) {
      return "";
    }
    GetQuery(_query = mvc.Query(query), _header = mvc.Header(header)) {
      return "";
    }
  }
  const app = quiet();
  mvc.New(app).Handle(Inputs);
  const document = await build(app);
  const operation = (path: string, method: string) => at(document, "paths", path, method);
  await t.step("the body of DELETE", () => {
    assertEquals(at(operation("/", "delete"), "requestBody", "required"), true);
  });
  await t.step("a query that is a union or a record", () => {
    const parameters = at(operation("/union", "get"), "parameters") as { name: string; required?: boolean }[];
    assertEquals(parameters.map(({ name, required }) => [name, required]), [
      ["by", true],
      ["a", undefined],
      ["b", undefined],
    ]);
    assertEquals(at(operation("/record", "get"), "parameters", 0, "schema"), {
      type: "object",
      additionalProperties: { type: "string" },
    });
  });
  await t.step("a schema of mvc.Params", () => {
    assertEquals(at(operation("/{code}", "get"), "parameters", 0, "schema"), {
      type: "string",
      minLength: 2,
      maxLength: 2,
    });
  });
  await t.step("files of zod and arktype", () => {
    const binary = { type: "string", format: "binary" };
    const content = (path: string) => Object(at(operation(path, "post"), "requestBody", "content"));
    assertEquals(Object.keys(content("/zod")), ["multipart/form-data"]);
    const members = at(document, "paths", "/zod", "post", "requestBody", "content", "multipart/form-data", "schema");
    assertEquals(at(members, "properties", "file"), binary);
    // A form sends an empty array by omitting it.
    assertEquals(at(members, "properties", "more"), { type: "array", items: binary });
    assertEquals(at(members, "required"), ["file"]);
    assertEquals(content("/arktype")["multipart/form-data"].schema.properties.file, binary);
  });
  await t.step("an optional body", () => {
    assertEquals(at(operation("/optional", "post"), "requestBody", "required"), undefined);
  });
  await t.step("queries and headers, except for those that OpenAPI describes elsewhere", () => {
    const parameters = at(operation("/query", "get"), "parameters") as { name: string; schema: unknown }[];
    assertEquals(parameters.map(({ name }) => name), ["tag", "at", "big", "X-Key"]);
    assertEquals(parameters[1]?.schema, { type: "string", format: "date-time" });
    assertEquals(parameters[2]?.schema, { type: "integer", format: "int64" });
  });
});

Deno.test("Document.Build() describes several responses, with bodies, headers and media types", async () => {
  const app = quiet();
  app.Post("/teas", (ctx) => ctx.StatusCode(202)).Describe({
    Responses: {
      201: {
        Schema: tea,
        Headers: { Location: "Where it is", "X-Left": { Schema: z.int() } },
        Examples: { a: { name: "A" } },
      },
      202: "Accepted for later",
      303: { Description: "It exists" },
    },
    Errors: { 409: { Schema: z.object({ why: z.string() }), Description: "It is taken" } },
    Security: ["key", { oauth: ["write"] }],
    ExternalDocs: { URL: "https://example.org" },
    Callbacks: { done: { "{$request.body#/url}": { post: { responses: { 200: { description: "OK" } } } } } },
  });
  app.Get("/unknown", (ctx) => ctx.WriteString(""));
  const document = await build(app, {
    Contact: { Name: "Ada", Email: "ada@example.org" },
    License: { Name: "MIT", Identifier: "MIT" },
    TermsOfService: "https://example.org/terms",
    Tags: [{ Name: "Teas", Description: "All of them" }],
    SecuritySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
    Webhooks: { picked: { post: { responses: { 200: { description: "OK" } } } } },
    Amend: (each) => ({ ...each, "x-amended": true }),
  });
  const operation = at(document, "paths", "/teas", "post");
  assertEquals(Object.keys(Object(at(operation, "responses"))), ["201", "202", "303", "400", "401", "409", "default"]);
  assertEquals(at(operation, "responses", "201", "headers", "X-Left", "schema", "type"), "integer");
  assertEquals(at(operation, "responses", "201", "content", "application/json", "examples", "a", "value"), {
    name: "A",
  });
  assertEquals(at(document, "paths", "/teas", "post", "responses", "409", "content", "application/json", "schema"), {
    type: "object",
    properties: { why: { type: "string" } },
    required: ["why"],
  });
  assertEquals(at(operation, "security"), [{ key: [] }, { oauth: ["write"] }]);
  assertEquals(at(document, "info", "license"), { name: "MIT", identifier: "MIT" });
  assertEquals(at(document, "info", "contact", "email"), "ada@example.org");
  assertEquals(at(document, "webhooks", "picked", "post", "responses", "200", "description"), "OK");
  assertEquals(document["x-amended"], true);
  assertEquals(at(document, "paths", "/unknown", "get", "summary"), "Get unknown");
  assertEquals(Object.keys(Object(at(document, "paths", "/unknown", "get", "responses"))), ["400", "default"]);
});

Deno.test("Document.Build() describes the routes of a party, or the ones selected by Filter", async () => {
  const app = quiet();
  const api = app.Party("/api");
  api.Party("/teas").Get("/", (ctx) => ctx.JSON([]));
  app.Party("/internal").Get("/secrets", (ctx) => ctx.JSON([]));
  const own = await openapi.New({ Title: "T", Version: "1" }).Build(api);
  assertEquals(Object.keys(Object(own["paths"])), ["/api/teas"]);
  assertEquals(Object.keys(Object((await build(app, {}, api))["paths"])), ["/api/teas"]);
  const filtered = await build(app, { Filter: (route) => !route.Path.startsWith("/internal") });
  assertEquals(Object.keys(Object(filtered["paths"])), ["/api/teas"]);
});

Deno.test("Document.Build() builds the application first, so that controller descriptions are applied", async () => {
  const First = newController("1");
  const app = quiet();
  mvc.New(app).Handle(First).Describe(First, { Get: { Summary: "Late" } });
  const document = await openapi.New({ Title: "T", Version: "1" }).Build(app);
  assertEquals(at(document, "paths", "/", "get", "summary"), "Late");
});

Deno.test("Document.Build() includes the literal status of a tuple", async () => {
  class Created {
    Post() {
      return mvc.Tuple({ name: "(" }, 201);
    }
  }
  const app = quiet();
  mvc.New(app).Handle(Created).Describe(Created, { Post: { Returns: tea } });
  const document = await build(app);
  assertEquals(Object.keys(Object(at(document, "paths", "/", "post", "responses"))), ["201", "400", "default"]);
});

Deno.test("Document.Serve() validates responses in development or if configured", async () => {
  const cases: [Enforce: boolean | undefined, isDevelopment: boolean, status: number][] = [
    [undefined, false, 200],
    [undefined, true, 500],
    [true, false, 500],
    [false, true, 200],
  ];
  for (const [Enforce, isDevelopment, status] of cases) {
    const app = quiet();
    if (isDevelopment) app.Configure(fw.WithDevelopment);
    app.Get("/wrong", (ctx) => ctx.JSON({ name: 5 })).Describe({ Returns: tea });
    app.Get("/right", (ctx) => ctx.JSON({ name: "Assam" })).Describe({ Returns: tea });
    app.Get("/missing", (ctx) => ctx.NotFound()).Describe({ Returns: tea });
    openapi.New({ Title: "T", Version: "1", ...Enforce === undefined ? {} : { Enforce } }).Serve(app);
    const ask = async (path: string) => (await app.fetch(new Request(`http://localhost${path}`))).status;
    assertEquals([await ask("/wrong"), await ask("/right"), await ask("/missing")], [status, 200, 404]);
  }
});
