import { assertEquals } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as openapi from "../../../src/api/openapi/mod.ts";
import type { StandardSchema } from "../../../src/core/accessors/schema.ts";
import { quiet } from "../../serving.ts";

async function build(app: fw.Application): Promise<{ paths: Record<string, Record<string, Record<string, never>>> }> {
  const document = await openapi.New({ Title: "T", Version: "1" }).Build(app);
  return JSON.parse(JSON.stringify(document));
}

/** Returns the documented schema of the path parameter `id`. */
async function documented(path: string, member: z.ZodType): Promise<unknown> {
  const app = quiet();
  const schema = z.object({ id: member });
  app.ConfigureContainer().Get(path, (_: fw.Context, params = mvc.Params(schema)) => ({ id: Number(params.id) }));
  const { paths } = await build(app);
  return paths["/teas/{id}"]?.["get"]?.["parameters"]?.[0]?.["schema"];
}

Deno.test("Document.Build() keeps the bounds of a number schema for an integer path parameter", async () => {
  for (const member of [z.coerce.number().max(10), z.number().max(10)]) {
    const { allOf } = Object(await documented("/teas/{id:int}", member));
    assertEquals(allOf[0].type, "integer");
    assertEquals(allOf[1].maximum, 10);
    assertEquals(allOf[1].type, undefined);
  }
  const { allOf } = Object(await documented("/teas/{id:int min(1)}", z.int().min(2)));
  assertEquals([allOf[0].minimum, allOf[1].minimum], [1, 2]);
  assertEquals(Object(await documented("/teas/{id}", z.number().max(10))).maximum, 10);
});

const queries: Readonly<Record<string, StandardSchema<unknown>>> = {
  zod: z.object({ limit: z.number().int(), isNew: z.boolean(), tag: z.array(z.string()), size: z.literal([1, 2]) }),
  valibot: toStandardJsonSchema(
    v.object({
      limit: v.pipe(v.number(), v.integer()),
      isNew: v.boolean(),
      tag: v.array(v.string()),
      size: v.picklist([1, 2]),
    }),
  ),
};

for (const [library, schema] of Object.entries(queries)) {
  Deno.test(`Document.Build() describes query types that the server accepts, with ${library}`, async () => {
    const app = quiet();
    class Teas {
      Get(query = mvc.Query(schema)) {
        return query;
      }
    }
    mvc.New(app).Handle(Teas);
    const { paths } = await build(app);
    const parameters: { name: string; schema: Record<string, unknown> }[] = paths["/"]?.["get"]?.["parameters"] ?? [];
    const types = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema["type"] ?? "number"]));
    assertEquals(types, { limit: "integer", isNew: "boolean", tag: "array", size: "number" });
    const ask = async (query: string) => await app.fetch(new Request(`http://localhost/?${query}`));
    const response = await ask("limit=3&isNew=true&tag=x&size=2");
    assertEquals(await response.json(), { limit: 3, isNew: true, tag: ["x"], size: 2 });
    for (
      const query of ["limit=3.5&isNew=true&tag=x&size=2", "limit=3&isNew=maybe&tag=x&size=2", "limit=3&isNew=1&size=3"]
    ) {
      const refused = await ask(query);
      await refused.body?.cancel();
      assertEquals(refused.status, 422, query);
    }
  });
}

Deno.test("Document.Build() describes dates, bigints and sets of wrapped valibot schemas", async () => {
  const app = quiet();
  const schema = toStandardJsonSchema(v.object({ at: v.date(), id: v.bigint(), ids: v.set(v.number()) }));
  app.ConfigureContainer().Get("/", (_: fw.Context, query = mvc.Query(schema)) => String(query.id));
  const { paths } = await build(app);
  const parameters: { name: string; schema: Record<string, unknown> }[] = paths["/"]?.["get"]?.["parameters"] ?? [];
  const found = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema["format"] ?? schema["type"]]));
  assertEquals(found, { at: "date-time", id: "int64", ids: "array" });
});

Deno.test("Document.Build() describes objects in parameters as JSON, like the server reads them", async () => {
  const range = z.object({ from: z.number(), to: z.number().optional() });
  const kind = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("green") }),
    z.object({ kind: z.literal("black"), region: z.string() }),
  ]);
  const schema = z.object({ range, other: range.nullable(), kind: kind.optional(), tag: z.array(z.string()) });
  const app = quiet();
  class Teas {
    Get(query = mvc.Query(schema), headers = mvc.Header(z.object({ "x-range": range }))) {
      return { query, headers };
    }
    GetFree(query = mvc.Query(z.record(z.string(), z.number()))) {
      return query;
    }
  }
  mvc.New(app).Handle(Teas);
  const { paths } = await build(app);
  const shapes = (path: string): Record<string, string> => {
    const parameters: { name: string; content?: object; schema?: object }[] = paths[path]?.["get"]?.["parameters"] ??
      [];
    return Object.fromEntries(parameters.map(({ name, content, schema }) => [
      name,
      [...Object.keys(content ?? {}), ...schema === undefined ? [] : ["schema"]].join(),
    ]));
  };
  const json = "application/json";
  assertEquals(shapes("/"), { range: json, other: json, kind: json, tag: "schema", "x-range": json });
  assertEquals(shapes("/free"), { query: "schema" });

  const query = { range: '{"from":1}', other: "null", kind: '{"kind":"black","region":"Assam"}', tag: "x" };
  const response = await app.fetch(
    new Request(`http://localhost/?${new URLSearchParams(query)}`, { headers: { "x-range": '{"from":2,"to":3}' } }),
  );
  assertEquals(await response.json(), {
    query: { range: { from: 1 }, other: null, kind: { kind: "black", region: "Assam" }, tag: ["x"] },
    headers: { "x-range": { from: 2, to: 3 } },
  });
});
