import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { quietApp, type Read, responseTo } from "../serve.ts";

const TEXT = "text/plain;charset=UTF-8";
const JSON_TYPE = "application/json";

class User {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

class Coded extends Error {
  readonly Status = 409;
}

function text(body: string, status = 200): Read {
  return { status, type: TEXT, body };
}

function json(body: string, status = 200): Read {
  return { status, type: JSON_TYPE, body };
}

function* chunks(): Generator<string> {
  yield "a,";
  yield "b";
}

/** The expected responses, by kind of return value. */
const rows: Record<string, [make: (ctx: fw.Context) => unknown, expected: Read]> = {
  "a string": [() => "hello", text("hello")],
  "an empty string": [() => "", text("")],
  "a number": [() => 204, { status: 204, type: "", body: "" }],
  "a number of an error": [() => 502, text("Bad Gateway", 502)],
  "true": [() => true, { status: 200, type: "", body: "" }],
  "false": [() => false, text("Not Found", 404)],
  "an error": [() => new Error("too short"), text("too short", 400)],
  "an error without a message": [() => new Error(""), text("Bad Request", 400)],
  "an HTTPError": [() => new fw.HTTPError(418, "teapot"), text("teapot", 418)],
  "an error with a Status": [() => new Coded("taken"), text("taken", 409)],
  "an error after a status": [(ctx) => (ctx.StatusCode(422), new Error("no")), text("no", 422)],
  "an error after a lower status": [(ctx) => (ctx.StatusCode(201), new Error("no")), text("no", 400)],
  "an error after a body": [(ctx) => (ctx.WriteString("half"), new Error("no")), text("no", 400)],
  "an object": [() => ({ a: 1 }), json('{"a":1}')],
  "an instance": [() => new User("Ada"), json('{"name":"Ada"}')],
  "a list": [() => ["a", "text/html"], json('["a","text/html"]')],
  "null": [() => null, json("null")],
  "a bigint": [() => 9007199254740993n, json("9007199254740993")],
  "an object with a bigint": [() => ({ id: 9007199254740993n }), json('{"id":9007199254740993}')],
  "undefined after a body": [(ctx) => ctx.HTML("<b>"), { status: 200, type: "text/html; charset=utf-8", body: "<b>" }],
  "undefined": [() => undefined, { status: 200, type: "", body: "" }],
  "bytes": [() => new TextEncoder().encode("raw"), { status: 200, type: "application/octet-stream", body: "raw" }],
  "a stream": [() => new Response("s").body, { status: 200, type: "application/octet-stream", body: "s" }],
  "an async iterable": [
    async function* () {
      yield "a";
      yield await Promise.resolve("b");
    },
    { status: 200, type: "application/octet-stream", body: "ab" },
  ],
  "a Response": [() => new Response("r", { status: 203, headers: { "content-type": "a/b" } }), {
    status: 203,
    type: "a/b",
    body: "r",
  }],
  "a Dispatcher": [() => ({ Dispatch: (ctx: fw.Context) => ctx.StopWithText(202, "own") }), text("own", 202)],
  "an asynchronous Dispatcher": [
    () => ({ Dispatch: async (ctx: fw.Context) => ctx.Text(await Promise.resolve("later")) }),
    text("later"),
  ],
  "(string, string)": [() => mvc.Tuple("<b>", "text/html"), {
    status: 200,
    type: "text/html; charset=utf-8",
    body: "<b>",
  }],
  "(string, number)": [() => mvc.Tuple("created", 201), text("created", 201)],
  "(string, number) of an error": [() => mvc.Tuple("gone", 410), text("gone", 410)],
  "(empty, number) of an error": [() => mvc.Tuple("", 410), text("Gone", 410)],
  "(number, string)": [() => mvc.Tuple(201, "created"), text("created", 201)],
  "(number, empty) of an error": [() => mvc.Tuple(410, ""), text("Gone", 410)],
  "(string, null)": [() => mvc.Tuple("fine", null), text("fine")],
  "(string, Error)": [() => mvc.Tuple("fine", new Error("not fine")), text("not fine", 400)],
  "(number, null)": [() => mvc.Tuple(202, null), { status: 202, type: "", body: "" }],
  "(number, Error)": [() => mvc.Tuple(503, new Error("busy")), text("busy", 503)],
  "(low number, Error)": [() => mvc.Tuple(200, new Error("busy")), text("busy", 400)],
  "(number, HTTPError)": [() => mvc.Tuple(503, new fw.HTTPError(409, "busy")), text("busy", 503)],
  "(any, true)": [() => mvc.Tuple(new User("Ada"), true), json('{"name":"Ada"}')],
  "(string, true)": [() => mvc.Tuple("found", true), text("found")],
  "(any, false)": [() => mvc.Tuple(undefined, false), text("Not Found", 404)],
  "(object, null)": [() => mvc.Tuple(new User("Ada"), null), json('{"name":"Ada"}')],
  "(object, Error)": [() => mvc.Tuple(new User("Ada"), new Error("no")), text("no", 400)],
  "(object, number)": [() => mvc.Tuple(new User("Ada"), 201), json('{"name":"Ada"}', 201)],
  "(object, number) of an error": [() => mvc.Tuple({ why: "x" }, 422), json('{"why":"x"}', 422)],
  "(number, object)": [
    () => mvc.Tuple(202, { name: "Ada", message: "hello" }),
    json('{"name":"Ada","message":"hello"}', 202),
  ],
  "(number, list)": [() => mvc.Tuple(422, ["a"]), json('["a"]', 422)],
  "(number, Dispatcher)": [() => mvc.Tuple(202, new mvc.Response({ Text: "r" })), text("r", 202)],
  "(Error, number)": [() => mvc.Tuple(new Error("gone"), 410), text("gone", 410)],
  "(object, JSON type)": [() => mvc.Tuple({ a: 1n }, "application/problem+json"), {
    status: 200,
    type: "application/problem+json",
    body: '{"a":1}',
  }],
  "(object, XML type)": [() => mvc.Tuple(new User("A&B"), "text/xml"), {
    status: 200,
    type: "text/xml; charset=utf-8",
    body: '<?xml version="1.0" encoding="UTF-8"?>\n<User><name>A&amp;B</name></User>',
  }],
  "(object, YAML type)": [() => mvc.Tuple({ a: [1] }, "application/x-yaml"), {
    status: 200,
    type: "application/x-yaml; charset=utf-8",
    body: "a:\n  - 1\n",
  }],
  "(object, unknown type)": [() => mvc.Tuple({ a: 1 }, "image/png"), text("Internal Server Error", 500)],
  "(bytes, string)": [() => mvc.Tuple(new TextEncoder().encode("x"), "image/png"), {
    status: 200,
    type: "image/png",
    body: "x",
  }],
  "(Dispatcher, null)": [() => mvc.Tuple(new mvc.Response({ Text: "r" }), null), text("r")],
  "(Dispatcher, Error)": [() => mvc.Tuple(new mvc.Response({ Text: "r" }), new Error("e")), text("e", 400)],
  "(Dispatcher, number)": [() => mvc.Tuple(new mvc.Response({ Text: "r" }), 201), text("r", 201)],
  "a Map": [
    () => new Map<unknown, unknown>([["a", 1], [2n, new Map([["b", new Set([3])]])]]),
    json('{"2":{"b":[3]},"a":1}'),
  ],
  "a Map with a key __proto__": [() => new Map([["__proto__", 1]]), json('{"__proto__":1}')],
  "a Map with a toJSON": [() => Object.assign(new Map(), { toJSON: () => "own" }), json('"own"')],
  "a Set": [() => new Set([1, "b"]), json('[1,"b"]')],
  "an iterator": [() => new Map([["a", 1]]).values(), json("[1]")],
  "an iterator helper": [() => [1, 2].values().map((n) => n * 2), json("[2,4]")],
  "a Blob": [() => new Blob(["b"], { type: "image/png" }), { status: 200, type: "image/png", body: "b" }],
  "a Blob without a type": [() => new Blob(["b"]), { status: 200, type: "application/octet-stream", body: "b" }],
  "a File": [() => new File(["f"], "f.css", { type: "text/css" }), { status: 200, type: "text/css", body: "f" }],
  "(Blob, number)": [() => mvc.Tuple(new Blob(["b"], { type: "a/b" }), 201), { status: 201, type: "a/b", body: "b" }],
  "(Blob, string)": [() => mvc.Tuple(new Blob(["b"], { type: "a/b" }), "image/png"), {
    status: 200,
    type: "image/png",
    body: "b",
  }],
  "an ArrayBuffer": [() => new TextEncoder().encode("raw").buffer, {
    status: 200,
    type: "application/octet-stream",
    body: "raw",
  }],
  "a DataView": [() => new DataView(new TextEncoder().encode("raw").buffer, 1), {
    status: 200,
    type: "application/octet-stream",
    body: "aw",
  }],
  "other numbers": [() => new Uint16Array([0x4241]), { status: 200, type: "application/octet-stream", body: "AB" }],
  "URLSearchParams": [() => new URLSearchParams({ a: "1 2" }), {
    status: 200,
    type: "application/x-www-form-urlencoded;charset=UTF-8",
    body: "a=1+2",
  }],
  "a generator": [
    function* () {
      yield "a";
      yield new TextEncoder().encode("b");
    },
    { status: 200, type: "application/octet-stream", body: "ab" },
  ],
  "(generator, string)": [() => mvc.Tuple(chunks(), "text/csv"), {
    status: 200,
    type: "text/csv; charset=utf-8",
    body: "a,b",
  }],
  "(Map, XML type)": [() => mvc.Tuple(new Map([["a", new Set([1, 2])]]), "text/xml"), {
    status: 200,
    type: "text/xml; charset=utf-8",
    body: '<?xml version="1.0" encoding="UTF-8"?>\n<Object><a>1</a><a>2</a></Object>',
  }],
  "a number that is not a status": [() => 42, text("Internal Server Error", 500)],
  "a fraction": [() => 200.5, text("Internal Server Error", 500)],
  "a function": [() => () => 1, text("Internal Server Error", 500)],
  "a symbol": [() => Symbol("s"), text("Internal Server Error", 500)],
  "(string, no content type)": [() => mvc.Tuple("a", "b"), text("Internal Server Error", 500)],
};

Deno.test("writeReturn() responds to each kind of return value, synchronously or as a promise", async (t) => {
  for (const [name, [make, expected]] of Object.entries(rows)) {
    await t.step(name, async () => {
      assertEquals(await responseTo(make), expected);
      assertEquals(await responseTo(async (ctx) => await make(ctx)), expected);
    });
  }
});

Deno.test("writeReturn() does not create a promise for synchronous methods", async () => {
  class Plain {
    users = mvc.Inject(User);
    Get(): unknown {
      return this.users;
    }
    GetBy(id = 0): unknown {
      return mvc.Tuple({ id }, id > 0);
    }
    BeginRequest(): void {}
    EndRequest(): void {}
  }
  const app = fw.New();
  mvc.New(app).Register(new User("Ada")).Handle(Plain);
  await app.Build();
  for (const path of ["/", "/1", "/0"]) {
    assertEquals(app.fetch(new Request(`http://localhost${path}`)) instanceof Response, true, path);
  }
});

Deno.test("writeReturn() responds with FormData as multipart", async () => {
  const form = new FormData();
  form.set("name", "Ada");
  form.set("file", new File(["text"], "a.txt"));
  class Forms {
    Get(): FormData {
      return form;
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Forms);
  const response = await app.fetch(new Request("http://localhost/"));
  assertMatch(response.headers.get("content-type") ?? "", /^multipart\/form-data; ?boundary=/);
  const read = await response.formData();
  assertEquals(read.get("name"), "Ada");
  assertEquals(await (read.get("file") as File).text(), "text");
});

/** Return values that cause a 500 response, and the words of the logged error. */
const refused: Record<string, [make: () => unknown, words: string]> = {
  "Headers": [() => new Headers(), 'a "Headers" cannot be sent as a body'],
  "a Request": [() => new Request("http://localhost/"), 'a "Request" cannot be sent as a body'],
  "a function": [() => () => 1, "a function cannot be sent as a body"],
  "a class": [() => User, "a function cannot be sent as a body"],
  "a symbol": [() => Symbol("s"), "a symbol cannot be sent as a body"],
  "a RegExp": [() => /a/, 'a "RegExp" cannot be sent as a body'],
  "a WeakMap": [() => new WeakMap(), 'a "WeakMap" cannot be sent as a body'],
  "a list of Responses": [() => [new Response("a")], 'an array that contains a "Response" is not JSON'],
  "a list of promises": [() => [Promise.resolve(1)], 'an array that contains a "Promise" is not JSON'],
  "a circular object": [() => circle(), "it cannot be serialized: Converting circular structure to JSON"],
  "a circular Map": [() => mapCircle(), "it cannot be serialized: Maximum call stack size exceeded"],
  "a Map with objects for keys": [
    () => new Map([[{}, 1]]),
    "it cannot be serialized: Cannot serialize a Map",
  ],
  "a circular object as XML": [
    () => mvc.Tuple(circle(), "text/xml"),
    "it cannot be serialized: Maximum call stack size exceeded",
  ],
  "a fraction": [() => 200.5, '"200.5" is not a status code between 200 and 599'],
  "no content type": [() => mvc.Tuple("a", "b"), '"b" is not a content type'],
  "two objects": [() => mvc.Tuple({}, {} as Error), 'a tuple of "object" and "object" is not supported'],
  "a text and an object": [() => mvc.Tuple("a", {} as Error), 'a tuple of "string" and "object" is not supported'],
};

function circle(): object {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

function mapCircle(): object {
  const value = new Map<string, unknown>();
  return value.set("self", value);
}

Deno.test("writeReturn() rejects values that cannot be sent, and reports the method", async (t) => {
  for (const [name, [make, words]] of Object.entries(refused)) {
    await t.step(name, async () => {
      const errors: Error[] = [];
      class Returning {
        Get(): unknown {
          return make();
        }
      }
      const app = quietApp();
      mvc.New(app).HandleError((ctx, error) => (errors.push(error), ctx.StopWithStatus(500))).Handle(Returning);
      assertEquals((await app.fetch(new Request("http://localhost/"))).status, 500);
      assertStringIncludes(
        errors[0]?.message ?? "",
        `Cannot respond with the return value of "Returning.Get": ${words}`,
      );
      assertEquals((errors[0] as fw.FrameworkError).Code, "FW_RETURN");
    });
  }
});

Deno.test("writeReturn() aborts a generator that yields a value that cannot be sent", async () => {
  class Streams {
    *Get(): Generator<unknown> {
      yield "a";
      yield { b: 1 };
    }
  }
  const app = quietApp();
  mvc.New(app).Handle(Streams);
  const response = await app.fetch(new Request("http://localhost/"));
  await assertRejects(
    () => response.text(),
    fw.FrameworkError,
    'Cannot respond with the return value of "Streams.Get": yielded values must be strings or Uint8Arrays, not "object"',
  );
});
