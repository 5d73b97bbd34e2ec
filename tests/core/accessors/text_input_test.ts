import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema } from "npm:@valibot/to-json-schema@^1";
import { type } from "npm:arktype@^2";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import * as client from "../../../src/api/client/mod.ts";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import type { StandardSchema } from "../../../src/core/accessors/schema.ts";

/** Returns a value in the form in which it is compared. */
function show(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null, (_, each) => {
    if (typeof each === "bigint") return `${each}n`;
    return each instanceof Set ? { set: [...each] } : each;
  }));
}

/**
 * Sends the same text through every reader and returns what the handler received, which must be the same everywhere,
 * or the status of the refusal.
 */
async function everywhere(search: string, schema: StandardSchema<unknown>): Promise<unknown> {
  const app = fw.New();
  app.Get("/query", async (ctx) => void ctx.JSON(show(orThrow(await ctx.ReadQuery(schema)))));
  app.Post("/form", async (ctx) => void ctx.JSON(show(orThrow(await ctx.ReadForm(schema)))));
  app.Post("/body", async (ctx) => void ctx.JSON(show(orThrow(await ctx.ReadBody(schema)))));
  app.ConfigureContainer().Get("/input", (_: fw.Context, query = mvc.Query(schema)) => show(query));
  class Typed {
    Get(query = mvc.Query(schema)) {
      return show(query);
    }
    Post(form = mvc.Form(schema)) {
      return show(form);
    }
    Put(form = mvc.FormResult(schema)) {
      return form.IsValid ? show(form.Value) : 422;
    }
  }
  mvc.New(app.Party("/typed")).Handle(Typed);
  const pairs = [...new URLSearchParams(search)];
  const parts = new FormData();
  for (const [name, value] of pairs) parts.append(name, value);
  const sent = [
    new Request(`http://localhost/query?${search}`),
    new Request(`http://localhost/input?${search}`),
    new Request(`http://localhost/typed?${search}`),
    ...["form", "body", "typed"].flatMap((path) =>
      [new URLSearchParams(search), parts].map((body) =>
        new Request(`http://localhost/${path}`, { method: "POST", body })
      )
    ),
    new Request("http://localhost/typed", { method: "PUT", body: new URLSearchParams(search) }),
  ];
  const results = [];
  for (const request of sent) {
    const response = await app.fetch(request);
    const text = await response.text();
    results.push(response.status === 200 ? JSON.parse(text) : response.status);
  }
  for (const result of results) assertEquals(result, results[0]);
  return results[0];
}

function orThrow<T>([value, error]: fw.Result<T>): T | undefined {
  if (error !== null) throw error;
  return value;
}

/** The same schema in all libraries. */
const numbers: Record<string, StandardSchema<unknown>> = {
  zod: z.object({ a: z.number() }),
  "zod with wrappers": z.object({ a: z.number().nullable().default(1).readonly() }),
  valibot: v.object({ a: v.number() }),
  "wrapped valibot": toStandardJsonSchema(v.object({ a: v.number() })),
  arktype: type({ a: "number" }),
};

for (const [library, schema] of Object.entries(numbers)) {
  Deno.test(`ReadQuery() and similar methods convert text to a number for a schema of ${library}`, async () => {
    const exact = { "3": 3, "-2.5": -2.5, "1e3": 1000, "007": 7, "0.1": 0.1, "9007199254740991": 9007199254740991 };
    for (const [text, value] of Object.entries(exact)) {
      assertEquals(await everywhere(`a=${text}`, schema), { a: value });
    }
  });

  Deno.test(`ReadQuery() and similar methods reject text that is not exactly a number for a schema of ${library}`, async () => {
    const inexact = [
      "3abc",
      "1e999",
      "1e-999",
      "+3x",
      "%203",
      "3%20",
      "0x10",
      "0b1",
      "1_000",
      "1,5",
      "Infinity",
      "NaN",
    ];
    const long = ["9007199254740993", "1.00000000000000000000001", `1.${"0".repeat(5000)}1`, "true", "[1]", "٣"];
    for (const text of [...inexact, ...long]) assertEquals(await everywhere(`a=${text}`, schema), 422, text);
    assertEquals(await everywhere("a=1&a=2", schema), 422);
  });
}

Deno.test("ReadQuery() and similar methods reject an empty string for a required number", async () => {
  assertEquals(await everywhere("a=", z.object({ a: z.number() })), 422);
  assertEquals(await everywhere("a=", z.object({ a: z.number().optional() })), {});
  assertEquals(await everywhere("a=", z.object({ a: z.number().nullable() })), { a: null });
});

