import { assert, assertEquals } from "@std/assert";
import { type } from "npm:arktype@^2";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { overSocket, quiet } from "../../serving.ts";

type Schema = fw.StandardSchema;
type Ask = (request: Request) => Response | Promise<Response>;

/** The same schemas in three libraries. */
const lists: Record<string, { query: Schema; form: Schema; header: Schema; tree: Schema }> = {
  zod: {
    query: z.object({
      tag: z.array(z.string()),
      more: z.array(z.coerce.number()).nullable().default([]),
      either: z.union([z.string(), z.array(z.string())]).optional(),
    }),
    form: z.object({ file: z.array(z.file()), tag: z.array(z.string()).min(1).optional() }),
    header: z.object({ "X-Tags": z.array(z.string()), "X-Api-Key": z.string() }),
    tree: z.object({
      get in() {
        return z.array(node);
      },
    }),
  },
  valibot: {
    query: v.object({
      tag: v.array(v.string()),
      more: v.optional(v.array(v.pipe(v.string(), v.transform(Number))), []),
      either: v.optional(v.union([v.string(), v.array(v.string())])),
    }),
    form: v.object({ file: v.pipe(v.array(v.file()), v.minLength(1)), tag: v.optional(v.array(v.string())) }),
    header: v.object({ "X-Tags": v.array(v.string()), "X-Api-Key": v.string() }),
    tree: v.object({ in: v.array(v.lazy(() => lists["valibot"]?.tree as v.GenericSchema)) }),
  },
  arktype: {
    query: type({
      tag: "string[]",
      more: type("string.numeric.parse[]").default(() => []),
      "either?": "string|string[]",
    }),
    form: type({ file: "File[]", "tag?": "string[]" }),
    header: type({ "X-Tags": "string[]", "X-Api-Key": "string" }),
    tree: type.module({ node: { in: "node[]" } }).node,
  },
};
const node: z.ZodType = z.object({
  get in() {
    return z.array(node);
  },
});

function newApp({ query, form, header, tree }: { query: Schema; form: Schema; header: Schema; tree: Schema }) {
  class Lists {
    Get(input = mvc.Query(query)) {
      return input as Record<string, unknown>;
    }
    async PostForm(input = mvc.Form(form)) {
      const { file, tag } = input as { file: File[]; tag?: string[] };
      return { files: await Promise.all(file.map((each) => each.text())), tag };
    }
    GetHeader(input = mvc.Header(header)) {
      const { "X-Tags": tags, "X-Api-Key": key } = input as Record<string, unknown>;
      return { tags, key };
    }
    PostTree(_input = mvc.Body(tree)) {
      return "fine";
    }
  }
  const app = quiet();
  mvc.New(app).Handle(Lists);
  return app;
}

async function useLists(ask: Ask, base: string): Promise<void> {
  const get = async (path: string, headers: HeadersInit = {}) => {
    const response = await ask(new Request(base + path, { headers }));
    return [response.status, await response.json()];
  };
  assertEquals(await get("/?tag=a"), [200, { tag: ["a"], more: [] }]);
  assertEquals(await get("/?tag=a&tag=b&more=1&either=x"), [200, { tag: ["a", "b"], more: [1], either: "x" }]);
  assertEquals(await get("/?tag[]=a"), [200, { tag: ["a"], more: [] }]);
  assertEquals(await get("/header", { "x-tags": "a, b", "X-API-KEY": "k" }), [200, { tags: ["a", "b"], key: "k" }]);
  assertEquals(await get("/header", { "x-tags": "a", "x-api-key": "k" }), [200, { tags: ["a"], key: "k" }]);
  for (const count of [1, 2]) {
    const form = new FormData();
    for (let at = 0; at < count; at++) form.append("file", new File([String(at)], "a.txt"));
    form.append("tag", "one");
    const response = await ask(new Request(`${base}/form`, { method: "POST", body: form }));
    assertEquals(await response.json(), { files: ["0", "1"].slice(0, count), tag: ["one"] });
  }
  const post = async (body: string) => {
    const headers = { "content-type": "application/json" };
    const response = await ask(new Request(`${base}/tree`, { method: "POST", body, headers }));
    await response.body?.cancel();
    return response.status;
  };
  const nested = (levels: number) => '{"in":['.repeat(levels) + '{"in":[]}' + "]}".repeat(levels);
  assertEquals(await post(nested(150)), 200);
  for (const levels of [300, 3_000, 50_000]) assertEquals(await post(nested(levels)), 400);
  assertEquals(await post("\ufeff" + nested(1)), 200);
}

for (const [vendor, schemas] of Object.entries(lists)) {
  Deno.test(`readInput() passes one-element arrays, case-insensitive headers and limited depth to schemas of ${vendor}`, async () => {
    const app = newApp(schemas);
    await useLists(app.fetch, "http://localhost");
    await overSocket(app, (_ask, port) => useLists((request) => fetch(request), `http://127.0.0.1:${port}`));
  });
}

