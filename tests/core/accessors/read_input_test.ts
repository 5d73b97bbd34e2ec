import { assert, assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import type * as fw from "../../../mod.ts";
import { HTTPError, type Result } from "../../../src/base/errors/errors.ts";
import { Body } from "../../../src/http/body/body.ts";
import { defaultLimits } from "../../../src/http/body/source/body_limits.ts";
import { Query } from "../../../src/core/accessors/query.ts";
import { getBody } from "../../../src/core/context/format/lazy_reader.ts";
import { readForm, readJSON, readQuery } from "../../../src/core/accessors/read_input.ts";
import { ValidationError } from "../../../src/core/accessors/validation_error.ts";
import { bothWays, quiet } from "../../serving.ts";
import { field, file } from "../../testdata/forms/cases.ts";

function post(body: string, type = "application/json"): Body {
  return new Body(new Request("http://localhost/", { method: "POST", body, headers: { "content-type": type } }));
}

const schemas = {
  zod: z.object({ name: z.string().min(2), age: z.number().int().positive() }),
  valibot: v.object({
    name: v.pipe(v.string(), v.minLength(2)),
    age: v.pipe(v.number(), v.integer(), v.minValue(1)),
  }),
};

for (const [vendor, schema] of Object.entries(schemas)) {
  Deno.test(`readJSON() returns the output of a ${vendor} schema with its type`, async () => {
    const result: Result<{ name: string; age: number }> = await readJSON(post('{"name":"Ada","age":36,"x":1}'), schema);
    assertEquals(result, [{ name: "Ada", age: 36 }, null]);
  });

  Deno.test(`readJSON() reports where a body does not match a ${vendor} schema, without its values`, async () => {
    const secret = "hunter2-and-more";
    const [, error] = await readJSON(post(JSON.stringify({ name: "A", age: secret })), schema);
    assertInstanceOf(error, ValidationError);
    assertEquals([error.Status, error.Code], [422, "FW_VALIDATION"]);
    const problem = error.Problem();
    assertEquals([problem.type, problem.title, problem.status], ["about:blank", "Unprocessable Content", 422]);
    assertEquals(problem.errors.map(({ pointer }) => pointer), ["#/name", "#/age"]);
    assert(!JSON.stringify(problem).includes(secret) && !error.message.includes(secret));
    for (const { detail } of problem.errors) assert(detail.length > 5);
  });

  Deno.test(`readQuery() validates the query with a schema of ${vendor}`, async () => {
    const url = "http://localhost/?name=Ada&age=old";
    const [, error] = await readQuery(new Query(url, url.indexOf("?") + 1), schema);
    assertInstanceOf(error, ValidationError);
    assertEquals(error.Issues.map(({ Pointer }) => Pointer), ["#/age"]);
  });
}

Deno.test("readJSON() returns the whole body without a schema", async () => {
  assertEquals(await readJSON(post("[1,2]")), [[1, 2], null]);
});

Deno.test("readJSON() returns status 400 for a body that is not JSON", async () => {
  const [value, error] = await readJSON(post("nonsense"), schemas.zod);
  assertEquals(value, undefined);
  assertInstanceOf(error, HTTPError);
  assertEquals(error.Status, 400);
});

Deno.test("readJSON() waits for an asynchronous schema", async () => {
  const schema = z.object({ name: z.string().refine((name) => Promise.resolve(name !== "taken"), "Name is taken") });
  assertEquals((await readJSON(post('{"name":"free"}'), schema))[1], null);
  const [, error] = await readJSON(post('{"name":"taken"}'), schema);
  assertInstanceOf(error, ValidationError);
  assertEquals(error.Issues, [{ In: "body", Path: ["name"], Pointer: "#/name", Message: "Name is taken" }]);
});

Deno.test("readJSON() returns the schema's message for any input", async () => {
  const schema = z.object({ password: z.string().min(8, "is too short (minimum is 8 characters)") });
  for (const password of ["short", "is", "8", "a", "too", "(", "minimum"]) {
    const [, error] = await readJSON(post(JSON.stringify({ password })), schema);
    assertInstanceOf(error, ValidationError);
    assertEquals(error.Issues[0]?.Message, "is too short (minimum is 8 characters)", password);
  }
});

Deno.test("readJSON() never includes the rejected text in messages, even if the schema's message quotes or escapes it", async () => {
  const cases = [
    [v.object({ a: v.number() }), '{"a":"secret\\"quote"}', 'secret"quote'],
    [v.object({ a: v.picklist(["x"]) }), '{"a":"secret-value"}', "secret-value"],
    [v.object({ a: v.pipe(v.string(), v.email()) }), '{"a":"me@secret"}', "me@secret"],
  ] as const;
  for (const [schema, body, secret] of cases) {
    const [, error] = await readJSON<unknown>(post(body), schema);
    assertInstanceOf(error, ValidationError);
    const told = JSON.stringify(error.Issues.map(({ Message }) => Message));
    assert(!told.includes(secret) && !told.includes(JSON.stringify(secret).slice(1, -1)), told);
  }
});

Deno.test("readJSON() returns pointers as defined in RFC 6901", async () => {
  const schema = z.object({ "a/b": z.object({ "m~n ü": z.array(z.number()) }) });
  const [, error] = await readJSON(post('{"a/b":{"m~n ü":[1,"x"]}}'), schema);
  assertInstanceOf(error, ValidationError);
  assertEquals(error.Issues[0]?.Pointer, "#/a~1b/m~0n%20%C3%BC/1");
  const [, whole] = await readJSON(post("1"), schema);
  assertInstanceOf(whole, ValidationError);
  assertEquals(whole.Issues[0]?.Pointer, "#");
});

Deno.test("readJSON() reports keys with lone surrogates", async () => {
  const [, error] = await readJSON(post('{"\\ud800":1}'), z.record(z.string(), z.string()));
  assertInstanceOf(error, ValidationError);
  assertStringIncludes(error.Issues[0]?.Pointer ?? "", "#/");
});

Deno.test("readForm() returns one value, or an array if a name occurs twice or ends in brackets", async () => {
  const [input, error] = await readForm(
    post("a=1&b=2&b=3&tags[]=x&__proto__=4", "application/x-www-form-urlencoded"),
  );
  assertEquals(error, null);
  assertEquals(Object.entries(input as object), [["a", "1"], ["b", ["2", "3"]], ["tags", ["x"]], ["__proto__", "4"]]);
});

Deno.test("readForm() passes files to the schema", async () => {
  const schema = z.object({ a: z.coerce.number(), f: z.instanceof(File), "g": z.array(z.instanceof(File)) });
  const body = `${field("a", "1")}${file("f", "x.txt", "hi")}${file("g[]", "y.txt", "ho")}--X--`;
  const [input, error] = await readForm(post(body, "multipart/form-data; boundary=X"), schema);
  assertEquals(error, null);
  assertEquals([input?.a, await input?.f.text(), input?.g[0]?.name], [1, "hi", "y.txt"]);
});

Deno.test("readForm() returns status 400 for a malformed form", async () => {
  const [, error] = await readForm(post("nonsense", "multipart/form-data; boundary=X"));
  assertInstanceOf(error, HTTPError);
  assertEquals(error.Status, 400);
});

Deno.test("readForm() handles a name with a million values", async () => {
  const request = new Request("http://localhost/", {
    method: "POST",
    body: "a=&".repeat(1_000_000),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  const [input] = await readForm<{ a: string[] }>(new Body(request, { ...defaultLimits, maxFields: 1_000_000 }));
  assertEquals(input?.a.length, 1_000_000);
});

Deno.test("getBody() returns the bytes, or an error", async () => {
  assertEquals(await getBody(post("ä", "text/plain")), [new TextEncoder().encode("ä"), null]);
  const body = post("12345", "text/plain");
  body.terms.limit(4);
  const [bytes, error] = await getBody(body);
  assertInstanceOf(error, HTTPError);
  assertEquals([bytes, error.Status], [undefined, 413]);
});

function checking(): fw.Application {
  const app = quiet();
  app.Post("/json", async (ctx) => {
    const [user, error] = await ctx.ReadJSON(schemas.zod);
    if (error !== null) throw error;
    ctx.JSON(user);
  });
  app.Get("/query", async (ctx) => {
    const [found, error] = await ctx.ReadQuery(z.object({ page: z.coerce.number().default(1) }));
    if (error !== null) return ctx.StopWithError(422, error);
    ctx.JSON(found.page + 1);
  });
  return app;
}

const json = { method: "POST", headers: { "content-type": "application/json" } };

bothWays("Context.ReadJSON() responds with problem+json when its error is thrown", checking, async (ask) => {
  const right = await ask("/json", { ...json, body: '{"name":"Ada","age":36}' });
  assertEquals([right.status, right.text], [200, '{"name":"Ada","age":36}']);
  const wrong = await ask("/json", { ...json, body: '{"name":"Ada","age":"secret"}' });
  assertEquals([wrong.status, wrong.headers.get("content-type")], [422, "application/problem+json"]);
  assertEquals(JSON.parse(wrong.text).errors[0].pointer, "#/age");
  assert(!wrong.text.includes("secret"));
  const broken = await ask("/json", { ...json, body: "{secret" });
  assertEquals([broken.status, broken.text], [400, "Cannot read the request body as JSON: it is malformed"]);
});

bothWays(
  "Context.ReadQuery() responds with problem+json when its error is passed to StopWithError",
  checking,
  async (ask) => {
    assertEquals((await ask("/query?page=2")).text, "3");
    assertEquals((await ask("/query")).text, "2");
    const wrong = await ask("/query?page=secret");
    assertEquals([wrong.status, wrong.headers.get("content-type")], [422, "application/problem+json"]);
    assertEquals(JSON.parse(wrong.text).errors[0].pointer, "#/page");
    assert(!wrong.text.includes("secret"));
  },
);

bothWays(
  "Context.ReadJSON() reads bodies with a JSON content type, and responds with 415 to all others",
  checking,
  async (ask) => {
    const body = '{"name":"Ada","age":36}';
    const statusOf = async (type: string) =>
      (await ask("/json", { method: "POST", body, headers: { "content-type": type } })).status;
    for (
      const type of [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/json ; charset=utf-8",
        "text/json",
        "application/ld+json",
        "application/vnd.api+json;version=1",
      ]
    ) assertEquals(await statusOf(type), 200, type);
    for (
      const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=X",
        "application/jsonfoo",
        "application/json-seq",
        "text/plain; application/json",
        'text/plain; a="application/json"',
        "application/octet-stream",
        '"',
        "json",
        ";application/json",
      ]
    ) assertEquals(await statusOf(type), 415, type);
  },
);

bothWays(
  "Context.ReadJSON() reads bodies of any type if configured, and compressed ones after CompressReader()",
  () => {
    const app = quiet();
    app.Post("/any", async (ctx) => ctx.JSON((await ctx.ReadJSON(undefined, { AnyType: true }))[0]));
    app.Post("/packed", async (ctx) => {
      ctx.CompressReader();
      ctx.JSON((await ctx.ReadJSON())[0]);
    });
    return app;
  },
  async (ask) => {
    const sent = { method: "POST", body: "[1]", headers: { "content-type": "text/plain" } };
    assertEquals((await ask("/any", sent)).text, "[1]");
    const plain = { ...sent, headers: { "content-type": "application/json", "content-encoding": "identity" } };
    assertEquals((await ask("/packed", plain)).text, "[1]");
  },
);