/** Members, the text that is sent as `a`, and the value that the handler receives. */
const members: readonly (readonly [what: string, member: z.ZodType, sent: string, value: unknown])[] = [
  ["an integer", z.int(), "a=3", 3],
  ["an integer that is none", z.int(), "a=3.5", 422],
  ["an integer within bounds", z.number().int().min(1).max(10), "a=11", 422],
  ["a coerced number", z.coerce.number(), "a=3", 3],
  ["a number in other notation that zod coerces", z.coerce.number(), "a=0x10", 16],
  ["a piped number", z.string().transform(Number).pipe(z.number()), "a=3", 3],
  ["a preprocessed value", z.preprocess((text) => `${text}!`, z.string()), "a=3", "3!"],
  ["a bigint", z.bigint(), "a=9007199254740993", "9007199254740993n"],
  ["a bigint that is none", z.bigint(), "a=1.5", 422],
  ["a coerced bigint", z.coerce.bigint(), "a=5", "5n"],
  ["a true boolean", z.boolean(), "a=true", true],
  ["a false boolean", z.boolean(), "a=false", false],
  ["a boolean as a digit", z.boolean(), "a=0", false],
  ["a checked checkbox", z.boolean(), "a=on", true],
  ["a boolean that is none", z.boolean(), "a=yes", 422],
  ["a coerced boolean", z.coerce.boolean(), "a=false", false],
  ["a stringbool", z.stringbool(), "a=yes", true],
  ["an accepted agreement", z.literal(true), "a=on", true],
  ["a date", z.date(), "a=2026-02-28", "2026-02-28T00:00:00.000Z"],
  ["a date and time", z.date(), "a=2026-02-28T10:00:00%2B02:00", "2026-02-28T08:00:00.000Z"],
  ["a day that does not exist", z.date(), "a=2026-02-30", 422],
  ["a time without a zone", z.date(), "a=2026-02-28T10:00", 422],
  ["a time with microseconds", z.date(), "a=2026-02-28T10:00:00.123456Z", 422],
  ["a coerced date", z.coerce.date(), "a=2026-02-28", "2026-02-28T00:00:00.000Z"],
  ["null", z.number().nullable(), "a=null", null],
  ["a nullable string", z.string().nullable(), "a=null", "null"],
  ["a literal number", z.literal([1, 2]), "a=2", 2],
  ["another literal number", z.literal([1, 2]), "a=3", 422],
  ["an enum of numbers", z.enum({ Low: 1, High: 2 }), "a=2", 2],
  ["an enum of digits", z.enum(["1", "2"]), "a=2", "2"],
  ["a union with a string", z.union([z.number(), z.string()]), "a=3", "3"],
  ["a union with a choice", z.union([z.literal("all"), z.number()]), "a=all", "all"],
  ["a number in a union with a choice", z.union([z.literal("all"), z.number()]), "a=3", 3],
  ["a choice that looks like a number", z.union([z.literal("1"), z.number()]), "a=1", "1"],
  ["a union of number and boolean", z.union([z.boolean(), z.number()]), "a=1", 1],
  ["a string", z.string(), "a=3", "3"],
  ["an unknown value", z.unknown(), "a=3", "3"],
  ["a list", z.array(z.number()), "a=1&a=2", [1, 2]],
  ["a list of one", z.array(z.number()), "a=1", [1]],
  ["a list with one bad item", z.array(z.number()), "a=1&a=x", 422],
  ["a bracketed list", z.array(z.boolean()), "a[]=true", [true]],
  ["one or many", z.union([z.number(), z.array(z.number())]), "a=1&a=2", [1, 2]],
  ["one of many", z.union([z.number(), z.array(z.number())]), "a=1", 1],
  ["a tuple", z.tuple([z.number(), z.string(), z.boolean()]), "a=1&a=2&a=0", [1, "2", false]],
  ["a tuple with more", z.tuple([z.string()], z.number()), "a=1&a=2&a=3", ["1", 2, 3]],
  ["a set", z.set(z.number()), "a=1&a=2&a=1", { set: [1, 2] }],
  ["an object in JSON", z.object({ b: z.number() }), `a=${encodeURIComponent('{"b":1}')}`, { b: 1 }],
  ["a lazy schema", z.lazy(() => z.number()), "a=3", 3],
  ["an intersection", z.intersection(z.number(), z.number().max(4)), "a=3", 3],
  ["a piped check", z.number().refine((value) => value > 2), "a=3", 3],
  ["a caught value", z.number().catch(7), "a=x", 7],
  ["a branded value", z.number().brand("n"), "a=3", 3],
];

