import { assertEquals, assertInstanceOf } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import { z } from "npm:zod@^4";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as client from "../../../src/api/client/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

const brand = z.string().brand<"ID">();
const event = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("a"), a: z.string() }),
  z.object({ kind: z.literal("b"), b: z.number() }),
]);
const record = z.object({ name: z.string(), at: z.iso.datetime().transform((text) => new Date(text)) });

/**
 * A controller with a method for every kind of input. The declared argument types must compile and must be correct at
 * run time.
 */
class Shapes {
  PostNullable(input = mvc.Body(z.string().nullable())) {
    const text: string | null = input;
    return { text: text === null ? "null" : text.toUpperCase() };
  }
  PostOptional(input = mvc.Body(z.string().optional())) {
    return { length: input === undefined ? -1 : input.length };
  }
  PostNullish(input = mvc.Body(z.object({ a: z.number() }).nullish())) {
    return { a: input?.a ?? null };
  }
  PostNull(input = mvc.Body(z.null())) {
    const nothing: null = input;
    return { nothing };
  }
  PostBrand(input = mvc.Body(brand)) {
    const branded: z.infer<typeof brand> = input;
    return { id: branded, again: input };
  }
  PostList(input = mvc.Body(z.array(z.string()))) {
    return input;
  }
  PostItems(input = mvc.Body(z.array(z.object({ n: z.number() })))) {
    return { sum: input.map(({ n }) => n).reduce((a, b) => a + b, 0), copy: [...input] };
  }
  PostReturned(input = mvc.Body(record)) {
    return input;
  }
  PostSpread(input = mvc.Body(record)) {
    return { ...input, more: 1 };
  }
  PostUnion(input = mvc.Body(event)) {
    return input.kind === "a" ? { text: input.a } : { text: input.b.toFixed(1) };
  }
  PostMixed(input = mvc.Body(z.union([z.string(), z.number(), z.array(z.number())]))) {
    return { kind: Array.isArray(input) ? "list" : typeof input, input };
  }
  PostRecord(input = mvc.Body(z.record(z.string(), z.number()))) {
    return Object.entries(input).map(([name, value]) => `${name}=${value.toFixed()}`);
  }
  PostTuple(input = mvc.Body(z.tuple([z.string(), z.number()]))) {
    const [text, count] = input;
    return text.repeat(count);
  }
  PostEnum(input = mvc.Body(z.enum(["a", "b"]))) {
    return { input };
  }
  PostBool(input = mvc.Body(z.boolean())) {
    return { not: !input };
  }
  PostAny(input = mvc.Body(z.any()), query = mvc.Query(z.object({ q: z.string() })), header = mvc.Header(trace)) {
    return { input: String(input), q: query.q, trace: header["X-Trace"] };
  }
  PostUnknown(input = mvc.Body(z.unknown()), query = mvc.Query(z.object({ q: z.string() }))) {
    return { input: JSON.stringify(input), q: query.q };
  }
  PutBy(id = 0, input = mvc.Body(z.any())) {
    return { id, input: String(input) };
  }
  PostDestructured({ name, at } = mvc.Body(record)) {
    return { name, year: at.getUTCFullYear() };
  }
  PostBigint(
    input = mvc.Body(z.object({ id: z.bigint(), list: z.array(z.bigint()), in: z.object({ id: z.bigint() }) })),
  ) {
    return { id: input.id, next: input.in.id + 1n, list: input.list };
  }
  GetCollections() {
    return {
      map: new Map([["a", new Map([["b", 1n]])]]),
      set: [new Set([1, 2])],
      deep: { in: { list: [{ tags: new Set(["x"]) }] } },
      empty: {},
    };
  }
}

const trace = z.object({ "X-Trace": z.string() });

