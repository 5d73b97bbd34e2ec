import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import * as auth from "@fw/web/middleware/auth";
import * as ratelimit from "../../../src/middleware/ratelimit.ts";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as openapi from "@fw/web/openapi";

type JSONObject = Record<string, unknown>;

function handler(ctx: fw.Context): void {
  ctx.JSON({});
}

/** Returns a value inside a document. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((found, key) => Object(found)[key], value);
}

async function build(app: fw.Application, options: Partial<openapi.Options> = {}): Promise<JSONObject> {
  return await openapi.New({ Title: "Teas", Version: "1.0.0", ...options }).Build(app);
}

async function assertValid(document: JSONObject): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert(valid, JSON.stringify(errors, null, 2));
}

const parameterCases: readonly [template: string, schema: JSONObject][] = [
  ["int min(1)", { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }],
  ["uint8 max(9)", { type: "integer", minimum: 0, maximum: 9 }],
  ["int range(2,5)", { type: "integer", minimum: 2, maximum: 5 }],
  ["long", { type: "integer", format: "int64" }],
  ["bool", { type: "boolean" }],
  ["uuid", { type: "string", format: "uuid" }],
  ["date", { type: "string", format: "date" }],
  ["mail", { type: "string", format: "email" }],
  ["string min(2) max(4)", { type: "string", minLength: 2, maxLength: 4 }],
  ["string prefix(a.b)", { type: "string", pattern: "^a\\.b" }],
  ["string regexp([a-c]{2})", { type: "string", pattern: "^(?:[a-c]{2})$" }],
  ["string eqor(a,b)", { type: "string", enum: ["a", "b"] }],
  ["string prefix(a) suffix(z)", { type: "string", pattern: "^a", allOf: [{ pattern: "z$" }] }],
];

for (const [type, schema] of parameterCases) {
  Deno.test("Document.Build() describes errors as problem details only, if the party writes nothing else", async () => {
    const app = fw.New();
    const api = app.Party("/api");
    api.OnAnyErrorCode(fw.WriteProblem);
    api.Party("/v1").Get("/teas/{id:int}", (ctx) => ctx.JSON({}));
    app.Get("/teas/{id:int}", (ctx) => ctx.JSON({}));
    // deno-lint-ignore no-explicit-any -- the document has many shapes
    const { paths } = await openapi.New({ Title: "Teas", Version: "1.0.0" }).Build(app) as any;
    const typesOf = (path: string) => Object.keys(paths[path].get.responses["404"].content);
    assertEquals(typesOf("/api/v1/teas/{id}"), ["application/problem+json"]);
    assertEquals(typesOf("/teas/{id}"), ["application/problem+json", "text/plain"]);
  });

  Deno.test(`Document.Build() describes a parameter of type "${type}"`, async () => {
    const app = fw.New();
    app.Get(`/teas/{id:${type}}`, handler);
    assertEquals(at(await build(app), "paths", "/teas/{id}", "get", "parameters", 0, "schema"), schema);
  });
}

Deno.test("Document.Build() uses the values of Describe() and validates", async () => {
  const app = fw.New();
  app.Get("/teas/{id:int min(1) else 400}", handler).Describe({
    Summary: "Finds a tea",
    Returns: z.object({ id: z.number(), picked: z.date() }),
    Errors: { 410: "The tea is gone" },
    Deprecated: true,
  });
  app.Post("/teas", handler).Describe({ Status: 204, Tags: ["Teas"], OperationID: "addTea" });
  const document = await build(app, { Description: "All of them", Servers: [{ URL: "https://example.com" }] });
  await assertValid(document);
  const operation = at(document, "paths", "/teas/{id}", "get");
  assertEquals(at(operation, "summary"), "Finds a tea");
  assertEquals(at(operation, "deprecated"), true);
  assertEquals(Object.keys(Object(at(operation, "responses"))), ["200", "400", "410", "default"]);
  assertEquals(
    at(operation, "responses", "200", "content", "application/json", "schema", "properties", "id", "type"),
    "number",
  );
  assertEquals(at(document, "paths", "/teas", "post", "operationId"), "addTea");
  assertEquals(at(document, "paths", "/teas", "post", "responses", "204", "content"), undefined);
});

Deno.test("Document.Build() merges routes that differ only in parameter types", async () => {
  const app = fw.New();
  app.Get("/teas/{id:int}", handler).Describe({ Summary: "By number" });
  app.Get("/teas/{name}", handler).Describe({ Summary: "By name" });
  app.Delete("/teas/{key}", handler);
  const document = await build(app);
  await assertValid(document);
  assertEquals(Object.keys(Object(document["paths"])), ["/teas/{id}"]);
  assertEquals(at(document, "paths", "/teas/{id}", "get", "summary"), "By number / By name");
  assertEquals(at(document, "paths", "/teas/{id}", "get", "parameters", 0, "schema", "anyOf", 1), { type: "string" });
  assertEquals(at(document, "paths", "/teas/{id}", "delete", "parameters", 0, "name"), "id");
});

Deno.test("Document.Build() preserves recursive schemas", async () => {
  const node = z.object({
    name: z.string(),
    get children() {
      return z.array(node);
    },
  });
  const app = fw.New();
  app.Get("/tree", handler).Describe({ Returns: node });
  const document = await build(app);
  await assertValid(document);
  assertStringIncludes(JSON.stringify(document), '"$ref":"#/components/schemas/get_tree_Returns"');
});

Deno.test("Document.Build() omits hidden routes and other subdomains", async () => {
  const app = fw.New();
  app.Get("/hidden", handler).Describe({ Hidden: true });
  app.Party("api.").Get("/elsewhere", handler);
  app.Get("/seen", handler);
  assertEquals(Object.keys(Object((await build(app))["paths"])), ["/seen"]);
  assertEquals(Object.keys(Object((await build(app, { Subdomain: "api." }))["paths"])), ["/elsewhere"]);
});

Deno.test("Document.Serve() serves equivalent JSON and YAML, without its own routes", async () => {
  const app = fw.New();
  app.Get("/teas", handler).Describe({ Summary: 'Lists: "all" teas\n# not a comment' });
  openapi.New({ Title: "Teas", Version: "1.0.0" }).Serve(app, "/api/openapi");
  const json = await app.fetch(new Request("http://localhost/api/openapi.json"));
  assertEquals(json.headers.get("content-type"), "application/json");
  const document = await json.json();
  assertEquals(Object.keys(document.paths), ["/teas"]);
  const yaml = await app.fetch(new Request("http://localhost/api/openapi.yaml"));
  const { parse } = await import("npm:yaml@^2");
  assertEquals(parse(await yaml.text()), document);
});

Deno.test("Document.Build() merges the running application with a file generated from the sources", async () => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const paths = { "/teas": { get: { summary: "From the sources", responses: { 200: { description: "OK" } } } } };
    await Deno.writeTextFile(file, JSON.stringify({ openapi: "3.1.0", paths }));
    const app = fw.New();
    app.Get("/teas", handler);
    const document = await build(app, { File: file });
    assertEquals(at(document, "paths", "/teas", "get", "summary"), "From the sources");
    assertEquals(at(document, "info", "title"), "Teas");
    await assertValid(document);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("openapi.Build() tells apart guards of one kind with different schemes, also in mounted applications", async () => {
  const guard = (Header?: string) => {
    return apikeys.New({ Store: apikeys.NewMemory(), ...Header === undefined ? {} : { Header } }).Require("read");
  };
  const [app, inner] = [fw.New(), fw.New()];
  app.Get("/bearer", guard(), handler);
  app.Get("/header", guard("X-Key"), handler);
  app.Get("/same", guard("X-Key"), handler);
  app.Get(
    "/own",
    openapi.Security((ctx: fw.Context) => ctx.Next(), "apiKey", { type: "http", scheme: "basic" }),
    handler,
  );
  inner.Get("/header", guard("X-Inner"), handler);
  app.Mount("/m", inner);
  const document = await build(app);
  await assertValid(document);
  const schemes = at(document, "components", "securitySchemes");
  assertEquals(["apiKey", "apiKey2", "apiKey3", "apiKey4"].map((name) => at(schemes, name)), [
    { type: "http", scheme: "bearer", bearerFormat: "fw_…" },
    { type: "apiKey", in: "header", name: "X-Key" },
    { type: "http", scheme: "basic" },
    { type: "apiKey", in: "header", name: "X-Inner" },
  ]);
  const needs = ["/bearer", "/header", "/same", "/own", "/m/header"].map((path) => {
    return Object.keys(Object(at(document, "paths", path, "get", "security", 0)));
  });
  assertEquals(needs.flat(), ["apiKey", "apiKey2", "apiKey2", "apiKey3", "apiKey4"]);
});

Deno.test("openapi.Build() describes the rejections of auth.Allow, and does not claim that no login is required", async () => {
  const app = fw.New();
  const login = openapi.Security((ctx: fw.Context) => ctx.Next(), "session", {
    type: "apiKey",
    in: "cookie",
    name: "sid",
  });
  app.Get("/open", handler);
  app.Get("/filtered", ipfilter.New({ Allow: ["127.0.0.1"] }), handler);
  app.Get("/admin", auth.Allow("admin"), handler);
  app.Get("/owner", auth.AllowFunc(() => true), handler).Describe({ Security: [] });
  app.Get("/mine", login, auth.Allow(), handler);
  const document = await build(app);
  await assertValid(document);
  const rejections = (path: string) => {
    const statuses = Object.keys(Object(at(document, "paths", path, "get", "responses")));
    return [
      statuses.filter((status) => status === "401" || status === "403"),
      at(document, "paths", path, "get", "security"),
    ];
  };
  assertEquals(rejections("/open"), [[], []]);
  assertEquals(rejections("/filtered"), [["403"], []]);
  assertEquals(rejections("/admin"), [["401", "403"], undefined]);
  assertEquals(rejections("/owner"), [["403"], []]);
  assertEquals(rejections("/mine"), [["401", "403"], [{ session: [] }]]);
});

Deno.test("Document.Build() describes the 429 of rate limits, also of those of a party", async () => {
  const app = fw.New();
  app.Get("/open", handler);
  app.Get("/limited", ratelimit.New({ Limit: 1, Period: 1000 }), handler);
  app.Party("/party", ratelimit.New({ Limit: 1, Period: 1000 })).Get("/", handler);
  const document = await build(app);
  await assertValid(document);
  const refusal = (path: string) => at(document, "paths", path, "get", "responses", "429", "description");
  assertEquals(["/open", "/limited", "/party"].map(refusal), [undefined, "Too many requests", "Too many requests"]);
});

Deno.test("Document.Build() gives every operation an ID of its own, also if two routes have the same OperationID", async () => {
  const app = fw.New();
  const handler = (ctx: fw.Context) => ctx.JSON({});
  app.Get("/a", handler).Describe({ OperationID: "tea one" });
  app.Get("/b", handler).Describe({ OperationID: "tea_one" });
  app.Get("/c", handler).SetName("tea_one");
  const { paths } = await openapi.New({ Title: "Teas", Version: "1" }).Build(app) as Record<
    string,
    Record<string, unknown>
  >;
  const ids = Object.values(paths ?? {}).map((item) => (item as { get: { operationId: string } }).get.operationId);
  assertEquals(ids, ["tea_one", "tea_one_2", "tea_one_3"]);
});
