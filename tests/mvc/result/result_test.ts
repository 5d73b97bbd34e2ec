import { assert, assertEquals, assertFalse } from "@std/assert";
import { quietApp, responseTo } from "../serve.ts";
import { assertType, type IsExact } from "@std/testing/types";
import type * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { isTuple, Tuple } from "../../../mvc/result/tuple.ts";

const TEXT = "text/plain;charset=UTF-8";

Deno.test("Response sends its parts, the first of Err, Path, Object, Text and Content", async () => {
  const all = { Object: { a: 1 }, Text: "text", Content: "content" };
  assertEquals(await responseTo(() => new mvc.Response(all)), {
    status: 200,
    type: "application/json",
    body: '{"a":1}',
  });
  const { Object: _, ...texts } = all;
  assertEquals(await responseTo(() => new mvc.Response(texts)), { status: 200, type: TEXT, body: "text" });
  const content = await responseTo(() => new mvc.Response({ Content: "c", ContentType: "text/css" }));
  assertEquals(content, { status: 200, type: "text/css; charset=utf-8", body: "c" });
  const bytes = await responseTo(() => new mvc.Response({ Content: new Uint8Array([65]) }));
  assertEquals(bytes, { status: 200, type: "application/octet-stream", body: "A" });
});

Deno.test("Response.Code sets the status, and an error status without a body gets its text", async () => {
  assertEquals((await responseTo(() => new mvc.Response({ Code: 201, Text: "created" }))).status, 201);
  assertEquals(await responseTo(() => new mvc.Response({ Code: 410 })), { status: 410, type: TEXT, body: "Gone" });
  assertEquals(await responseTo(() => new mvc.Response()), { status: 200, type: "", body: "" });
});

Deno.test("Response.ContentType names the form of Object", async () => {
  const xml = await responseTo(() => new mvc.Response({ ContentType: "application/xml", Object: { a: 1 } }));
  assertEquals(xml.body, '<?xml version="1.0" encoding="UTF-8"?>\n<Object><a>1</a></Object>');
  assertEquals((await responseTo(() => new mvc.Response({ ContentType: "image/png", Object: {} }))).status, 406);
});

Deno.test("Response.Err counts before everything else, with Code as its status from 400 on", async () => {
  const Err = new Error("no");
  assertEquals(await responseTo(() => new mvc.Response({ Err, Text: "t", Path: "/" })), {
    status: 400,
    type: TEXT,
    body: "no",
  });
  assertEquals((await responseTo(() => new mvc.Response({ Err, Code: 503 }))).status, 503);
  assertEquals((await responseTo(() => new mvc.Response({ Err, Code: 201 }))).status, 400);
  assertEquals((await responseTo(() => new mvc.Response({ Err: null, Text: "t" }))).body, "t");
});

Deno.test("Response.Path redirects: 302, after a POST 303, or Code", async () => {
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a" }))).status, 302);
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a" }), "POST")).status, 303);
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a", Code: 301 }), "POST")).status, 301);
  assertEquals((await responseTo(() => new mvc.Response({ Path: "/a", Code: 200 }), "PUT")).status, 302);
});

/** An engine that shows what it is asked for. */
const engine: fw.Engine = {
  Load: () => undefined,
  Render: (name, data, options) => `${name} ${JSON.stringify(data)} ${options?.Layout}`,
};

Deno.test("View renders its template with its data and layout", async () => {
  class Pages {
    Get(): mvc.View {
      return new mvc.View({ Name: "index", Data: { a: 1 }, Layout: "main", Code: 203 });
    }
    GetErr(): mvc.View {
      return new mvc.View({ Name: "index", Err: new Error("no"), Code: 503 });
    }
    GetNothing(): mvc.View {
      return new mvc.View({ Name: "" });
    }
  }
  const app = quietApp();
  app.RegisterView(engine);
  mvc.New(app).Handle(Pages);
  const page = await app.fetch(new Request("http://localhost/"));
  assertEquals([page.status, page.headers.get("content-type"), await page.text()], [
    203,
    "text/html; charset=utf-8",
    'index {"a":1} main',
  ]);
  const failed = await app.fetch(new Request("http://localhost/err"));
  assertEquals([failed.status, await failed.text()], [503, "no"]);
  assertEquals(await (await app.fetch(new Request("http://localhost/nothing"))).text(), "");
});

interface User {
  readonly name: string;
}

Deno.test("Tuple() admits exactly the shapes that have a meaning", () => {
  const user: User = { name: "Ada" };
  const failure = Math.random() > 2 ? new Error("no") : null;
  assertType<IsExact<ReturnType<typeof stringString>, Tuple<string, string>>>(true);
  function stringString() {
    return Tuple("body", "text/html");
  }
  const shapes = [
    Tuple("body", 201),
    Tuple(404, "body"),
    Tuple("body", failure),
    Tuple(404, failure),
    Tuple(user, true),
    Tuple(undefined, false),
    Tuple(user, failure),
    Tuple(user, 201),
    Tuple([user], 201),
    Tuple(user, "text/xml"),
    Tuple(202, user),
    Tuple(202, [user]),
    Tuple(202, { name: "Ada", message: "hello" }),
    Tuple({ Dispatch() {} }, failure),
  ];
  assertEquals(shapes.every(isTuple), true);

  // @ts-expect-error Two numbers: which is the status?
  Tuple(1, 2);
  // @ts-expect-error A truth value has no content type.
  Tuple(true, "text/plain");
  // @ts-expect-error Nor a status.
  Tuple(false, 404);
  // @ts-expect-error The error comes second.
  Tuple(null, "text");
  // @ts-expect-error Go's nil is null here.
  Tuple(user, undefined);
  // @ts-expect-error Two objects.
  Tuple(user, user);
  // @ts-expect-error A bigint has no content type.
  Tuple(1n, "text/plain");
  // @ts-expect-error One value is not a pair.
  Tuple("body");
  // @ts-expect-error Nor are three.
  Tuple("body", "text/html", 200);
});

Deno.test("Tuple() keeps the types of its values", () => {
  const user: User = { name: "Ada" };
  const found = Tuple(user, true);
  const created = Tuple(user, 201);
  const [first, second] = Tuple(user, null);
  assertType<IsExact<typeof found, Tuple<User, boolean>>>(true);
  assertType<IsExact<typeof created, Tuple<User, number>>>(true);
  assertType<IsExact<typeof first, User>>(true);
  assertType<IsExact<typeof second, Error | null>>(true);

  const accepted = Tuple(202, user);
  const letter = Tuple(202, { name: "Ada", message: "hello" });
  const failed = Tuple(503, new TypeError("busy"));
  assertType<IsExact<typeof accepted, Tuple<number, User>>>(true);
  assertType<IsExact<typeof letter, Tuple<number, { name: string; message: string }>>>(true);
  assertType<IsExact<typeof failed, Tuple<number, Error | null>>>(true);
});

Deno.test("Tuple() creates an array of two that no other array passes for", () => {
  const pair = Tuple("a", "b/c");
  assertEquals([...pair], ["a", "b/c"]);
  assertEquals(pair.length, 2);
  assertEquals(JSON.stringify(pair), '["a","b/c"]');
  assert(Array.isArray(pair));
  assertEquals(pair, Tuple("a", "b/c"));
  assertFalse(isTuple(["a", "b/c"]));
  assertFalse(isTuple(pair.map(String)));
  assertFalse(isTuple(undefined));
  // @ts-expect-error A plain array of two is not a tuple.
  const plain: Tuple<string, string> = ["a", "b/c"];
  assertFalse(isTuple(plain));
});