for (const [what, member, sent, value] of members) {
  Deno.test(`ReadQuery() and similar methods read ${what}`, async () => {
    assertEquals(await everywhere(sent, z.object({ a: member })), value === 422 ? 422 : { a: value });
  });
}

Deno.test("ReadQuery() and similar methods convert text for valibot, wrapped or not", async () => {
  const schema = v.object({
    id: v.bigint(),
    isOpen: v.optional(v.boolean()),
    day: v.nullable(v.date()),
    size: v.picklist([1, 2]),
    tags: v.array(v.number()),
    pair: v.tuple([v.number(), v.string()]),
    all: v.set(v.number()),
    page: v.optional(v.pipe(v.number(), v.integer()), 1),
  });
  const sent = "id=9007199254740993&isOpen=false&day=2026-01-02&size=2&tags=1&pair=1&pair=2&all=5&page=";
  const value = {
    id: "9007199254740993n",
    isOpen: false,
    day: "2026-01-02T00:00:00.000Z",
    size: 2,
    tags: [1],
    pair: [1, "2"],
    all: { set: [5] },
    page: 1,
  };
  assertEquals(await everywhere(sent, schema), value);
  assertEquals(await everywhere(sent, toStandardJsonSchema(schema)), value);
});

Deno.test("ReadQuery() and similar methods convert text for arktype", async () => {
  const schema = type({
    id: "bigint",
    "isOpen?": "boolean",
    day: "Date",
    size: "1 | 2",
    tags: "number[]",
    text: "string",
  });
  const sent = "id=9007199254740993&isOpen=0&day=2026-01-02&size=2&tags=1&text=3";
  assertEquals(await everywhere(sent, schema), {
    id: "9007199254740993n",
    isOpen: false,
    day: "2026-01-02T00:00:00.000Z",
    size: 2,
    tags: [1],
    text: "3",
  });
});

/** Creates a schema of an unknown library with JSON Schema. */
function unknownLibrary(properties: Record<string, unknown>): StandardSchema<unknown> {
  const input = () => ({ type: "object", properties, required: Object.keys(properties) });
  const standard = {
    version: 1 as const,
    vendor: "another",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input, output: input },
  };
  return { "~standard": standard };
}

Deno.test("ReadQuery() and similar methods convert text for every library with JSON Schema", async () => {
  const schema = unknownLibrary({
    a: { type: "integer" },
    b: { type: ["boolean", "null"] },
    c: { anyOf: [{ type: "number" }, { const: "all" }] },
    d: { type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } },
    e: { enum: [1, 2] },
    f: { type: ["string", "number"] },
    g: { type: "null" },
  });
  const value = { a: 1, b: null, c: 2, d: [1, "2"], e: 2, f: "3", g: null };
  assertEquals(await everywhere("a=1&b=null&c=2&d=1&d=2&e=2&f=3&g=null", schema), value);
});

Deno.test("ReadQuery() and similar methods convert the values of records and of other names", async () => {
  assertEquals(await everywhere("a=1&b=2", z.record(z.string(), z.number())), { a: 1, b: 2 });
  assertEquals(await everywhere("a=1&b=x", z.record(z.string(), z.number())), 422);
  assertEquals(await everywhere("a=1", z.record(z.string(), z.array(z.number()))), { a: [1] });
  assertEquals(await everywhere("a=1&b=2", z.object({ a: z.string() }).catchall(z.number())), { a: "1", b: 2 });
  assertEquals(await everywhere("a=1&b=2", v.objectWithRest({ a: v.string() }, v.number())), { a: "1", b: 2 });
});

Deno.test("ReadQuery() and similar methods convert text for the member of a union that its literals select", async () => {
  const schema = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("number"), value: z.number() }),
    z.object({ kind: z.literal("text"), value: z.string() }),
  ]);
  assertEquals(await everywhere("kind=number&value=3", schema), { kind: "number", value: 3 });
  assertEquals(await everywhere("kind=text&value=3", schema), { kind: "text", value: "3" });
  const byNumber = v.variant("v", [
    v.object({ v: v.literal(1), value: v.boolean() }),
    v.object({ v: v.literal(2), value: v.string() }),
  ]);
  assertEquals(await everywhere("v=1&value=1", byNumber), { v: 1, value: true });
  assertEquals(await everywhere("v=2&value=1", byNumber), { v: 2, value: "1" });
});