async function calls(shapes: client.Client<Shapes>): Promise<void> {
  assertEquals(await shapes.PostNullable({ Body: null }), [{ text: "null" }, null]);
  assertEquals(await shapes.PostNullable({ Body: "a" }), [{ text: "A" }, null]);
  assertEquals(await shapes.PostOptional(), [{ length: -1 }, null]);
  assertEquals(await shapes.PostOptional({ Body: "abc" }), [{ length: 3 }, null]);
  assertEquals(await shapes.PostNullish({ Body: null }), [{ a: null }, null]);
  assertEquals(await shapes.PostNull({ Body: null }), [{ nothing: null }, null]);
  const [branded] = await shapes.PostBrand({ Body: "x" });
  assertType<IsExact<typeof branded, { id: z.infer<typeof brand>; again: z.infer<typeof brand> } | undefined>>(true);
  assertEquals(branded?.id, "x" as z.infer<typeof brand>);
  const [list] = await shapes.PostList({ Body: ["a", "b"] });
  assertEquals(list?.map((text) => text.toUpperCase()), ["A", "B"]);
  assertEquals(await shapes.PostItems({ Body: [{ n: 1 }, { n: 2 }] }), [{ sum: 3, copy: [{ n: 1 }, { n: 2 }] }, null]);
  const sent = { name: "Ada", at: "2020-01-01T00:00:00Z" };
  const [returned] = await shapes.PostReturned({ Body: sent });
  assertType<IsExact<typeof returned, { name: string; at: string } | undefined>>(true);
  assertEquals(returned, { name: "Ada", at: "2020-01-01T00:00:00.000Z" });
  const [spread] = await shapes.PostSpread({ Body: sent });
  assertType<IsExact<typeof spread, { more: number; name: string; at: string } | undefined>>(true);
  assertEquals(spread?.more, 1);
  assertEquals(await shapes.PostUnion({ Body: { kind: "b", b: 2 } }), [{ text: "2.0" }, null]);
  assertEquals(await shapes.PostMixed({ Body: [1] }), [{ kind: "list", input: [1] }, null]);
  assertEquals(await shapes.PostRecord({ Body: { a: 1 } }), [["a=1"], null]);
  assertEquals(await shapes.PostTuple({ Body: ["a", 3] }), ["aaa", null]);
  assertEquals(await shapes.PostEnum({ Body: "b" }), [{ input: "b" }, null]);
  assertEquals(await shapes.PostBool({ Body: true }), [{ not: false }, null]);
  assertEquals(await shapes.PostAny({ Body: 5, Query: { q: "a" }, Header: { "X-Trace": "t" } }), [
    { input: "5", q: "a", trace: "t" },
    null,
  ]);
  assertEquals(await shapes.PostUnknown({ Body: [1], Query: { q: "a" } }), [{ input: "[1]", q: "a" }, null]);
  assertEquals(await shapes.PutBy(4, { Body: "x" }), [{ id: 4, input: "x" }, null]);
  assertEquals(await shapes.PostDestructured({ Body: sent }), [{ name: "Ada", year: 2020 }, null]);
  const big = 9007199254740993n;
  const [bigs] = await shapes.PostBigint({ Body: { id: big, list: [1n, big], in: { id: big } } });
  assertEquals(bigs, { id: big, next: 9007199254740994, list: [1, big] });
  const [collections] = await shapes.GetCollections();
  assertEquals(collections, {
    map: { a: { b: 1 } },
    set: [[1, 2]],
    deep: { in: { list: [{ tags: ["x"] }] } },
    empty: {},
  });

  // @ts-expect-error The query is missing.
  const [, error] = await shapes.PostUnknown({ Body: 1 });
  assertInstanceOf(error, client.ResponseError);
  // @ts-expect-error A list is not a string.
  assertInstanceOf((await shapes.PostList({ Body: "a" }))[1], client.ResponseError);
  // @ts-expect-error The schema takes null and strings.
  assertInstanceOf((await shapes.PostNullable({ Body: 1 }))[1], client.ResponseError);
}

Deno.test("New() types and sends every shape of an input, in process and over a socket", async () => {
  const app = quiet();
  mvc.New(app).Handle(Shapes);
  await calls(client.New<Shapes>("http://localhost", { Fetch: app.fetch }));
  await overSocket(app, (_ask, port) => calls(client.New<Shapes>(`http://127.0.0.1:${port}`)));
});

Deno.test("mvc.Checked declares the type that mvc.Body infers", async () => {
  const schema = z.object({ name: z.string().nullable() });
  class Declared {
    Post(input: mvc.Checked<"Body", typeof schema> = mvc.Body(schema)): { name: string | null } {
      return { name: input.name };
    }
  }
  const app = quiet();
  mvc.New(app).Handle(Declared);
  const declared = client.New<Declared>("http://localhost", { Fetch: app.fetch });
  assertEquals(await declared.Post({ Body: { name: null } }), [{ name: null }, null]);
  // @ts-expect-error The body is missing.
  await declared.Post();
});

