import { assertEquals } from "@std/assert";
import { type } from "npm:arktype@^2";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import type { StandardSchema } from "../../../src/core/accessors/schema.ts";

/** Sends the same values as a query and as a form, and returns both results of the schema. */
async function both(search: string, schema: StandardSchema<unknown>): Promise<unknown> {
  const app = fw.New();
  app.Get("/", async (ctx) => {
    const [value, error] = await ctx.ReadQuery(schema);
    if (error !== null) throw error;
    ctx.JSON(value);
  });
  app.Post("/", async (ctx) => {
    const [value, error] = await ctx.ReadForm(schema);
    if (error !== null) throw error;
    ctx.JSON(value);
  });
  const query = await app.fetch(new Request(`http://localhost/?${search}`));
  const body = new URLSearchParams(search);
  const form = await app.fetch(new Request("http://localhost/", { method: "POST", body }));
  assertEquals(query.status, form.status);
  const [first, second] = [await query.json(), await form.json()];
  if (query.status !== 200) return query.status;
  assertEquals(first, second);
  return first;
}

const states = ["open", "closed"] as const;

Deno.test("ReadQuery() and ReadForm() return an empty array if no checkbox of a group is checked", async () => {
  assertEquals(await both("", z.object({ tags: z.array(z.string()) })), { tags: [] });
  assertEquals(await both("", z.strictObject({ tags: z.array(z.enum(states)) })), { tags: [] });
  assertEquals(await both("", v.object({ tags: v.array(v.string()) })), { tags: [] });
  assertEquals(await both("", type({ tags: "string[]" })), { tags: [] });
  assertEquals(await both("", z.intersection(z.object({ a: z.array(z.string()) }), z.object({}))), { a: [] });
});

Deno.test("ReadQuery() and ReadForm() omit a missing optional array and apply defaults", async () => {
  assertEquals(await both("", z.object({ tags: z.array(z.string()).optional() })), {});
  assertEquals(await both("", z.object({ tags: z.array(z.string()).default(["a"]) })), { tags: ["a"] });
  assertEquals(await both("", v.object({ tags: v.optional(v.array(v.string())) })), {});
  assertEquals(await both("", v.object({ tags: v.optional(v.array(v.string()), ["a"]) })), { tags: ["a"] });
  assertEquals(await both("", type({ "tags?": "string[]" })), {});
  assertEquals(await both("", z.object({ tags: z.array(z.string()).min(1) })), 422);
});

Deno.test("ReadQuery() and ReadForm() do not add an array that only one member of a union has", async () => {
  const schema = z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("a"), tags: z.array(z.string()) }),
    z.strictObject({ kind: z.literal("b") }),
  ]);
  assertEquals(await both("kind=b", schema), { kind: "b" });
  assertEquals(await both("kind=a&tags=x", schema), { kind: "a", tags: ["x"] });
});

const optional: Record<string, z.ZodType> = {
  enum: z.enum(states),
  number: z.coerce.number(),
  int: z.coerce.number().int().min(1),
  boolean: z.stringbool(),
  literal: z.literal("all"),
  date: z.coerce.date(),
  isoDate: z.iso.date(),
  email: z.email(),
  oldEmail: z.string().email(),
  union: z.union([z.literal("a"), z.coerce.number()]),
  piped: z.string().pipe(z.coerce.number()),
};

for (const [name, member] of Object.entries(optional)) {
  Deno.test(`ReadQuery() and ReadForm() treat an empty string as omitted for an optional ${name}`, async () => {
    assertEquals(await both("value=", z.object({ value: member.optional() })), {});
    assertEquals(await both("value=", z.object({ value: member.nullish() })), {});
  });
}

Deno.test("ReadQuery() and ReadForm() use the schema's default for an empty string", async () => {
  assertEquals(await both("page=", z.object({ page: z.coerce.number().default(1) })), { page: 1 });
  assertEquals(await both("state=", z.object({ state: z.enum(states).default("open") })), { state: "open" });
});

Deno.test("ReadQuery() and ReadForm() treat an empty string as omitted for valibot and arktype", async () => {
  assertEquals(await both("a=", v.object({ a: v.optional(v.picklist(states)) })), {});
  assertEquals(await both("a=", v.object({ a: v.nullish(v.pipe(v.string(), v.email())) })), {});
  assertEquals(await both("a=", v.object({ a: v.optional(v.literal("x"), "x") })), { a: "x" });
  assertEquals(await both("a=", type({ "a?": "'open' | 'closed'" })), {});
  assertEquals(await both("a=", type({ "a?": "string.email" })), {});
});

Deno.test("ReadQuery() and ReadForm() keep an empty string if the field is a string or an enum that includes it", async () => {
  assertEquals(await both("a=", z.object({ a: z.string().optional() })), { a: "" });
  assertEquals(await both("a=", z.object({ a: z.enum(["", "x"]).optional() })), { a: "" });
  assertEquals(await both("a=", z.object({ a: z.string().transform((text) => text.length).optional() })), { a: 0 });
  assertEquals(await both("a=", z.object({ a: z.preprocess((text) => text === "" ? 7 : text, z.number()) })), { a: 7 });
  assertEquals(await both("a=", z.object({ a: z.union([z.number(), z.string()]).optional() })), { a: "" });
  assertEquals(await both("a=", v.object({ a: v.optional(v.string()) })), { a: "" });
  assertEquals(await both("a=", type({ "a?": "string" })), { a: "" });
});

Deno.test("ReadQuery() and ReadForm() reject an empty string for a required enum", async () => {
  assertEquals(await both("a=", z.object({ a: z.enum(states) })), 422);
});

Deno.test("ReadQuery() and ReadForm() remove empty strings from an array of enum values", async () => {
  const schema = z.object({ states: z.array(z.enum(states)) });
  assertEquals(await both("states=", schema), { states: [] });
  assertEquals(await both("states=&states=open", schema), { states: ["open"] });
  assertEquals(await both("states=", z.object({ states: z.array(z.enum(states)).optional() })), {});
  assertEquals(await both("a=&a=x", z.object({ a: z.array(z.string()) })), { a: ["", "x"] });
});

Deno.test("mvc.Query() and mvc.Form() read blank fields and missing arrays in the same way", async () => {
  const schema = z.object({
    state: z.enum(states).optional(),
    page: z.coerce.number().default(1),
    tags: z.array(z.string()),
  });
  class Filters {
    Get(query = mvc.Query(schema)) {
      return query;
    }
    Post(form = mvc.Form(schema)) {
      return form;
    }
    PutResult(form = mvc.FormResult(schema)) {
      return form.Value ?? form.Errors;
    }
  }
  const app = fw.New();
  mvc.New(app).Handle(Filters);
  const body = () => new URLSearchParams("state=&page=");
  for (
    const [path, init] of [
      ["/?state=&page=", {}],
      ["/", { method: "POST", body: body() }],
      ["/result", { method: "PUT", body: body() }],
    ] as const
  ) {
    const response = await app.fetch(new Request(`http://localhost${path}`, init));
    assertEquals([response.status, await response.json()], [200, { page: 1, tags: [] }]);
  }
});