Deno.test("ReadForm() reads a list whose schema spells its name with brackets", async () => {
  const schema = z.object({ "colors[]": z.array(z.string()), "sizes[]": z.array(z.number()) });
  assertEquals(await everywhere("colors[]=red&colors[]=blue&sizes[]=1", schema), {
    "colors[]": ["red", "blue"],
    "sizes[]": [1],
  });
  assertEquals(await everywhere("colors[]=red", schema), { "colors[]": ["red"], "sizes[]": [] });
  const plain = z.strictObject({ colors: z.array(z.string()) });
  assertEquals(await everywhere("colors[]=red", plain), { colors: ["red"] });
});

Deno.test("mvc.Params() and mvc.Header() convert text, also in lists", async () => {
  class Typed {
    GetHeader(header = mvc.Header(z.object({ "X-Limit": z.number(), "x-ids": z.array(z.bigint()) }))) {
      return show({ limit: header["X-Limit"], ids: header["x-ids"] });
    }
  }
  const app = fw.New();
  const id = z.object({ id: z.int().max(10), name: z.string() });
  app.ConfigureContainer().Get("/ids/{id}/{name}", (_: fw.Context, params = mvc.Params(id)) => show(params));
  mvc.New(app).Handle(Typed);
  const get = async (path: string, headers = {}) => {
    const response = await app.fetch(new Request(`http://localhost${path}`, { headers }));
    return response.status === 200 ? await response.json() : (await response.body?.cancel(), response.status);
  };
  assertEquals(await get("/ids/7/7"), { id: 7, name: "7" });
  assertEquals(await get("/ids/11/7"), 422);
  assertEquals(await get("/ids/on/7"), 422);
  assertEquals(await get("/header", { "x-limit": "2", "x-ids": "1, 2" }), { limit: 2, ids: ["1n", "2n"] });
  assertEquals(await get("/header", { "x-limit": "on", "x-ids": "1" }), 422);
});

Deno.test("mvc.FormResult() keeps the submitted text of values that were converted", async () => {
  const schema = z.object({ grams: z.number().min(10), isOrganic: z.boolean(), tags: z.array(z.number()) });
  class Teas {
    Post(form = mvc.FormResult(schema)) {
      return { values: form.Values, error: form.Error("grams"), tag: form.Text("tags[]") };
    }
  }
  const app = fw.New();
  mvc.New(app).Handle(Teas);
  const body = new URLSearchParams("grams=5&isOrganic=on&tags[]=1");
  const response = await app.fetch(new Request("http://localhost/", { method: "POST", body }));
  const { values, error, tag } = await response.json();
  assertEquals(values, { grams: "5", isOrganic: "on", tags: ["1"] });
  assertStringIncludes(error, "10");
  assertEquals(tag, "1");
});

Deno.test("client.New() sends numbers, booleans and dates that the server's schema accepts", async () => {
  class Typed {
    Get(query = mvc.Query(z.object({ n: z.number(), b: z.boolean(), d: z.date(), l: z.array(z.bigint()) }))) {
      return show(query);
    }
  }
  const app = fw.New();
  mvc.New(app).Handle(Typed);
  const api = client.New<Typed>("http://localhost", { Fetch: app.fetch });
  const [value, error] = await api.Get({ Query: { n: 1.5, b: false, d: new Date(0), l: [9007199254740993n] } });
  assertEquals(error, null);
  assertEquals(value as unknown, { n: 1.5, b: false, d: "1970-01-01T00:00:00.000Z", l: ["9007199254740993n"] });
});

Deno.test("Context.ReadXML() converts text as a form does", async () => {
  const app = fw.New();
  const tea = z.object({ grams: z.number(), isOrganic: z.boolean(), name: z.string(), tags: z.array(z.string()) });
  app.Post("/", async (ctx) => void ctx.JSON(orThrow(await ctx.ReadXML(tea))));
  const body = "<tea><grams>5</grams><isOrganic>true</isOrganic><name>7</name><tags>x</tags></tea>";
  const request = new Request("http://localhost/", { method: "POST", body, headers: { "content-type": "text/xml" } });
  const response = await app.fetch(request);
  assertEquals(await response.json(), { grams: 5, isOrganic: true, name: "7", tags: ["x"] });
});

Deno.test("ReadQuery() reads the shape of a schema once", async () => {
  let count = 0;
  const schema = z.object({ a: z.lazy(() => (count++, z.number())) });
  await everywhere("a=1", schema);
  const once = count;
  for (let run = 0; run < 5; run++) await everywhere("a=1", schema);
  assert(count === once, `read ${count} times`);
});