Deno.test("readInput() does not convert values that are preprocessed", async () => {
  const csv = z.object({ tag: z.preprocess((text) => String(text).split(","), z.array(z.string())) });
  class Preprocessed {
    Get(input = mvc.Query(csv)) {
      return input.tag;
    }
  }
  const app = quiet();
  mvc.New(app).Handle(Preprocessed);
  assertEquals(await (await app.fetch(new Request("http://localhost/?tag=a,b"))).json(), ["a", "b"]);
});

const where = z.object({ id: z.string().min(3) });
const page = z.object({ limit: z.coerce.number(), tag: z.string() });
const key = z.object({ "X-Api-Key": z.string() });
const user = z.object({ user: z.object({ age: z.number() }) });
const slow = z.object({ a: z.string().refine((text) => Promise.resolve(text === "x"), "Not x") });
const fields = z.object({ b: z.string() });

class Wrong {
  PostBy(
    id = "",
    _where = mvc.Params(where),
    _query = mvc.Query(page),
    _header = mvc.Header(key),
    _body = mvc.Body(user),
  ) {
    return id;
  }
  PutForm(_query = mvc.Query(slow), _form = mvc.Form(fields)) {
    return "fine";
  }
}

async function useWrong(ask: Ask, base: string): Promise<void> {
  const placesOf = async (path: string, init: RequestInit) => {
    const response = await ask(new Request(base + path, init));
    const { status, errors } = await response.json();
    assertEquals(response.status, status);
    return [status, errors?.map((each: { in: string; pointer: string }) => `${each.in} ${each.pointer}`)];
  };
  const json = { "content-type": "application/json" };
  assertEquals(await placesOf("/ab?limit=x", { method: "POST", headers: json, body: '{"user":{"age":"old"}}' }), [
    422,
    ["path #/id", "query #/limit", "query #/tag", "header #/X-Api-Key", "body #/user/age"],
  ]);
  const known = { ...json, "x-api-key": "k" };
  assertEquals(await placesOf("/abc?limit=1&tag=a", { method: "POST", headers: known, body: '{"user":{}}' }), [
    422,
    ["body #/user/age"],
  ]);
  assertEquals(await placesOf("/abc?limit=1&tag=a", { method: "POST", headers: known, body: "{" }), [400, undefined]);
  assertEquals(await placesOf("/ab?limit=1&tag=a", { method: "POST", headers: known, body: "{" }), [422, [
    "path #/id",
  ]]);
  assertEquals(await placesOf("/form?a=y", { method: "PUT", body: new URLSearchParams({ c: "" }) }), [
    422,
    ["query #/a", "body #/b"],
  ]);
}

Deno.test("readInput() reports the problems of all inputs with their locations", async () => {
  const app = quiet();
  mvc.New(app).Handle(Wrong);
  await useWrong(app.fetch, "http://localhost");
  await overSocket(app, (_ask, port) => useWrong((request) => fetch(request), `http://127.0.0.1:${port}`));
});

Deno.test("readInput() reports the problems of inputs with inline schemas", async () => {
  class InPlace {
    PostBy(
      id = "",
      _where = mvc.Params(z.object({ id: z.string().regex(/^[a-z]{3,4}$/) })),
      _query = mvc.Query(z.object({ limit: z.coerce.number() })),
      _body = mvc.Body(z.object({ id: z.string(), _query: z.int() })),
    ) {
      return id;
    }
  }
  const app = quiet();
  mvc.New(app).Handle(InPlace);
  await app.Build();
  assertEquals(app.Routes()[0]?.Inputs.map(({ Kind }) => Kind), ["Params", "Query", "Body"]);
  const headers = { "content-type": "application/json" };
  const response = await app.fetch(new Request("http://localhost/ab?limit=x", { method: "POST", headers, body: "{}" }));
  const { errors } = await response.json();
  assertEquals(errors.map((each: { in: string; pointer: string }) => `${each.in} ${each.pointer}`), [
    "path #/id",
    "query #/limit",
    "body #/id",
    "body #/_query",
  ]);
});

Deno.test("readInput() keeps the bytes of a JSON body for later reads", async () => {
  class Signed {
    Ctx!: fw.Context;
    async Post(input = mvc.Body(z.object({ a: z.number() }))) {
      const [bytes] = await this.Ctx.GetBody();
      assert(bytes !== undefined);
      return { a: input.a, text: new TextDecoder().decode(bytes) };
    }
  }
  const app = quiet();
  mvc.New(app).Handle(Signed);
  await overSocket(app, async (_ask, port) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body: '{ "a": 1 }' });
    assertEquals(await response.json(), { a: 1, text: '{ "a": 1 }' });
  });
});