class Outcomes {
  Ctx!: fw.Context;
  GetBy(id = 0) {
    if (id === 1) return mvc.Tuple({ id, name: "Ada" }, 200);
    if (id === 2) return mvc.Tuple({ why: "taken", by: "Bob" }, 409);
    return mvc.Tuple(410, "gone");
  }
  Post() {
    this.Ctx.Header("location", "/7");
    return mvc.Tuple({ id: 7 }, 201);
  }
  async *GetLines() {
    yield "one\n";
    yield await Promise.resolve("two\n");
  }
  *GetBytes() {
    yield new Uint8Array([1, 2]);
  }
  async *GetValues() {
    yield { at: new Date(0), id: 9007199254740993n };
    yield await Promise.resolve({ at: new Date(1), id: 1n });
  }
  *GetEvents() {
    yield fw.NewEvent({ cents: 150 }, { ID: "1", Name: "price" });
    yield fw.NewEvent({ cents: 160 }, { Name: "price" });
  }
  *GetTexts() {
    yield fw.NewEvent("5");
    yield fw.NewEvent("two\nlines");
  }
  *GetFailing() {
    if (this.Ctx.Method() === "GET") throw new fw.HTTPError(418, "Short and stout");
    yield "never";
  }
}

async function outcomes(api: client.Client<Outcomes>): Promise<void> {
  const [found, refused] = await api.GetBy(1);
  if (refused === null) assertType<IsExact<typeof found, { id: number; name: string }>>(true);
  const [, taken] = await api.GetBy(2);
  if (taken?.Status === 409) {
    assertType<IsExact<typeof taken.Body, { why: string; by: string }>>(true);
    assertEquals(taken.Body.by, "Bob");
  } else throw new Error("It must be 409");
  const [, gone] = await api.GetBy(3);
  if (gone?.Status === 410) assertType<IsExact<typeof gone.Body, string>>(true);
  assertEquals([gone?.Status, gone instanceof client.ResponseError && gone.Body], [410, "gone"]);

  const created = await api.Post();
  assertEquals([created, created.Response?.status, created.Response?.headers.get("location")], [
    [{ id: 7 }, null],
    201,
    "/7",
  ]);
  const raw = await api.Post.Raw({ Headers: { accept: "application/json" } });
  assertEquals([raw.status, await raw.json()], [201, { id: 7 }]);

  const [lines] = await api.GetLines();
  assertEquals((await Array.fromAsync(lines ?? [])).join(""), "one\ntwo\n");
  const [bytes] = await api.GetBytes();
  for await (const chunk of bytes ?? []) assertEquals(chunk, new Uint8Array([1, 2]));
  const [values] = await api.GetValues();
  const seen: string[] = [];
  for await (const { at, id } of values ?? []) seen.push(`${at} ${id}`);
  assertEquals(seen, ["1970-01-01T00:00:00.000Z 9007199254740993", "1970-01-01T00:00:00.001Z 1"]);
  const [events] = await api.GetEvents();
  const prices: number[] = [];
  for await (const { Data, Name, ID } of events ?? []) {
    assertEquals([Name, ID], ["price", "1"]);
    prices.push(Data.cents);
  }
  assertEquals(prices, [150, 160]);
  const [texts] = await api.GetTexts();
  const words: string[] = [];
  for await (const { Data } of texts ?? []) words.push(Data);
  assertEquals(words, ["5", "two\nlines"]);
  const [, stout] = await api.GetFailing();
  assertInstanceOf(stout, client.ResponseError);
  assertEquals(stout.Status, 418);
  const [early] = await api.GetEvents();
  for await (const _event of early ?? []) break;
}

Deno.test("New() types errors by status, provides the response and reads streams, in process and over a socket", async () => {
  const app = quiet();
  mvc.New(app).Handle(Outcomes);
  await outcomes(client.New<Outcomes>("http://localhost", { Fetch: app.fetch }));
  await overSocket(app, (_ask, port) => outcomes(client.New<Outcomes>(`http://127.0.0.1:${port}`)));
});
